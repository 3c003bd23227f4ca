"""What each rule of verification takes of the round's chain: the target's decisions before, what passes after."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.drawing import Axis, Figure, Trace
from app.panels.labels import count, inert, short, visible
from app.panels.panel import Column, GeneralView, RoundPanel, Table, TableRow
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.chains import Chain, Judged, Opinion, chain_of
from respec_core.trace.rates import MISSING, percent
from respec_core.trace.round import Step
from respec_core.trace.rule_estimate import Taken, fly_gate, taken
from respec_core.trace.schema import Token

RULES = {
    "strict": VerifySettings(),
    "relaxed": VerifySettings(rule="relaxed"),
    "FLy": VerifySettings(rule="fly"),
}
FLY = RULES["FLy"]
MOST = 64  # tokens that are drawn
COLUMN = 62  # pixels
ABOVE = ("the target says", "FLy's gate, nats")  # of the rules
OWN = "this run"
AGREES, MISS, PASSED, NOT_REACHED = "✓", "✗", "≈", "·"
COLORS = {
    AGREES: "var:accepted",
    MISS: "var:rejected",
    PASSED: "var:surface",
    NOT_REACHED: "var:surface",
}
INKS = {PASSED: "var:relaxed", NOT_REACHED: "var:muted"}


def strip_view(step: Step, tokens: Sequence[Token], room: int) -> GeneralView | None:
    """The strips of the round's chain; None where it drafted none, where its decisions were not recorded, or all agree."""
    chain = chain_of(step, tokens)
    if chain is None or all(chain.strip.agrees):
        return None
    found = {name: taken(chain, verify) for name, verify in RULES.items()}
    said = _sentence(chain, found)
    if step.commit.n_relaxed:
        n = step.commit.n_accepted
        found[OWN] = Taken(n, tuple(i for i in range(n) if not chain.strip.agrees[i]), True)
    drawn = chain.judged[: min(MOST, room)]
    table: Table = {
        "columns": [
            {"key": "place", "label": "#", "numeric": True},
            {"key": "draft", "label": "draft", "mono": True},
            {"key": "wanted", "label": "target wants", "mono": True},
            {"key": "p", "label": "p of the draft", "numeric": True},
            {"key": "rank", "label": "rank", "numeric": True},
            {"key": "entropy", "label": "entropy", "numeric": True},
            {"key": "gate", "label": "FLy's gate", "numeric": True},
            *[Column(key=name, label=name) for name in found],
        ],
        "rows": [_row(i, one, found) for i, one in enumerate(chain.judged)],
    }
    return {"sentence": said, "figures": {"mask strip": _figure(drawn, found) | {"alt": said}}, "table": table}


def _sentence(chain: Chain, found: dict[str, Taken]) -> str:
    n = len(chain.judged)
    parts = [
        f"{name} {one.length}{f' ({len(one.passed)} not the target’s own)' * bool(one.passed)}"
        for name, one in found.items()
    ]
    said = f"Of {count(n, 'drafted token')} with a known decision, each rule by its default settings takes: {', '.join(parts)}."
    if not any(one.passed for one in found.values()):
        said += " Neither lossy rule would have changed this round."
    if not chain.whole:
        said += " Decisions were looked at up to the third mismatch, or to an end of text."
    return said


def _mark(i: int, one: Judged, found: Taken) -> str:
    if i > found.length:
        return NOT_REACHED
    if i == found.length:
        return MISS
    return PASSED if one.miss is not None else AGREES


def _row(i: int, one: Judged, found: dict[str, Taken]) -> TableRow:
    miss = one.miss
    return {
        "place": i + 1,
        "node": one.node.id,
        "draft": visible(one.node.text),
        "wanted": AGREES if miss is None else _wanted(miss),
        "p": MISSING if miss is None else _share(miss),
        "rank": MISSING if miss is None else _rank(miss),
        "entropy": MISSING if miss is None or miss.entropy is None else f"{miss.entropy:.2f}",
        "gate": MISSING if miss is None else f"{fly_gate(one, FLY):.2f}",
        **{name: _mark(i, one, taken) for name, taken in found.items()},
    }


