"""Real runs as a panel: beside what was predicted, or by themselves where nothing can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.lab.asked import Question
from app.panels.panel import Column, GeneralView, Table, TableRow
from respec_core.methods.registry import find_method
from respec_core.settings.knobs import said

if TYPE_CHECKING:
    from respec_core.lab.manifest import Entry
    from respec_core.lab.outcome import Outcome
    from respec_core.trace.schema import Run


@dataclass(frozen=True)
class Confirmed:
    """A text: what was predicted, None where it cannot be, and what was measured.

    Attributes:
        same: whether the run wrote the recorded text.
    """

    entry: Entry
    predicted: Outcome | None
    run: Run
    plain: Run
    same: bool

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{self.entry.kind}, prompt {self.entry.id}"

    @property
    def parted(self) -> int | None:
        """The first position at which the run's text is not plain decoding's; None where there is none."""
        ours, plain = self.run.output_ids, self.plain.output_ids
        apart = (at for at, (one, other) in enumerate(zip(ours, plain, strict=False)) if one != other)
        return next(apart, None if len(ours) == len(plain) else min(len(ours), len(plain)))


def confirmed_view(asked: Question, found: Sequence[Confirmed], precisions: tuple[str, str], of: int) -> GeneralView:
    """Text by text, and all together.

    Args:
        precisions: of the recording, and here.
        of: how many texts were to be run.
    """
    told, columns, row = _beside(found, precisions) if found[0].predicted else _alone(found)
    rows = [row(one.name, [one]) for one in found]
    table: Table = {"columns": columns, "rows": [*rows, row("all", found)] if len(rows) > 1 else rows}
    rest = "" if len(found) == of else f" {len(found)} of {of} texts so far."
    return {"sentence": f"{_settings(asked)}. {told}{rest}", "table": table}


def _settings(asked: Question) -> str:
    """Method and changed settings."""
    changed = ", ".join(f"{name} {said(value)}" for name, value in asked.pinned.items())
    return find_method(asked.method).title + (f" with {changed}" if changed else "")


Told = tuple[str, list[Column], Callable[[str, Sequence[Confirmed]], TableRow]]


def _beside(found: Sequence[Confirmed], precisions: tuple[str, str]) -> Told:
    whole, wrong = _predicted_row("all", found), sum(not one.same for one in found)
    apart = (
        f" {wrong} texts left the recorded one: another precision or machine decided a near tie otherwise."
        if wrong
        else ""
    )
    predicted = "" if whole["ratio"] is None else f"{whole['ratio']:.2f}× plain predicted, "
    sentence = (
        f"Passes: {whole['passes']} predicted, {whole['real_passes']} measured. {predicted}{whole['real_ratio']:.2f}× measured here, "
        f"one timing of each.{apart}{_otherwise(*precisions)}"
    )
    return sentence, PREDICTED, _predicted_row


PREDICTED: list[Column] = [
    {"key": "text", "label": "text"},
    {"key": "tokens", "label": "tokens", "numeric": True},
    {"key": "passes", "label": "passes, predicted", "numeric": True},
    {"key": "real_passes", "label": "measured", "numeric": True},
    {"key": "ms", "label": "ms, predicted", "numeric": True},
    {"key": "real_ms", "label": "measured", "numeric": True},
    {"key": "ratio", "label": "× plain, predicted", "numeric": True},
    {"key": "real_ratio", "label": "measured", "numeric": True},
    {"key": "error", "label": "error of ms"},
    {"key": "same", "label": "text as recorded"},
]


def _otherwise(recorded: str, here: str) -> str:
    if recorded == here:
        return ""
    return (
        f" The set was recorded in {recorded} and is decoded in {here} here: forwards take another time, and near ties "
        "may fall otherwise."
    )


def _predicted_row(name: str, found: Sequence[Confirmed]) -> TableRow:
    tallies = [one.predicted.tally for one in found if one.predicted]
    known = all(tally.ms is not None for tally in tallies)
    ms = sum(tally.ms or 0.0 for tally in tallies) if known else None
    plain, real = sum(tally.plain_ms or 0.0 for tally in tallies), _ms([one.run for one in found])
    return {
        "text": name,
        "tokens": sum(tally.tokens for tally in tallies),
        "passes": sum(tally.passes for tally in tallies),
        "real_passes": sum(len(one.run.steps) for one in found),
        "ms": ms,
        "real_ms": real,
        "ratio": plain / ms if ms else None,
        "real_ratio": _times_plain(found),
        "error": f"{ms / real - 1:+.0%}" if ms and real else "–",
        "same": "yes" if all(one.same for one in found) else "no",
    }


def _alone(found: Sequence[Confirmed]) -> Told:
    whole, apart = _real_row("all", found), sum(one.parted is not None for one in found)
    texts = (
        "Sampled texts are others in every run, so they are not compared."
        if not found[0].run.settings.greedy
        else f"Texts other than strict decoding's: {apart} of {len(found)}."
    )
    sentence = (
        f"Real runs, without a prediction: {whole['tokens']} tokens in {whole['real_passes']} passes, {whole['mat']:.2f} a pass; "
        f"{whole['real_ratio']:.2f}× plain measured here, one timing of each. {texts}"
    )
    return sentence, REAL, _real_row


REAL: list[Column] = [
    {"key": "text", "label": "text"},
    {"key": "tokens", "label": "tokens", "numeric": True},
    {"key": "real_passes", "label": "passes", "numeric": True},
    {"key": "mat", "label": "tokens per pass", "numeric": True},
    {"key": "real_ms", "label": "ms", "numeric": True},
    {"key": "real_ratio", "label": "× plain", "numeric": True},
    {"key": "parted", "label": "other than strict decoding's"},
]


def _real_row(name: str, found: Sequence[Confirmed]) -> TableRow:
    tokens, passes = sum(len(one.run.output_ids) for one in found), sum(len(one.run.steps) for one in found)
    parted = [one.parted for one in found if one.parted is not None]
    if not found[0].run.settings.greedy:
        apart = "sampled"
    elif len(found) > 1:
        apart = f"{len(parted)} of {len(found)}"
    else:
        apart = f"from token {parted[0]} on" if parted else "no"
    return {
        "text": name,
        "tokens": tokens,
        "real_passes": passes,
        "mat": tokens / passes if passes else 0.0,
        "real_ms": _ms([one.run for one in found]),
        "real_ratio": _times_plain(found),
        "parted": apart,
    }


def _times_plain(found: Sequence[Confirmed]) -> float:
    """Tokens a second of the runs ÷ of plain decoding, whose texts may be of other lengths."""
    ours, plain = ([one.run for one in found], [one.plain for one in found])
    spent, written = _ms(ours) * sum(len(run.output_ids) for run in plain), sum(len(run.output_ids) for run in ours)
    return _ms(plain) * written / spent if spent else 0.0


def _ms(runs: Sequence[Run]) -> float:
    return sum(run.summary.wall_s if run.summary else 0.0 for run in runs) * 1e3
