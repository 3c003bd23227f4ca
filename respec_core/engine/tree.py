"""The draft tree: what a drafter proposes and one target forward verifies.

Node 0 is the root, the last committed token; every other node's parent has a smaller index. Positions come from
depth, not from index. A node may come from several sources (a model and a retrieval that agree).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import ge

import numpy as np


@dataclass(frozen=True)
class DraftTree:
    """A rooted token tree in flat arrays.

    Attributes:
        tokens: token id of each node, ``tokens[0]`` the root.
        parents: parent index of each node, -1 for the root.
        sources: where each node comes from; empty for the root.
        draft_p: the drafter's probability of a node given its parent, None where the drafter has none.
        scores: path score by which trees are cut to a budget (higher is better); the root has 1.
        hits: ids of the retrieval hits a node was copied from.
    """

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    sources: tuple[frozenset[str], ...]
    draft_p: tuple[float | None, ...]
    scores: tuple[float, ...]
    hits: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if not (
            0 < n == len(self.parents) == len(self.sources) == len(self.draft_p) == len(self.scores) == len(self.hits)
        ):
            raise ValueError("a draft tree needs a root and arrays of one length")
        below = self.parents[1:]
        if self.parents[0] != -1 or min(below, default=0) < 0 or any(map(ge, below, range(1, n))):
            raise ValueError("node 0 must be the root and every parent must precede its child")

    @staticmethod
    @lru_cache(maxsize=4096)
    def root(token: int) -> DraftTree:
        """A tree of nothing but the last committed token: plain decoding."""
        return DraftTree((token,), (-1,), (frozenset(),), (None,), (1.0,), ((),))

    @classmethod
    def chain(
        cls,
        root: int,
        tokens: Sequence[int],
        source: str,
        *,
        draft_p: Sequence[float | None] | None = None,
        scores: Sequence[float] | None = None,
        hits: tuple[int, ...] = (),
    ) -> DraftTree:
        """``root`` followed by ``tokens`` one below the other. Scores fall with depth unless given."""
        n = len(tokens)
        return cls(
            (root, *tokens),
            tuple(range(-1, n)),
            (frozenset(), *(frozenset([source]),) * n),
            (None, *(draft_p or (None,) * n)),
            (1.0, *(scores or tuple(1.0 / (i + 2) for i in range(n)))),
            ((), *(hits,) * n),
        )

    @classmethod
    def grown(
        cls,
        tokens: Sequence[int],
        parents: Sequence[int],
        source: str,
        *,
        draft_p: Sequence[float | None] | None = None,
        scores: Sequence[float],
    ) -> DraftTree:
        """A tree of one source, the root first in every sequence; the root has no source and no ``draft_p``."""
        below = len(tokens) - 1
        return cls(
            tuple(tokens),
            tuple(parents),
            (frozenset(), *(frozenset([source]),) * below),
            (None, *(draft_p[1:] if draft_p else (None,) * below)),
            tuple(scores),
            ((),) * len(tokens),
        )

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Distance of each node from the root."""
        depths = [0]
        for parent in self.parents[1:]:
            depths.append(depths[parent] + 1)
        return tuple(depths)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Child indices of each node, in index order (the order of drafting)."""
        kids: list[list[int]] = [[] for _ in self.tokens]
        for i, parent in enumerate(self.parents[1:], 1):
            kids[parent].append(i)
        return tuple(tuple(k) for k in kids)

    def child(self, node: int, token: int) -> int | None:
        """The child of ``node`` that carries ``token``, else None."""
        return next((c for c in self.children[node] if self.tokens[c] == token), None)

    def along(self, tokens: Iterable[int]) -> tuple[int, ...]:
        """Nodes down from the root for as long as the tree goes on like ``tokens``."""
        path: list[int] = []
        node, wanted = 0, iter(tokens)
        token = next(wanted, None)
        for i, (parent, carried) in enumerate(zip(self.parents, self.tokens, strict=True)):  # children follow parents
            if carried == token and parent == node:
                path.append(i)
                node, token = i, next(wanted, None)
        return tuple(path)

    def path(self, node: int) -> tuple[int, ...]:
        """Nodes from below the root down to ``node``, both ends included (empty for the root)."""
        path = []
        while node > 0:
            path.append(node)
            node = self.parents[node]
        return tuple(reversed(path))

    def chain_below(self, node: int) -> tuple[int, ...]:
        """The one path from below ``node`` to a leaf; empty where the tree branches there, or ends."""
        chain = []
        while kids := self.children[node]:
            if len(kids) > 1:
                return ()
            (node,) = kids
            chain.append(node)
        return tuple(chain)

    def supplied(self, path: Iterable[int], source: str) -> int:
        """How many nodes of a path come from a source, alone or with others."""
        return sum(source in self.sources[node] for node in path)

    def leaves(self) -> Iterator[int]:
        """Nodes without children."""
        inner = {*self.parents}
        return (i for i in range(len(self)) if i not in inner)

    def ancestor_mask(self) -> np.ndarray:
        """bool [n, n]: row i may look at column j, its ancestors and itself."""
        mask = np.eye(len(self), dtype=bool)
        for i, parent in enumerate(self.parents[1:], 1):
            mask[i] |= mask[parent]
        return mask

    def keep(self, nodes: Iterable[int]) -> DraftTree:
        """The subtree of ``nodes`` and all their ancestors, renumbered in order."""
        wanted = {0}
        for node in nodes:
            while node not in wanted:
                wanted.add(node)
                node = self.parents[node]
        order = sorted(wanted)
        if len(order) == len(self):
            return self
        new = {old: i for i, old in enumerate(order)}
        pick = [*order[1:]]
        return DraftTree(
            tuple(self.tokens[i] for i in order),
            (-1, *(new[self.parents[i]] for i in pick)),
            tuple(self.sources[i] for i in order),
            tuple(self.draft_p[i] for i in order),
            tuple(self.scores[i] for i in order),
            tuple(self.hits[i] for i in order),
        )

    def prune(self, budget: int) -> DraftTree:
        """The best ``budget`` nodes below the root by score, ties to the shallower; always one connected tree."""
        return self if budget >= len(self) - 1 else self.keep(self.best(budget))

    def best(self, budget: int) -> list[int]:
        """Up to ``budget`` nodes by score that form a connected tree with the root, best first.

        A node counts with the lowest score on its path, so that no child outlives its parent: every prefix of the
        answer is a connected tree too.
        """
        return self._ranked[:budget]

    @cached_property
    def _ranked(self) -> list[int]:
        """All nodes below the root, best first."""
        bound = list(self.scores)
        for i, parent in enumerate(self.parents[1:], 1):
            if bound[parent] < bound[i]:
                bound[i] = bound[parent]
        nodes = sorted(range(1, len(self)), key=self.depths.__getitem__)
        nodes.sort(key=bound.__getitem__, reverse=True)  # equal ones stay as they are
        return nodes

    def within(self, vocab_size: int) -> DraftTree:
        """Without token ids from ``vocab_size`` on and what hangs below them."""
        if max(self.tokens) < vocab_size:
            return self
        good = [True]
        for parent, token in zip(self.parents[1:], self.tokens[1:], strict=True):
            good.append(good[parent] and token < vocab_size)
        return self.keep(i for i, ok in enumerate(good) if ok)

    def limit_depth(self, depth: int) -> DraftTree:
        """Without the nodes deeper than ``depth``."""
        if depth >= max(self.depths):
            return self
        return self.keep(i for i, d in enumerate(self.depths) if d <= depth)

    def merge(self, *others: DraftTree) -> DraftTree:
        """All trees in one: paths shared from the root are one path carrying all sources (arXiv 2503.03434 §3.2).

        Where several know a node, its score is the highest and the first drafter's probability is kept.

        Raises:
            ValueError: if the roots differ.
        """
        if any(other.tokens[0] != self.tokens[0] for other in others):
            raise ValueError("only trees with the same root can be merged")
        if not others:
            return self
        tokens, parents = list(self.tokens), list(self.parents)
        sources, draft_p, scores, hits = list(self.sources), list(self.draft_p), list(self.scores), list(self.hits)
        index = {key: i for i, key in enumerate(zip(parents, tokens, strict=True))}
        for other in others:
            place = [0] * len(other)
            for i in range(1, len(other)):
                key = (place[other.parents[i]], other.tokens[i])
                node = index.get(key)
                if node is None:
                    node = index[key] = len(tokens)
                    parents.append(key[0])
                    tokens.append(key[1])
                    sources.append(other.sources[i])
                    draft_p.append(other.draft_p[i])
                    scores.append(other.scores[i])
                    hits.append(other.hits[i])
                else:
                    sources[node] |= other.sources[i]
                    draft_p[node] = other.draft_p[i] if draft_p[node] is None else draft_p[node]
                    scores[node] = max(scores[node], other.scores[i])
                    hits[node] = tuple(dict.fromkeys((*hits[node], *other.hits[i])))
                place[i] = node
        return DraftTree(tuple(tokens), tuple(parents), tuple(sources), tuple(draft_p), tuple(scores), tuple(hits))

    def places_of(self, other: DraftTree) -> list[int | None]:
        """For every node of ``other``, the node here that ends the same path, or None."""
        index = {(p, t): i for i, (p, t) in enumerate(zip(self.parents, self.tokens, strict=True)) if i}
        places: list[int | None] = [0 if other.tokens[0] == self.tokens[0] else None]
        for parent, token in zip(other.parents[1:], other.tokens[1:], strict=True):
            above = places[parent]
            places.append(None if above is None else index.get((above, token)))
        return places

    def with_scores(self, scores: Sequence[float]) -> DraftTree:
        """The same tree ranked by other scores."""
        return replace(self, scores=tuple(scores))
