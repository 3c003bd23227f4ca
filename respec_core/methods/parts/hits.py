"""Retrieved continuations as the trace records them, and as branches of a draft tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from respec_core.engine.drafting import Context
from respec_core.engine.tree import DraftTree
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Occurrence
from respec_core.trace.round import Hit

SNIPPET = 12
Corpus = Literal["prompt", "generated", "static", "datastore"]


@dataclass(frozen=True)
class HitMaker:
    """Turns candidates into records; one a drafter."""

    datastore: Datastore | None = None
    static_as: Corpus = "static"

    def hit(self, context: Context, id: int, candidate: Occurrence, **details: object) -> Hit:
        """The record of one occurrence. ``details`` are further fields of :class:`~respec_core.trace.round.Hit`."""
        end, length = candidate.position, candidate.match_len
        if candidate.source == "dynamic":
            matched = tuple(context.ids[end - min(length, SNIPPET) : end])
            corpus: Corpus = "prompt" if end <= context.prompt_len else "generated"
            doc = None
        else:
            assert self.datastore is not None
            matched = self.datastore.snippet(end, before=min(length, SNIPPET), after=0).before
            corpus = self.static_as
            where = self.datastore.cite(end)
            doc = f"{where.doc}, character {where.char}"
        return _record(context, id, candidate, matched, {"corpus": corpus, "doc": doc, "end_pos": end} | details)

    def remembered(
        self, context: Context, id: int, candidate: Occurrence, matched: tuple[int, ...], end: int, doc: str
    ) -> Hit:
        """Of a place in earlier answers: ``end`` counts through all of them, ``matched`` stands before it."""
        where = {"corpus": "tool_memory", "doc": doc, "end_pos": end}
        return _record(context, id, candidate, matched[-SNIPPET:], where)


def _record(
    context: Context, id: int, candidate: Occurrence, matched: tuple[int, ...], details: Mapping[str, object]
) -> Hit:
    values: dict[str, Any] = {"why": f"match of {candidate.match_len} tokens", "count": candidate.count, **details}
    return Hit.trusted(
        id=id,
        match_len=candidate.match_len,
        snippet=context.pieces.text(matched) if context.told else "",
        continuation=context.pieces.text(candidate.continuation) if context.told else "",
        snippet_ids=matched,
        cont_ids=candidate.continuation,
        **values,
    )


def with_hits(tree: DraftTree, continuations: Sequence[Sequence[int]]) -> DraftTree:
    """``tree`` with hit i noted on every node that the i-th continuation leads through."""
    hits: list[tuple[int, ...]] = [()] * len(tree)
    for i, continuation in enumerate(continuations):
        for node in tree.along(continuation):
            hits[node] = (*hits[node], i)
    return replace(tree, hits=tuple(hits))
