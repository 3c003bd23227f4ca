"""RAPID: which pieces of the prompt the drafter reads, and what pulling the target towards it would let pass."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.drawing import DrawnShape, Figure, Trace
from app.panels.labels import count, short
from app.panels.panel import GeneralView, RoundPanel, RunPanel
from respec_core.methods.rapid.pulling import pulled_p
from respec_core.methods.rapid.record import Chunk, PulledRow, Shortening
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Run, Token

ETAS = tuple(range(0, 51, 2))
MOST_BARS = 8  # candidates drawn of a row
MOST_CHUNKS = 40  # rows of the table
LINES = ("var:accent", "var:correction", "var:phase-retrieve", "var:phase-verify", "var:relaxed", "var:muted")


def context_view(run: Run) -> GeneralView | None:
    """The prompt as a bar, the pieces that the drafter reads lit."""
    found = run.steps[0].record(Shortening) if run.steps else None
    if found is None:
        return None
    prompt, kept = len(run.prompt_ids), [chunk for chunk in found.chunks if chunk.kept]
    told = f"The drafter reads {found.read:,} of {count(prompt, 'prompt token')}"
    if not found.chunks:
        return {"sentence": f"{told}: the prompt has nothing beside its beginning and its question to leave out."}
    sentence = f"{told}: {len(kept)} of {count(len(found.chunks), 'piece')}, beside the beginning and the question."
    ranked = sorted(found.chunks, key=lambda chunk: (-chunk.score, chunk.start))[:MOST_CHUNKS]
    columns = (("tokens", "tokens"), ("score", "BM25 score"), ("read", "read"), ("text", "begins with"))
    return {
        "sentence": sentence,
        "figures": {"The prompt, and what the drafter reads of it": _bar(found.chunks, prompt, sentence)},
        "table": {
            "columns": [
                {"key": key, "label": label, "numeric": key == "score", "mono": key == "text"} for key, label in columns
            ],
            "rows": [
                {
                    "tokens": f"{chunk.start}–{chunk.end - 1}",
                    "score": f"{chunk.score:.2f}",
                    "read": "yes" if chunk.kept else "no",
                    "text": short("".join(run.prompt_pieces[chunk.start : chunk.start + 12]), 40),
                }
                for chunk in ranked
            ],
        },
    }


def _bar(chunks: Sequence[Chunk], prompt: int, alt: str) -> Figure:
    ends = [(0, chunks[0].start, True), *((c.start, c.end, c.kept) for c in chunks), (chunks[-1].end, prompt, True)]
    scores = ["the beginning, always read", *(f"BM25 score {c.score:.2f}" for c in chunks), "the question, always read"]
    pieces = [(start, end, lit, why) for (start, end, lit), why in zip(ends, scores, strict=True) if end > start]
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "y": ["prompt" for _ in pieces],
                "base": [start for start, *_ in pieces],
                "x": [end - start for start, end, *_ in pieces],
                "hoverinfo": "none",
                "customdata": [
                    f"tokens {start} to {end - 1}: {'read' if lit else 'left out'}; {why}"
                    for start, end, lit, why in pieces
                ],
                "marker": {
                    "color": ["var:accent" if lit else "var:phase-quiet" for *_, lit, _ in pieces],
                    "line": {"color": "var:surface", "width": 1},
                },
            }
        ],
        "layout": {
            "height": 110,
            "margin": {"l": 12, "r": 12, "t": 8, "b": 40},
            "barmode": "overlay",
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"title": {"text": "token of the prompt"}, "range": [0, prompt]},
            "yaxis": {"visible": False},
        },
        "alt": alt,
    }


def transfer_view(step: Step, tokens: Sequence[Token], room: int) -> GeneralView | None:
    """How likely every judged token passes as η grows; p, q and p̂ of the last one."""
    found = step.record(Shortening)
    if found is None or not found.rows:
        return None
    last = found.rows[-1]
    node = step.trees.final[last.node]
    passed = last.node in step.commit.path_node_ids
    sentence = (
        f"With η = {found.eta:g} the drafter's token “{short(node.text)}” passes with probability {_passes(last.pulled, last.q):.2f} "
        f"(p {last.p:.2f}, q {last.q:.2f}, p̂ {last.pulled:.2f}): it was {'accepted' if passed else 'rejected'}."
    )
    if found.eta:
        sentence += f" Strictly it would pass with {_passes(last.p, last.q):.2f}."
    nodes = step.trees.final
    return {
        "sentence": sentence,
        "figures": {
            "Chance to pass as η grows": _curves(found, nodes, sentence),
            f"p, q and p̂ where “{short(node.text)}” was drafted": _bars(last, found.eta),
        },
    }


def _passes(p: float, q: float) -> float:
    return min(1.0, p / q) if q > 0 else 0.0


def _pulled(row: PulledRow, eta: float) -> float:
    moved = any(one.q <= row.q for one in row.candidates)
    return pulled_p(row.p, row.q, row.candidates, eta, moved=moved)


def _curves(found: Shortening, nodes: Sequence[Node], alt: str) -> Figure:
    known = [row for row in found.rows if row.whole][: len(LINES)]
    lines: list[Trace] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"{i}. {short(nodes[row.node].text)}",
            "x": [*ETAS],
            "y": [_passes(_pulled(row, eta), row.q) for eta in ETAS],
            "hoverinfo": "none",
            "line": {"color": LINES[i - 1], "width": 2},
        }
        for i, row in enumerate(known, 1)
    ]
    now: DrawnShape = {"type": "line", "xref": "x", "yref": "paper", "x0": found.eta, "x1": found.eta, "y0": 0, "y1": 1}
    return {
        "data": lines,
        "layout": {
            "height": 220,
            "margin": {"l": 44, "r": 12, "t": 8, "b": 40},
            "dragmode": False,
            "xaxis": {"title": {"text": "η"}, "range": [0, ETAS[-1]]},
            "yaxis": {"title": {"text": "chance to pass"}, "range": [0, 1.05]},
            "shapes": [{**now, "line": {"color": "var:ink", "width": 1, "dash": "dash"}}],
        },
        "alt": alt,
    }


def _bars(row: PulledRow, eta: float) -> Figure:
    best = sorted(row.candidates, key=lambda one: -max(one.p, one.q))[:MOST_BARS]
    names = [f"{i}. {short(one.text)}" for i, one in enumerate(best, 1)]
    pulled = [pulled_p(one.p, one.q, row.candidates, eta, moved=True) for one in best]
    kinds = (
        ("p, the target", [one.p for one in best], "var:accent"),
        ("q, the drafter", [one.q for one in best], "var:correction"),
        ("p̂, pulled", pulled, "var:phase-quiet"),
    )
    return {
        "data": [
            {"type": "bar", "name": name, "x": names, "y": values, "hoverinfo": "none", "marker": {"color": colour}}
            for name, values, colour in kinds
        ],
        "layout": {
            "height": 220,
            "margin": {"l": 44, "r": 12, "t": 8, "b": 60},
            "barmode": "group",
            "dragmode": False,
            "yaxis": {"title": {"text": "probability"}, "rangemode": "tozero"},
        },
    }


CONTEXT = RunPanel(id="context", title="What the drafter reads", tab="Context", reads=("rapid",), view=context_view)
TRANSFER = RoundPanel(
    id="transfer", title="Pulled towards the drafter", tab="Transfer", reads=("rapid",), view=transfer_view
)
