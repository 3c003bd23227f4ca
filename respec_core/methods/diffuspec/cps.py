"""Causal-consistency path search over a lattice (DiffuSpec, arXiv 2510.02358 §4.2, Eq. 8). No torch.

A diffusion pass fills positions side by side: its per-position favourites need not fit each other. A beam search from
left to right weighs both: ``S(π) = Σ_i [λ·ℓ_dlm(π_i) + (1−λ)·ℓ_proxy(π_i | prefix, π_<i)]``. Cost O(B·M·k).

Beyond the paper (ours), :func:`best_first` grows a whole tree of likely paths for one verification.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from respec_core.methods.diffuspec.lattice import LatticeColumn, SearchLattice
from respec_core.methods.diffuspec.proxy import Proxy

Known = dict[tuple[Any, ...], Any]


@dataclass(frozen=True)
class PathWeighing:
    """How a path is scored, in one round.

    Attributes:
        lambda_dlm: weight of the diffusion model; the rest is the proxy's. Without a proxy it is 1.
        normalised: rank paths by score ÷ length. Raw sums, the paper's, favour paths that end early.
        known: what was worked out behind this text, which the search and the tree both ask for.
    """

    lambda_dlm: float
    proxy: Proxy | None
    normalised: bool = True
    known: Known = field(default_factory=dict, repr=False, compare=False)

    @property
    def weight(self) -> float:
        """λ in effect."""
        return 1.0 if self.proxy is None else self.lambda_dlm

    def proxy_log_p(self, tail: tuple[int, ...], column: LatticeColumn) -> np.ndarray:
        """``ℓ_proxy`` of the column's kept candidates behind ``tail``; zeros without a proxy."""
        if self.proxy is None:
            return np.zeros(len(column.kept))
        key = tail, column.key
        if key not in self.known:
            self.known[key] = self.proxy.log_p(tail, column.kept_tokens)
        found: np.ndarray = self.known[key]
        return found

    def mixed(self, tail: tuple[int, ...], column: LatticeColumn, row: int) -> np.ndarray:
        """Log-probabilities of the kept candidates, in a row of theirs, under both together (ours).

        The weighted sum of Eq. 8, scaled so that the candidates share the mass that the diffusion model gives them:
        values of different depths are then comparable, which a tree's budget needs.
        """
        dlm: np.ndarray = column.kept_log_p[row]
        if self.proxy is None:
            return dlm
        score = self.weight * dlm + (1 - self.weight) * self.proxy_log_p(tail, column)
        shared: np.ndarray = score - np.logaddexp.reduce(score) + column.kept_mass[row]
        return shared

    def ranked(self, tail: tuple[int, ...], column: LatticeColumn, row: int) -> list[tuple[float, int]]:
        """:meth:`mixed` of each kept candidate with its rank, best first."""
        key = tail, column.key, column.kept_log_p[row].tobytes(), self.weight
        if key not in self.known:
            mixed = self.mixed(tail, column, row)
            values, kept = mixed.tolist(), column.kept
            self.known[key] = [(values[i], kept[i]) for i in (-mixed).argsort(kind="stable").tolist()]
        found: list[tuple[float, int]] = self.known[key]
        return found

    def total(self, dlm: float, proxy: float, length: int) -> float:
        """What paths are ranked by."""
        score = self.weight * dlm + (1 - self.weight) * proxy
        return score / max(length, 1) if self.normalised else score


@dataclass(frozen=True)
class Path:
    """A path through the lattice.

    Attributes:
        ranks: rank of its candidate at each position.
        dlm, proxy: sums of ``ℓ_dlm`` and ``ℓ_proxy``.
        score: what it was ranked by.
        ended: whether it stops at an end of text.
    """

    tokens: tuple[int, ...]
    ranks: tuple[int, ...]
    dlm: float
    proxy: float
    score: float
    ended: bool

    @property
    def last(self) -> int | None:
        """Rank of its last candidate; None where it has none."""
        return self.ranks[-1] if self.ranks else None


@dataclass(frozen=True)
class Searched:
    """A lattice and the best paths through it, best first."""

    lattice: SearchLattice
    paths: tuple[Path, ...]
    weighing: PathWeighing


def search(lattice: SearchLattice, weighing: PathWeighing, prefix: Sequence[int], width: int) -> Searched:
    """Beam search of ``width`` beams behind ``prefix``; a path stops at its first end of text."""
    alive = [Path((), (), 0.0, 0.0, 0.0, False)]
    ended: list[Path] = []
    for column in lattice.columns:
        alive = _extended(alive, column, weighing, prefix, width)
        ended += [path for path in alive if path.ended]
        alive = [path for path in alive if not path.ended]
        if not alive:
            break
    best = sorted([*ended, *alive], key=lambda path: -path.score)
    return Searched(lattice, tuple(best[:width]), weighing)


