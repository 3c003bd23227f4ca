"""Whom a composed method asked in a round and why; of a bandit, what every arm brought so far and how far it may be better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.panels.drawing import Figure, Trace
from app.panels.labels import count
from app.panels.panel import GeneralView, RoundPanel, Table
from respec_core.methods.custom.record import Arm, Composition
from respec_core.trace.round import Step
from respec_core.trace.schema import Run, Token

COLUMNS = (("arm", "arm"), ("count", "rounds"), ("mean", "mean"), ("bound", "bound"), ("chosen", ""))


def round_view(step: Step, tokens: Sequence[Token], room: int) -> GeneralView | None:
    """Who was asked; of a bandit a bar an arm, with its bound."""
    found = step.record(Composition)
    if found is None:
        return None
    view: GeneralView = {"sentence": f"{_asked(found)} {_brought(found, step)}".strip()}
    if found.arms:
        unit = (
            "speed over plain decoding"
            if step.decision.sizing and step.decision.sizing.rule == "auto"
            else "tokens a round"
        )
        if any(arm.count for arm in found.arms):
            view["figures"] = {"Mean reward and upper bound by arm": _figure(found, unit)}
        view["table"] = _table(found)
    return view


def total(run: Run) -> str:
    """How often every arm was chosen, and what its rounds brought."""
    found = [record for step in run.steps if (record := step.record(Composition)) is not None and record.arm]
    rounds = Counter(record.arm for record in found)
    told = (
        f"{arm} {count(n, 'round')}, {sum(r.reward or 0.0 for r in found if r.arm == arm) / n:.2f} each"
        for arm, n in rounds.most_common()
    )
    return f"Whole run: {'; '.join(told)}." if found else ""


def _asked(found: Composition) -> str:
    told = [f"{one.drafter} had {count(one.nodes, 'node') if one.nodes else 'nothing'}" for one in found.asked]
    return f"Asked in this order: {', '.join(told)}." if told else "Nobody was asked."


def _brought(found: Composition, step: Step) -> str:
    if found.arm is None:
        return ""
    reward = "" if found.reward is None else f" It brought {found.reward:.2f}."
    chosen = next((arm for arm in found.arms if arm.name == found.arm), None)
    if chosen is None or chosen.bound is None:
        return f"The arm {found.arm} had its first round.{reward}"
    better = max((arm for arm in found.arms if arm.mean is not None), key=lambda arm: arm.mean or 0.0)
    if (better.mean or 0.0) <= (chosen.mean or 0.0):
        return f"The arm {found.arm} was chosen, and no other has a better mean.{reward}"
    return f"The arm {found.arm} was chosen though {better.name} has the better mean: it was tried less.{reward}"


def _figure(found: Composition, unit: str) -> Figure:
    known = [arm for arm in found.arms if arm.mean is not None and arm.bound is not None]
    bars: Trace = {
        "type": "bar",
        "orientation": "h",
        "y": [arm.name for arm in known],
        "x": [arm.mean for arm in known],
        "hoverinfo": "none",
        "customdata": [_told(arm) for arm in known],
        "text": ["◀ chosen" if arm.name == found.arm else "" for arm in known],
        "textposition": "inside",
        "insidetextanchor": "start",
        "insidetextfont": {"color": "var:on-accent", "size": 11},
        "marker": {"color": ["var:accent" if arm.name == found.arm else "var:phase-quiet" for arm in known]},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [(arm.bound or 0.0) - (arm.mean or 0.0) for arm in known],
            "arrayminus": [0.0 for _ in known],
            "color": "var:ink",
            "thickness": 1.5,
            "width": 5,
        },
    }
    return {
        "data": [bars],
        "layout": {
            "height": 70 + 30 * len(known),
            "bargap": 0.35,
            "margin": {"l": 96, "r": 20, "t": 8, "b": 40},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"title": {"text": f"{unit}, with its upper bound"}, "rangemode": "tozero"},
            "yaxis": {"type": "category", "autorange": "reversed"},
        },
        "alt": "; ".join(map(_told, known)),
    }


def _told(arm: Arm) -> str:
    if arm.mean is None or arm.bound is None:
        return f"{arm.name}: no round yet"
    return f"{arm.name}: {count(arm.count, 'round')}, mean {arm.mean:.2f}, bound {arm.bound:.2f}"


def _table(found: Composition) -> Table:
    return {
        "columns": [{"key": key, "label": label, "numeric": key not in ("arm", "chosen")} for key, label in COLUMNS],
        "rows": [
            {
                "arm": arm.name,
                "count": arm.count,
                "mean": "" if arm.mean is None else f"{arm.mean:.2f}",
                "bound": "" if arm.bound is None else f"{arm.bound:.2f}",
                "chosen": "chosen" if arm.name == found.arm else "",
            }
            for arm in found.arms
        ],
    }


PANEL = RoundPanel(id="arms", title="Who was asked", tab="Router", reads=("composition",), view=round_view, total=total)
