"""What retrieval offered in a round: where it stood in the text, and what came of every candidate."""

from __future__ import annotations

from typing import TypedDict

from app.panels.labels import count
from app.panels.room import WHOLE
from respec_core.trace.round import Hit, Step

CORPUS = {
    "prompt": "prompt",
    "generated": "output",
    "static": "corpus",
    "datastore": "datastore",
    "tool_memory": "tool memory",
    "logits": "logits",
}
STATUS = {
    "kept": "kept",
    "score_filtered": "score too low",
    "cap_filtered": "beyond the cap",
    "drafter_pruned": "pruned by the drafter",
    "budget_pruned": "over budget",
}
MAX_ROWS = 24
MAX_QUOTED = 400  # characters of a snippet, a continuation, a reason
IN_CONTEXT = frozenset({"prompt", "generated"})


class Span(TypedDict):
    """Where a copied draft came from: half-open positions in prompt + output.

    ``suffix`` is the end of the text so far, ``matched`` its earlier occurrence, ``copied`` what followed there, of
    which the first ``accepted`` tokens were committed.
    """

    hit: int
    suffix: tuple[int, int]
    matched: tuple[int, int]
    copied: tuple[int, int]
    accepted: int


class CandidateRow(TypedDict):
    """A candidate and what came of it."""

    id: int
    source: str
    position: int
    match: int
    count: int | None
    reads: str
    score: str
    proposed: int
    accepted: int
    rank: str
    kept: bool
    status: str
    why: str
    snippet: str
    continuation: str


class RetrievalView(TypedDict):
    """Spans to highlight and one row a candidate; ``more`` candidates have no row; ``note`` is about resumed copies."""

    note: str
    rows: list[CandidateRow]
    more: int
    spans: list[Span]


def retrieval_view(step: Step, room: int = WHOLE) -> RetrievalView | None:
    """What was found; None for rounds that retrieved nothing."""
    if not step.retrieval:
        return None
    best = sorted(step.retrieval, key=_order)[: min(MAX_ROWS, room)]
    told = {hit.id for hit in best}
    return {
        "note": _note(step),
        "rows": [_row(hit) for hit in step.retrieval if hit.id in told],
        "more": len(step.retrieval) - len(best),
        "spans": [_span(hit, step.ctx_len) for hit in best if hit.corpus in IN_CONTEXT],
    }


def _order(hit: Hit) -> tuple[int, int, int]:
    """The most accepted first."""
    return -hit.accepted, -hit.proposed, hit.id


def _span(hit: Hit, ctx_len: int) -> Span:
    return {
        "hit": hit.id,
        "suffix": (ctx_len - hit.match_len, ctx_len),
        "matched": (hit.end_pos - hit.match_len, hit.end_pos),
        "copied": (hit.end_pos, hit.end_pos + max(hit.proposed, hit.accepted)),
        "accepted": hit.accepted,
    }


def _row(hit: Hit) -> CandidateRow:
    return {
        "id": hit.id,
        "source": f"{CORPUS[hit.corpus]}{f' · {hit.doc}' if hit.doc else ''}",
        "position": hit.end_pos,
        "match": hit.match_len,
        "count": hit.count,
        "reads": _reads(hit),
        "score": _score(hit),
        "proposed": hit.proposed,
        "accepted": hit.accepted,
        "rank": _rank(hit),
        "kept": hit.status == "kept",
        "status": STATUS[hit.status],
        "why": hit.why[:MAX_QUOTED],
        "snippet": hit.snippet[-MAX_QUOTED:],
        "continuation": hit.continuation[:MAX_QUOTED],
    }


def _note(step: Step) -> str:
    """What resumed copies brought, and whether scores move at all."""
    tried = [hit for hit in step.retrieval if hit.proposed]
    resumed = [hit for hit in tried if hit.resumed]
    said = [
        f"A copy that had deviated was resumed {hit.lineage} tokens back: {count(hit.accepted, 'token')} accepted."
        for hit in resumed
    ]
    if any(hit.score_before is not None and hit.score_after is None for hit in tried):
        said.append("Feedback is off: scores do not move.")
    return " ".join(said)


def _rank(hit: Hit) -> str:
    """Of the first token in the model drafter's own guess, where that was asked."""
    if hit.first_rank is not None:
        return str(hit.first_rank)
    return "not sayable" if hit.status == "drafter_pruned" else ""


def _reads(hit: Hit) -> str:
    """How far back, where that is what a score belongs to."""
    if hit.lineage is None:
        return ""
    return f"{'↻ ' if hit.resumed else ''}{hit.lineage} back"


def _score(hit: Hit) -> str:
    if hit.score_before is None:
        return ""
    after = "" if hit.score_after is None else f" → {hit.score_after:.2f}"
    return f"{hit.score_before:.2f}{after}"
