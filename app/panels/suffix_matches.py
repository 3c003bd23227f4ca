"""SuffixDecoding's choice of a round: what every length of match promises, why a shorter one can win, and what was counted."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.drawing import Figure, Trace
from app.panels.labels import count, inert, short
from app.panels.panel import GeneralView, RoundPanel
from respec_core.methods.suffix.record import SuffixChoice, SuffixMatch
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Token

WHERE = {"dynamic": "here", "static": "store"}
COLOURS = {"dynamic": "var:phase-retrieve", "static": "var:accent"}
MOST_COUNTED = 16  # drafted tokens whose places are drawn
COLUMNS = (
    ("match", "match length"),
    ("where", "found"),
    ("places", "places"),
    ("allowed", "allowed"),
    ("drafted", "drafted"),
    ("score", "score"),
    ("chosen", ""),
)


def round_view(step: Step, tokens: Sequence[Token], room: int) -> GeneralView | None:
    """Scores by match, the chosen one marked; behind it, at how many of its places the text went on to each token."""
    choice = step.record(SuffixChoice)
    if choice is None:
        return None
    if not choice.matches:
        return {"sentence": "The newest token stood nowhere before: nothing to count."}
    figures = {"Score by match length": _figure(choice)}
    drafted = step.trees.final[1:]
    if choice.chosen is not None and drafted:
        figures["Places that went on so, the score's summands"] = _counted(choice.matches[choice.chosen], drafted)
    return {
        "sentence": _sentence(choice),
        "figures": figures,
        "table": {
            "columns": [
                {"key": key, "label": label, "numeric": key not in ("where", "chosen")} for key, label in COLUMNS
            ],
            "rows": [
                {
                    "match": match.match_len,
                    "where": WHERE[match.source],
                    "places": match.places,
                    "allowed": match.allowed,
                    "drafted": match.drafted,
                    "score": f"{match.score:.2f}",
                    "chosen": "chosen" if i == choice.chosen else "",
                }
                for i, match in enumerate(choice.matches)
            ],
        },
    }


def _sentence(choice: SuffixChoice) -> str:
    if choice.chosen is None:
        return "No match is long or steady enough to draft from."
    best, longest = choice.matches[choice.chosen], max(choice.matches, key=lambda match: match.match_len)
    told = (
        f"A draft of {count(best.drafted, 'token')} behind a match of {best.match_len} promises {best.score:.2f} accepted tokens: "
        f"the sum of the shares of {count(best.places, 'place')} that went on so."
    )
    if longest.match_len > best.match_len:
        told += f" The longer match of {longest.match_len} promises {longest.score:.2f}, so the shorter one wins."
    return told


def _figure(choice: SuffixChoice) -> Figure:
    names = [_name(match) for match in choice.matches]
    bars: Trace = {
        "type": "bar",
        "orientation": "h",
        "y": names,
        "x": [match.score for match in choice.matches],
        "hoverinfo": "none",
        "customdata": [
            f"{match.match_len} tokens match in {count(match.places, 'place')}; {match.drafted} of {match.allowed} allowed tokens "
            f"drafted; score {match.score:.2f}"
            for match in choice.matches
        ],
        "text": ["◀ sent" if i == choice.chosen else "" for i in range(len(names))],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": [COLOURS[match.source] for match in choice.matches]},
    }
    return {
        "data": [bars],
        "layout": {
            "height": 60 + 24 * len(names),
            "bargap": 0.3,
            "margin": {"l": 90, "r": 60, "t": 8, "b": 36},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"title": {"text": "tokens expected to be accepted"}, "rangemode": "tozero"},
            "yaxis": {"type": "category", "autorange": "reversed"},
        },
    }


def _counted(match: SuffixMatch, drafted: Sequence[Node]) -> Figure:
    """A drafted token's share of the match's places, as the count that it is a quotient of."""
    shown = drafted[:MOST_COUNTED]
    counts = [round((node.path_score or 0.0) * match.places) for node in shown]
    bars: Trace = {
        "type": "bar",
        "orientation": "h",
        "y": [f"{node.id}. {inert(short(node.text, 12))}" for node in shown],
        "x": counts,
        "hoverinfo": "none",
        "customdata": [
            f"{n} of {count(match.places, 'place')} went on as far as “{inert(short(node.text, 12))}”: {n / match.places:.2f}"
            for node, n in zip(shown, counts, strict=True)
        ],
        "text": [f"{n} of {match.places}" for n in counts],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": COLOURS[match.source]},
    }
    return {
        "data": [bars],
        "layout": {
            "height": 60 + 24 * len(shown),
            "bargap": 0.3,
            "margin": {"l": 110, "r": 70, "t": 8, "b": 36},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"title": {"text": "places"}, "range": [0, match.places], "dtick": max(1, match.places // 4)},
            "yaxis": {"type": "category", "autorange": "reversed"},
        },
    }


def _name(match: SuffixMatch) -> str:
    return f"{match.match_len} {WHERE[match.source]}"


PANEL = RoundPanel(
    id="suffix", title="Matches and what they promise", tab="Matches", reads=("suffix",), view=round_view
)
