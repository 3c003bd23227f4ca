"""Copies over a whole run, by lineage: how the score of each moved, where one was resumed, and what that brought."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.panels.drawing import Figure, Layout, MarkNote, Trace
from app.panels.labels import count, short
from app.panels.panel import GeneralView, RunPanel, TableRow
from respec_core.trace.round import Hit
from respec_core.trace.schema import Run

MOST_DRAWN, MOST_ROWS = 6, 12
STROKES = [
    (colour, dash) for dash in ("solid", "dot") for colour in ("var:accent", "var:phase-retrieve", "var:correction")
]
QUOTED = 28  # characters of what a lineage read last


class Key(NamedTuple):
    """Copies that read equally far back in one text share a score; those without a match of two tokens have their own."""

    own_text: bool
    back: int
    matched: bool


@dataclass(frozen=True)
class Tried:
    """A copy that was verified in a round, counted from 1."""

    round: int
    hit: Hit


@dataclass(frozen=True)
class Lineage:
    """All verified copies of one lineage, in order."""

    key: Key
    tried: Sequence[Tried]

    @property
    def accepted(self) -> int:
        """Tokens it brought."""
        return sum(one.hit.accepted for one in self.tried)

    @property
    def resumes(self) -> Sequence[Tried]:
        """Those that were offered again after a deviation."""
        return [one for one in self.tried if one.hit.resumed]

    @property
    def name(self) -> str:
        """How far back, and where."""
        where = "back" if self.key.own_text else "from the corpus"
        return f"{self.key.back} {where}{'' if self.key.matched else ', unmatched'}"


def lineages(run: Run) -> list[Lineage]:
    """Those that brought most first."""
    found: dict[Key, list[Tried]] = defaultdict(list)
    for step in run.steps:
        for hit in step.retrieval:
            if hit.proposed and hit.lineage is not None:
                own = hit.corpus in ("prompt", "generated")
                found[Key(own, hit.lineage, hit.match_len > 1)].append(Tried(step.i + 1, hit))
    every = [Lineage(key, tried) for key, tried in found.items()]
    return sorted(every, key=lambda one: (-one.accepted, -len(one.tried), one.key))


def lineages_view(run: Run) -> GeneralView | None:
    """Score histories, resumes, and a row a lineage; None where no copy was scored by lineage."""
    every = lineages(run)
    if not every:
        return None
    moves = run.settings.params.get("feedback", True)
    sentence = _sentence(every, moves=bool(moves))
    return {
        "sentence": sentence,
        "figures": {"Score by round": _figure(every[:MOST_DRAWN], sentence)},
        "table": {
            "columns": [
                {"key": "name", "label": "reads"},
                {"key": "rounds", "label": "rounds", "numeric": True},
                {"key": "accepted", "label": "accepted", "numeric": True},
                {"key": "resumes", "label": "resumes", "numeric": True},
                {"key": "brought", "label": "by resumes", "numeric": True},
                {"key": "score", "label": "score"},
                {"key": "last", "label": "last copied"},
            ],
            "rows": [_row(one) for one in every[:MOST_ROWS]],
        },
    }


def _sentence(every: Sequence[Lineage], *, moves: bool) -> str:
    resumes = [one for lineage in every for one in lineage.resumes]
    brought = sum(one.hit.accepted for one in resumes)
    said = f"{count(len(every), 'lineage')} of copies brought {count(sum(one.accepted for one in every), 'token')}"
    if resumes:
        said += f"; {count(len(resumes), 'resume')} of copies that had deviated brought {brought} of these"
    how = "Scores move with what was accepted." if moves else "Feedback is off: every score stays where it began."
    return f"{said}. {how}"


def _row(lineage: Lineage) -> TableRow:
    first, last = lineage.tried[0].hit, lineage.tried[-1].hit
    end = last.score_before if last.score_after is None else last.score_after
    return {
        "name": lineage.name,
        "round": lineage.tried[-1].round,
        "rounds": len(lineage.tried),
        "accepted": lineage.accepted,
        "resumes": len(lineage.resumes),
        "brought": sum(one.hit.accepted for one in lineage.resumes),
        "score": f"{first.score_before or 0:.2f} → {end or 0:.2f}",
        "last": short(last.continuation, QUOTED),
    }


def _figure(drawn: Sequence[Lineage], alt: str) -> Figure:
    data: list[Trace] = [_line(one, *stroke) for one, stroke in zip(drawn, STROKES, strict=False)]
    resumed = [(one, lineage) for lineage in drawn for one in lineage.resumes]
    if resumed:
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "resumed",
                "x": [one.round for one, _ in resumed],
                "y": [_after(one.hit) for one, _ in resumed],
                "customdata": [{"note": _told(one, lineage), "round": one.round} for one, lineage in resumed],
                "hoverinfo": "none",
                "marker": {
                    "symbol": "diamond",
                    "size": 10,
                    "color": ["var:accepted" if one.hit.accepted else "var:rejected-ink" for one, _ in resumed],
                },
            }
        )
    layout: Layout = {
        "height": 240,
        "margin": {"l": 44, "r": 16, "t": 8, "b": 36},
        "yaxis": {"title": {"text": "score"}, "range": [-0.03, 1.03], "fixedrange": True},
        "xaxis": {"title": {"text": "round"}, "fixedrange": True},
        "showlegend": True,
        "legend": {"orientation": "h", "y": -0.3},
    }
    return {"data": data, "layout": layout, "alt": alt}


def _line(lineage: Lineage, colour: str, dash: str) -> Trace:
    first = lineage.tried[0]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": lineage.name,
        "x": [first.round, *(one.round for one in lineage.tried)],
        "y": [first.hit.score_before, *(_after(one.hit) for one in lineage.tried)],
        "customdata": [
            "first score",
            *(MarkNote(note=_told(one, lineage), round=one.round) for one in lineage.tried),
        ],
        "hoverinfo": "none",
        "line": {"color": colour, "dash": dash, "width": 1.5},
        "marker": {"size": 5, "color": colour},
    }


def _after(hit: Hit) -> float | None:
    return hit.score_before if hit.score_after is None else hit.score_after


def _told(one: Tried, lineage: Lineage) -> str:
    how = "resumed" if one.hit.resumed else f"match of {one.hit.match_len}"
    return f"round {one.round}, {lineage.name}: {how}, {one.hit.accepted} of {one.hit.proposed} accepted"


PANEL = RunPanel(id="lineages", title="Copies by lineage", tab="Lineages", view=lineages_view, live=True)
