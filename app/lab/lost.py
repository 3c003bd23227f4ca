"""What the settings lose against the best router, by cause, in passes and in predicted milliseconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, TypedDict

from app.lab.asked import Question, config_of
from app.lab.charts import axis
from app.lab.curve import ANSWER_SECONDS
from app.lab.drafters import offers_on
from app.lab.sets import Recorded, TextSet
from app.panels.drawing import Figure, Layout, Trace
from app.panels.panel import Column, GeneralView, TableRow

if TYPE_CHECKING:
    from respec_core.lab.oracle import Regret
    from respec_core.settings.run_config import RunConfig

UNITS = {"passes": "passes lost", "ms": "milliseconds lost, predicted"}
Losses = dict[str, "Regret"]


class RegretAnswer(TypedDict):
    """``left`` is how many texts are still to be counted."""

    left: int
    panel: GeneralView


def regret_answer(asked: Question, among: TextSet, clock: Callable[[], float] = perf_counter) -> RegretAnswer:
    """The losses on as many texts as are known, some more of them counted.

    Raises:
        ReSpecError: for settings that cannot be replayed.
    """
    config, until = config_of(among.atlas, asked.method, asked.pinned), clock() + ANSWER_SECONDS
    found: list[Losses] = []
    for text in among.texts:
        among.turns.give_way()
        found.append(_of_text(among, text, config))
        if clock() >= until:
            break
    left = len(among.texts) - len(found)
    return {"left": left, "panel": _view(found, left)}


def _of_text(among: TextSet, text: Recorded, config: RunConfig) -> Losses:
    from respec_core.lab.oracle import regret
    from respec_core.lab.replay import replay

    def made() -> Losses:
        offers, run = offers_on(among, text), replay(text.stage, config)
        costs = text.stage.costs
        timed = {"ms": regret(run, offers, run.tokens, costs)} if costs else {}
        return {"passes": regret(run, offers, run.tokens), **timed}

    return among.once(("lost", text.entry.id, config.model_dump_json()), made)


def _view(found: Sequence[Losses], left: int) -> GeneralView:
    sums = {unit: _sums([one[unit] for one in found]) for unit in UNITS if all(unit in one for one in found)}
    told = [
        f"{total.spent:.0f} {'passes' if unit == 'passes' else 'predicted ms'}, the best router {total.best:.0f} "
        f"({total.spent / total.best:.2f} times as many)"
        for unit, total in sums.items()
        if total.best
    ]
    rest = f" {left} texts are still to be counted." if left else ""
    sentence = f"{'; '.join(told)}. It knows the text, so no router reaches it.{rest}"
    rows: list[TableRow] = [
        {"unit": UNITS[unit], "cause": cause, "lost": amount, "rounds": total.rounds[cause]}
        for unit, total in sums.items()
        for cause, amount in total.lost.items()
    ]
    figures = {UNITS[unit]: _bars(total.lost, UNITS[unit]) for unit, total in sums.items() if total.lost}
    return {"sentence": sentence, "figures": figures, "table": {"columns": COLUMNS, "rows": rows}}


class _Total:
    """Sums over texts; ``lost`` has the largest cause first."""

    def __init__(self, spent: float, best: float, lost: Mapping[str, float], rounds: Mapping[str, int]) -> None:
        self.spent, self.best, self.lost, self.rounds = spent, best, lost, rounds


def _sums(found: Sequence[Regret]) -> _Total:
    lost, rounds = Counter[str](), Counter[str]()
    for one in found:
        lost.update(one.lost)
        rounds.update(one.rounds)
    return _Total(sum(one.spent for one in found), sum(one.best for one in found), dict(lost.most_common()), rounds)


def _bars(lost: Mapping[str, float], title: str) -> Figure:
    causes = [*lost]
    bar: Trace = {
        "type": "bar",
        "orientation": "h",
        "x": [*lost.values()],
        "y": [*range(len(causes))],
        "text": [f"{amount:.0f}" for amount in lost.values()],
        "textposition": "outside",
        "textangle": 0,
        "cliponaxis": False,
        "width": 0.62,
        "marker": {"color": "var:rejected"},
        "hoverinfo": "skip",
    }
    layout: Layout = {
        "height": 34 * len(causes) + 56,
        "margin": {"l": 122, "r": 48, "t": 6, "b": 42},
        "xaxis": axis(title, rangemode="tozero", zeroline=False),
        "yaxis": axis(
            "",
            tickvals=[*range(len(causes))],
            ticktext=causes,
            range=[len(causes) - 0.4, -0.6],
            showgrid=False,
            zeroline=False,
        ),
        "showlegend": False,
        "dragmode": False,
    }
    return {"data": [bar], "layout": layout}


COLUMNS: list[Column] = [
    {"key": "unit", "label": "unit"},
    {"key": "cause", "label": "lost by"},
    {"key": "lost", "label": "lost", "numeric": True},
    {"key": "rounds", "label": "rounds", "numeric": True},
]
