"""REST (arXiv 2311.08252): the trie of what followed the longest suffix in a datastore."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from respec_core.engine.drafting import Context, Draft, Drafter
from respec_core.engine.routing import Always, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.hits import HitMaker, with_hits
from respec_core.methods.resources import Models
from respec_core.methods.rest.settings import RESTSettings
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Occurrence

HITS_SHOWN = 8


def build(settings: RESTSettings, models: Models) -> Router:
    """Ask the datastore every round.

    Raises:
        ReSpecError: when there is no datastore.
    """
    return Always(RESTDrafter(settings, models.require(Datastore, "rest")), "retrieval")


class RESTDrafter(Drafter):
    """Has no state: the datastore is read-only."""

    def __init__(self, settings: RESTSettings, datastore: Datastore) -> None:
        self.settings = settings
        self.datastore = datastore
        self.hits = HitMaker(datastore, static_as="datastore")

    def propose(self, context: Context) -> Draft:
        """The ``choices`` most frequent prefixes of all continuations."""
        settings = self.settings
        with context.clock.phase("retrieve"):
            span = self.datastore.longest_suffix(context.ids, settings.max_span, settings.min_span)
            if span is None:
                reason = f"the last {settings.min_span} tokens do not occur in the datastore"
                return Draft(DraftTree.root(context.root), reason=reason)
            positions = self.datastore.positions(span, settings.k)
            rows = self.datastore.continuations_at(positions, min(settings.cont_len, max(context.room, 0)))
            tree = count_trie(context.root, rows, settings.choices)
            shown = self.datastore.continuations_at(positions[:HITS_SHOWN], settings.cont_len)
            hits = tuple(
                self.hits.hit(
                    context,
                    i,
                    Occurrence("static", int(at), span.length, tuple(row[row >= 0].tolist()), span.count),
                    why="the only place" if span.count == 1 else f"one of {span.count} places",
                )
                for i, (at, row) in enumerate(zip(positions[:HITS_SHOWN], shown, strict=True))
            )
            tree = with_hits(tree, [hit.cont_ids for hit in hits])
            places = "1 place shares" if span.count == 1 else f"{span.count} places share"
            return Draft(tree, hits, reason=f"{places} the last {span.length} tokens")


def count_trie(root: int, rows: NDArray[np.int32], choices: int) -> DraftTree:
    """The ``choices`` most frequent prefixes of ``rows`` (int ``[m, length]``, −1 ends a row) as a tree.

    A node's score is its share of the rows. Best-first: a prefix is never more frequent than its parent.
    """
    tokens, parents, scores = [root], [-1], [1.0]
    heap: list[tuple[int, int, int, int, NDArray[np.int64]]] = []
    serial = 0

    def split(parent: int, depth: int, members: NDArray[np.int64]) -> None:
        nonlocal serial
        if depth >= rows.shape[1]:
            return
        column = rows[members, depth]
        for token in np.unique(column[column >= 0]).tolist():
            serial += 1
            inside = members[column == token]
            heapq.heappush(heap, (-len(inside), depth, serial, parent, inside))

    split(0, 0, np.arange(len(rows)))
    while heap and len(tokens) <= choices:
        negative, depth, _, parent, members = heapq.heappop(heap)
        tokens.append(int(rows[members[0], depth]))
        parents.append(parent)
        scores.append(-negative / len(rows))
        split(len(tokens) - 1, depth + 1, members)
    return DraftTree.grown(tokens, parents, "datastore", scores=scores)