def _wanted(miss: Opinion) -> str:
    return "another" if miss.text is None else visible(miss.text)


def _share(miss: Opinion) -> str:
    return f"≤ {percent(miss.best[-1])}" if miss.p is None else percent(miss.p)


def _rank(miss: Opinion) -> int | str:
    return f"> {len(miss.best)}" if miss.rank is None else miss.rank


def _figure(judged: Sequence[Judged], found: dict[str, Taken]) -> Figure:
    """One line of cells for the mask as it is and for every rule; between them the gate of each mismatch."""
    cells = [(i, 0, AGREES if one.miss is None else MISS, one) for i, one in enumerate(judged)]
    cells += [
        (i, at, _mark(i, one, taken), one)
        for at, taken in enumerate(found.values(), len(ABOVE))
        for i, one in enumerate(judged)
    ]
    lines = (*ABOVE, *found)
    gates = [(i, fly_gate(one, FLY)) for i, one in enumerate(judged) if one.miss is not None]
    return {
        "data": [_cells(cells, judged), _gates(gates)],
        "layout": {
            "height": 34 * len(lines) + 76,
            "margin": {"l": 118, "r": 12, "t": 8, "b": 54},
            "xaxis": _fixed_axis(
                "the drafted chain",
                [inert(short(one.node.text)) for one in judged],
                (-0.6, len(judged) - 0.4),
            ),
            "yaxis": _fixed_axis("", lines, (len(lines) - 0.5, -0.5)),
            "showlegend": False,
            "dragmode": False,
        },
        "min_width": COLUMN * len(judged) + 130,
    }


def _fixed_axis(title: str, texts: Sequence[str], span: tuple[float, float]) -> Axis:
    """An axis that stays put, with a text at each whole number."""
    return {
        "title": {"text": title},
        "tickvals": list(range(len(texts))),
        "ticktext": list(texts),
        "range": list(span),
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _cells(cells: Sequence[tuple[int, int, str, Judged]], judged: Sequence[Judged]) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x for x, *_ in cells],
        "y": [y for _, y, *_ in cells],
        "text": [mark for *_, mark, _ in cells],
        "textfont": {
            "size": 13,
            "color": [INKS.get(mark, "var:on-accent") for *_, mark, _ in cells],
        },
        "customdata": [{"note": _hover(one), "node": one.node.id} for *_, one in cells],
        "hoverinfo": "none",
        "marker": {
            "symbol": "square",
            "size": 24,
            "color": [COLORS[mark] for *_, mark, _ in cells],
            "opacity": 1,
            "line": {
                "width": [2.5 if mark == PASSED else 1 for *_, mark, _ in cells],
                "color": ["var:relaxed" if mark == PASSED else "var:line-strong" for *_, mark, _ in cells],
            },
        },
    }


def _gates(gates: Sequence[tuple[int, float]]) -> Trace:
    """The entropy of the likeliest three at each mismatch; struck where it is below the threshold."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _ in gates],
        "y": [1] * len(gates),
        "text": [f"{value:.2f}" if value >= FLY.fly_entropy else f"{value:.2f} <" for _, value in gates],
        "textfont": {"size": 12, "color": "var:ink"},
        "hoverinfo": "skip",
    }


def _hover(one: Judged) -> str:
    miss = one.miss
    if miss is None:
        return f"‘{one.node.text}’: the target would write it too."
    wanted = "another" if miss.text is None else f"‘{miss.text}’"
    return (
        f"The draft has ‘{one.node.text}’ ({_share(miss)}, rank {_rank(miss)}), the target wants {wanted} "
        f"({percent(miss.best[0])}); its likeliest {FLY.fly_top_k} have {fly_gate(one, FLY):.2f} nats, FLy asks for "
        f"{FLY.fly_entropy:g}."
    )


PANEL = RoundPanel(id="strip", title="Lossy rules: this round", tab="Rules", view=strip_view)
