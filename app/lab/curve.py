"""The curve of a knob: tokens a pass and predicted × plain at every value, as far as they are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypedDict

from app.form import Control
from app.lab.asked import Question, TriedValue, coarse_first, config_of, knob_of, tried
from app.lab.charts import curves
from app.lab.sets import TextSet
from app.panels.panel import Column, GeneralView, TableRow
from respec_core.errors import ReSpecError
from respec_core.settings.knobs import said

if TYPE_CHECKING:
    from respec_core.lab.outcome import Summed

ANSWER_SECONDS = 0.4  # of computing before an answer; the browser asks again for the rest


class CurveAnswer(TypedDict):
    """``values`` of the knob with their places on the axis, ``left`` how many are still to be computed."""

    values: list[TriedValue]
    places: list[float]
    left: int
    panel: GeneralView


@dataclass(frozen=True)
class Point:
    """A value that was tried: all texts and each kind, or why it cannot be replayed."""

    value: TriedValue
    whole: Summed | None
    kinds: dict[str, Summed]
    refused: str = ""


def curve_answer(asked: Question, among: TextSet, clock: Callable[[], float] = perf_counter) -> CurveAnswer:
    """As much of the curve as is known, some more of it computed.

    Raises:
        ReSpecError: where none of the values can be replayed.
    """
    knob = knob_of(asked.method, asked.knob)
    values, points, until, fresh = tried(knob), dict[int, Point](), clock() + ANSWER_SECONDS, 0
    for at in coarse_first(len(values)):
        config = _tried(asked, among, values[at])
        if isinstance(config, str):
            points[at] = Point(values[at], None, {}, config)
        elif (known := among.known(config)) or not fresh or clock() < until:
            fresh += not known
            points[at] = _point(among, values[at], config)
    found = [points[at] for at in sorted(points)]
    if points and len(points) == len(values) and all(point.whole is None for point in found):
        raise ReSpecError(found[0].refused)
    numbers = knob["kind"] in ("int", "float")
    places = (
        [float(value) for value in values if isinstance(value, int | float)]
        if numbers
        else [float(at) for at in range(len(values))]
    )
    panel = curve_view(knob, [places[at] for at in sorted(points)], found, None if numbers else [*map(said, values)])
    return {"values": values, "places": places, "left": len(values) - len(points), "panel": panel}


def _tried(asked: Question, among: TextSet, value: Any) -> Any:
    """The settings with the knob there; a sentence where they are not possible."""
    try:
        return config_of(among.atlas, asked.method, {**asked.settings, asked.knob: value})
    except ReSpecError as error:
        return str(error)


def _point(among: TextSet, value: Any, config: Any) -> Point:
    from respec_core.lab.outcome import kinds, summed

    def made() -> Point:
        outcomes = among.outcomes(config, among.turns.give_way)
        by_kind = {kind: summed([one.tally for one in own]) for kind, own in kinds(outcomes).items()}
        return Point(value, summed([one.tally for one in outcomes]), by_kind)

    try:
        return among.once(("point", repr(value), config.model_dump_json()), made)
    except ReSpecError as error:
        return Point(value, None, {}, str(error))


def curve_view(knob: Control, x: Sequence[float], points: Sequence[Point], ticks: Sequence[str] | None) -> GeneralView:
    """Both figures, and their table."""
    there = [(at, point.value, point.whole, point.kinds) for at, point in zip(x, points, strict=True) if point.whole]
    kinds = [*dict.fromkeys(kind for _, _, _, own in there for kind in own)]
    places, wholes = [at for at, *_ in there], [whole for _, _, whole, _ in there]
    label = f"{knob['label']} ({knob['unit']})" if knob["unit"] else knob["label"]
    figures = {
        "tokens per pass": curves(
            places,
            {kind: [own[kind].total.mat for *_, own in there] for kind in kinds},
            [whole.total.mat for whole in wholes],
            [whole.mat for whole in wholes],
            ticks,
            (label, "tokens per target pass"),
            [f"{knob['label']} {said(value)}: {whole.total.mat:.3f} tokens per pass" for _, value, whole, _ in there],
        )
    }
    if any(whole.total.ratio for whole in wholes):
        figures["× plain, predicted"] = curves(
            places,
            {kind: [own[kind].total.ratio for *_, own in there] for kind in kinds},
            [whole.total.ratio for whole in wholes],
            [whole.ratio for whole in wholes],
            ticks,
            (label, "× plain, predicted"),
            [
                f"{knob['label']} {said(value)}: {whole.total.ratio or 0:.3f}× plain, predicted"
                for _, value, whole, _ in there
            ],
            even=1.0,
        )
    return {
        "sentence": _sentence(knob, points),
        "figures": figures,
        "table": {"columns": COLUMNS, "rows": _rows(points, kinds)},
    }


COLUMNS: list[Column] = [
    {"key": "value", "label": "value"},
    {"key": "kind", "label": "kind"},
    {"key": "tokens", "label": "tokens", "numeric": True},
    {"key": "passes", "label": "passes", "numeric": True},
    {"key": "mat", "label": "tokens per pass", "numeric": True},
    {"key": "ratio", "label": "× plain, predicted", "numeric": True},
]


def _rows(points: Sequence[Point], kinds: Sequence[str]) -> list[TableRow]:
    return [
        {
            "value": said(point.value),
            "kind": kind,
            "tokens": one.total.tokens,
            "passes": one.total.passes,
            "mat": one.total.mat,
            "ratio": one.total.ratio,
        }
        for point in points
        if point.whole
        for kind, one in [("all", point.whole), *((kind, point.kinds[kind]) for kind in kinds)]
    ]


def _sentence(knob: Control, points: Sequence[Point]) -> str:
    there = [(point.value, point.whole.total) for point in points if point.whole]
    refused = [point for point in points if point.refused]
    missing = f" {len(refused)} values cannot be replayed: {refused[0].refused}" if refused else ""
    if not there:
        return f"Computing …{missing}"
    if len(there) > 1 and len({(total.passes, total.ms) for _, total in there}) == 1:
        return f"All values are the same: {knob['label']} does not act under the other settings.{missing}"
    value, best = max(there, key=lambda one: one[1].mat)
    told = f"Most tokens per pass at {said(value)}: {best.mat:.2f}"
    if best.ratio is not None:
        value, fastest = max(there, key=lambda one: one[1].ratio or 0.0)
        told += f"; least predicted time at {said(value)}: {fastest.ratio:.2f}× plain"
    return f"{told}. Bands hold 95 % over prompts.{missing}"
