"""Where the cursor stands: the verdict, every kind with its interval, and acceptance by length and position."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict

from app.lab.asked import Question, config_of
from app.lab.charts import dots, grid
from app.lab.sets import TextSet
from app.panels.panel import Column, GeneralView, TableRow
from app.panels.positions import MAX_DEPTHS, depth_figure
from respec_core.trace.positions import counted
from respec_core.trace.schema import PositionAcceptance

if TYPE_CHECKING:
    from respec_core.lab.outcome import Outcome, PlayedRound
    from respec_core.trace.benefit import Benefit


class LookAnswer(TypedDict):
    """Panels under one setting; the verdict is a sentence."""

    verdict: str
    facts: list[tuple[str, str]]
    kinds: GeneralView
    lengths: GeneralView
    positions: GeneralView


def look_answer(asked: Question, among: TextSet) -> LookAnswer:
    """All of it.

    Raises:
        ReSpecError: for settings that cannot be replayed.
    """
    config = config_of(among.atlas, asked.method, asked.pinned)
    outcomes = among.outcomes(config)

    def made() -> LookAnswer:
        from respec_core.lab.outcome import predicted

        benefit = predicted(outcomes)
        verdict, facts = verdict_of(outcomes, benefit)
        lengths = [(round.deepest, round.accepted) for one in outcomes for round in one.rounds]
        positions = by_position([round for one in outcomes for round in one.rounds[:-1]])
        return {
            "verdict": verdict,
            "facts": facts,
            "kinds": kinds_view(outcomes, benefit),
            "lengths": lengths_view(lengths),
            "positions": positions_panel(positions),
        }

    return among.once(("look", config.model_dump_json()), made)


def verdict_of(outcomes: Sequence[Outcome], found: Benefit | None) -> tuple[str, list[tuple[str, str]]]:
    """Helps or not, by how much, and which term loses; with the numbers behind it."""
    from respec_core.lab.outcome import summed, verdict

    whole = summed([one.tally for one in outcomes])
    facts = [
        ("tokens", str(whole.total.tokens)),
        ("target passes", str(whole.total.passes)),
        ("tokens per pass", f"{whole.total.mat:.2f}"),
    ]
    if found is None:
        return verdict(found), facts
    even, best = found.break_even, found.best
    facts += [
        ("cost of a pass", f"{found.cost:.2f} one-token forwards"),
        ("drafting share", f"{found.drafting / found.cost:.0%}"),
        ("nodes per pass", f"{found.nodes:.1f}"),
        ("break-even size", "none pays" if even is None else f"{even} nodes"),
        ("best size", f"{best.nodes} nodes" if best else "not known"),
    ]
    if whole.ratio:
        facts.append(("× plain, predicted", f"{found.ratio:.2f} ({whole.ratio[0]:.2f} to {whole.ratio[1]:.2f})"))
    return verdict(found), facts


KIND_COLUMNS: list[Column] = [
    {"key": "kind", "label": "kind"},
    {"key": "texts", "label": "texts", "numeric": True},
    {"key": "tokens", "label": "tokens", "numeric": True},
    {"key": "passes", "label": "passes", "numeric": True},
    {"key": "mat", "label": "tokens per pass", "numeric": True},
    {"key": "mat_range", "label": "95 %"},
    {"key": "ratio", "label": "× plain, predicted", "numeric": True},
    {"key": "ratio_range", "label": "95 %"},
    {"key": "says", "label": "verdict"},
]


def kinds_view(outcomes: Sequence[Outcome], whole: Benefit | None) -> GeneralView:
    """Every kind, and all together."""
    from respec_core.lab.outcome import kinds, predicted, summed

    groups = {**kinds(outcomes), "all": [*outcomes]}
    found = {name: summed([one.tally for one in own]) for name, own in groups.items()}
    names = [*found]
    figures = {
        "tokens per pass": dots(
            names,
            [one.total.mat for one in found.values()],
            [one.mat for one in found.values()],
            "tokens per target pass",
            1.0,
        )
    }
    ratios = [one.total.ratio for one in found.values()]
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) == len(ratios):
        figures["× plain, predicted"] = dots(
            names, known, [one.ratio for one in found.values()], "× plain, predicted", 1.0
        )
    rows: list[TableRow] = []
    for name, one in found.items():
        says = whole if name == "all" else predicted(groups[name])
        rows.append(
            {
                "kind": name,
                "texts": one.texts,
                "tokens": one.total.tokens,
                "passes": one.total.passes,
                "mat": one.total.mat,
                "mat_range": _range(one.mat),
                "ratio": one.total.ratio,
                "ratio_range": _range(one.ratio),
                "says": says.sentence(timed=True) if says else "nothing drafted",
            }
        )
    sentence = "Dots with the 95 % that other prompts of the kind might move them by (bootstrap over prompts); dotted: plain decoding."
    return {"sentence": sentence, "figures": figures, "table": {"columns": KIND_COLUMNS, "rows": rows}}


def _range(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"


def by_position(rounds: Sequence[PlayedRound]) -> list[PositionAcceptance]:
    """As of a trace (see ``respec_core/trace/positions.py``)."""
    return [*counted((round.deepest, round.accepted, round.goes_on) for round in rounds)]


POSITION_COLUMNS: list[Column] = [
    {"key": "depth", "label": "depth", "numeric": True},
    {"key": "drafted", "label": "drafted", "numeric": True},
    {"key": "judged", "label": "judged", "numeric": True},
    {"key": "accepted", "label": "accepted", "numeric": True},
    {"key": "conditional", "label": "conditional", "numeric": True},
    {"key": "unconditional", "label": "unconditional", "numeric": True},
]


def positions_panel(positions: Sequence[PositionAcceptance]) -> GeneralView:
    """Bars: conditional; diamonds: unconditional."""
    shown = positions[:MAX_DEPTHS]
    if not shown:
        return {"sentence": "Nothing was drafted."}
    counts = sum(one.accepted for one in shown), sum(one.judged for one in shown)
    sentence = f"Bars: accepted of those judged, all above accepted ({counts[0]} of {counts[1]}); diamonds: of all drafted so deep."
    table = {"columns": POSITION_COLUMNS, "rows": [one.model_dump() for one in shown]}
    return {"sentence": sentence, "figures": {"by depth": depth_figure(shown)}, "table": table}  # type: ignore[typeddict-item]


def lengths_view(lengths: Sequence[tuple[int, int]]) -> GeneralView:
    """Rounds by how deep the draft was and how much of it was accepted; rounds without a draft apart."""
    counts = Counter(lengths)
    abstained = sum(n for (drafted, _), n in counts.items() if not drafted)
    rounds = len(lengths) - abstained
    if not rounds:
        return {"sentence": f"Nothing was drafted in {abstained} rounds."}
    cells = Counter[tuple[int, int]]()
    for (drafted, accepted), n in counts.items():
        if drafted:
            cells[_bin(drafted), _bin(accepted)] += n
    across = [*range(min(d for d, _ in cells), max(d for d, _ in cells) + 1)]
    up = [*range(max(a for _, a in cells) + 1)]
    z = [[cells.get((d, a)) for d in across] for a in up]
    texts = [[str(n or "") for n in row] for row in z]
    notes = [
        [f"{n or 0} rounds: {BINS[a]} of {BINS[d]} accepted" for d, n in zip(across, row, strict=True)]
        for a, row in zip(up, z, strict=True)
    ]
    figure = grid(
        z, [BINS[d] for d in across], [BINS[a] for a in up], ("drafted length", "accepted length"), texts, notes
    )
    mean = sum(a * n for (d, a), n in counts.items() if d) / rounds
    sentence = (
        f"{rounds} rounds drafted; {mean:.2f} tokens accepted on average, {mean + 1:.2f} with the target's own. "
        f"{abstained} of {len(lengths)} rounds drafted nothing."
    )
    rows = [{"drafted": d, "accepted": a, "rounds": n} for (d, a), n in sorted(counts.items())]
    return {"sentence": sentence, "figures": {"rounds": figure}, "table": {"columns": LENGTH_COLUMNS, "rows": rows}}


def _bin(length: int) -> int:
    """Where it stands among :data:`STARTS`."""
    return bisect_right(STARTS, length) - 1


STARTS = (*range(9), 9, 13, 17, 25, 33, 49, 65)  # short lengths by themselves, long ones together
BINS = [str(start) if end == start + 1 else f"{start}–{end - 1}" for start, end in pairwise(STARTS)] + [
    f"{STARTS[-1]}+"
]
LENGTH_COLUMNS: list[Column] = [
    {"key": "drafted", "label": "drafted length", "numeric": True},
    {"key": "accepted", "label": "accepted length", "numeric": True},
    {"key": "rounds", "label": "rounds", "numeric": True},
]