def _extended(
    alive: Sequence[Path], column: LatticeColumn, weighing: PathWeighing, prefix: Sequence[int], width: int
) -> list[Path]:
    """The ``width`` best one-token extensions."""
    sums = np.array([(path.dlm, path.proxy) for path in alive])
    dlm = sums[:, :1] + column.kept_log_p[[column.row(path.last) for path in alive]]
    tails = [_tail(prefix, path.tokens, weighing.proxy) for path in alive]
    proxy = sums[:, 1:] + np.array([weighing.proxy_log_p(tail, column) for tail in tails])
    score = weighing.weight * dlm + (1 - weighing.weight) * proxy
    options = len(column.kept)
    best = []
    for at in (-score).ravel().argsort(kind="stable")[:width].tolist():
        path, i = alive[at // options], at % options
        rank, d, p = column.kept[i], float(dlm.flat[at]), float(proxy.flat[at])
        tokens = (*path.tokens, column.tokens[rank])
        total = weighing.total(d, p, len(tokens))
        best.append(Path(tokens, (*path.ranks, rank), d, p, total, rank in column.ends))
    return best


def _tail(prefix: Sequence[int], path: Sequence[int], proxy: Proxy | None) -> tuple[int, ...]:
    """The tokens before the next candidate that a proxy looks at."""
    span = 0 if proxy is None else proxy.span
    if not span:
        return ()
    if len(path) >= span:
        return tuple(path[-span:])
    return (*prefix[len(path) - span :], *path)


@dataclass(frozen=True)
class Grown:
    """A node of a tree over the lattice; ``parent`` is −1 below the root, else an index into the list of nodes.

    Attributes:
        p: the diffusion model's probability of the token.
        value: mixed probability of the whole path, see :meth:`PathWeighing.mixed`.
    """

    token: int
    parent: int
    p: float
    value: float


def best_first(lattice: SearchLattice, weighing: PathWeighing, prefix: Sequence[int], nodes: int) -> list[Grown]:
    """The ``nodes`` likeliest nodes of all paths through the lattice, every parent before its children."""
    grown: list[Grown] = []
    columns = lattice.columns
    order = count()  # ties go to the older option
    heap: list[tuple[float, int, int, tuple[int, ...], Iterator[tuple[float, int]] | None]] = []

    def offer(parent: int, path: tuple[int, ...], siblings: Iterator[tuple[float, int]]) -> None:
        """The next best child of a node; those after it wait until it was taken."""
        if (best := next(siblings, None)) is not None:
            heapq.heappush(heap, (-best[0], next(order), parent, (*path, best[1]), siblings))

    def promise(parent: int, ranks: tuple[int, ...], value: float) -> None:
        """No child is likelier than all of them together: they are weighed when nothing else is likelier than that."""
        column = columns[len(ranks)]
        most = value + column.kept_mass[column.row(ranks[-1] if ranks else None)]
        heapq.heappush(heap, (-most, next(order), parent, ranks, None))

    def expand(parent: int, path: tuple[int, ...], ranks: tuple[int, ...], value: float) -> None:
        column = columns[len(ranks)]
        row = column.row(ranks[-1] if ranks else None)
        children = weighing.ranked(_tail(prefix, path, weighing.proxy), column, row)
        offer(parent, ranks, ((value + mixed, rank) for mixed, rank in children))

    promise(-1, (), 0.0)
    paths: list[tuple[int, ...]] = []
    values: list[float] = []
    while heap and len(grown) < nodes:
        negative, _, parent, ranks, siblings = heapq.heappop(heap)
        if siblings is None:
            expand(parent, paths[parent] if parent >= 0 else (), ranks, values[parent] if parent >= 0 else 0.0)
            continue
        column, rank = columns[len(ranks) - 1], ranks[-1]
        token, log_p = column.tokens[rank], column.log_p_behind(ranks[-2] if len(ranks) > 1 else None, rank)
        paths.append((*(paths[parent] if parent >= 0 else ()), token))
        values.append(-negative)
        grown.append(Grown(token, parent, math.exp(log_p), math.exp(-negative)))
        offer(parent, ranks[:-1], siblings)
        if rank not in column.ends and len(ranks) < len(lattice):
            promise(len(grown) - 1, ranks, -negative)
    return grown


def along(searched: Searched, path: Path, prefix: Sequence[int]) -> list[Grown]:
    """A path as nodes one below the other."""
    nodes: list[Grown] = []
    value = 0.0
    for i, (column, before, rank) in enumerate(
        zip(searched.lattice.columns, (None, *path.ranks), path.ranks, strict=False)
    ):
        tail = _tail(prefix, path.tokens[:i], searched.weighing.proxy)
        value += float(searched.weighing.mixed(tail, column, column.row(before))[column.kept.index(rank)])
        nodes.append(Grown(path.tokens[i], i - 1, math.exp(column.log_p_behind(before, rank)), math.exp(value)))
    return nodes
