"""The lattice a diffusion pass leaves: candidate tokens at every draft position (DiffuSpec, arXiv 2510.02358 §4). No torch.

Each position keeps its likeliest candidates up to a probability mass (Eq. 7): ``M_i`` is the smallest m whose top-m
mass reaches τ, at most ``M_max``. End of text is kept wherever it is among the ``M_max``: dropping it would make a
path go on behind the end.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

MIXED = 8  # candidates before a position that it is weighed by, where positions hang on each other
Edges = np.ndarray  # log-probabilities [candidate before, candidate]


@dataclass(frozen=True)
class LatticeColumn:
    """The candidates of one position, likeliest first.

    Attributes:
        tokens: ids over the target's vocabulary, ``[M_max]``.
        log_p: the diffusion model's log-probabilities ``[M_max]``.
        m: how many the mass rule keeps, ``M_i``.
        mass: probability of these ``m`` together.
        ends: ranks of end-of-text tokens.
        edges: log-probabilities behind each candidate of the position before, in its order ``[before, M_max]``; empty where
            they hang on none.
        alone: log-probabilities as the pass itself had them, where the position before changed them.
    """

    tokens: tuple[int, ...]
    log_p: tuple[float, ...]
    m: int
    mass: float
    ends: frozenset[int]
    edges: Edges = field(default_factory=lambda: np.empty((0, 0)), compare=False)
    alone: tuple[float, ...] = ()

    @classmethod
    def pruned(cls, tokens: Sequence[int], log_p: Sequence[float], tau: float, eos: Set[int]) -> LatticeColumn:
        """Candidates (likeliest first, already cut to ``M_max``) under the mass rule of Eq. 7."""
        if not tokens:
            raise ValueError("a position needs a candidate")
        masses = [*accumulate(map(math.exp, log_p))]
        m = min(bisect_left(masses, tau) + 1, len(tokens))
        ends = frozenset(rank for rank, token in enumerate(tokens) if token in eos)
        return cls(tuple(tokens), tuple(log_p), m, masses[m - 1], ends)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Ranks that may be searched: the first ``m``, and every end of text."""
        return (*range(self.m), *sorted(rank for rank in self.ends if rank >= self.m))

    @cached_property
    def kept_tokens(self) -> np.ndarray:
        """Ids of :attr:`kept`."""
        return np.asarray([self.tokens[rank] for rank in self.kept], dtype=np.int64)

    @cached_property
    def key(self) -> bytes:
        """Equal for equal :attr:`kept_tokens`."""
        return self.kept_tokens.tobytes()

    @cached_property
    def kept_log_p(self) -> np.ndarray:
        """Log-probabilities of :attr:`kept`, a row for each candidate before; one row where they hang on none."""
        rows = self.edges if len(self.edges) else np.array([self.log_p])
        return rows[:, self.kept].astype(np.float64)

    @cached_property
    def kept_mass(self) -> list[float]:
        """Log-probability of :attr:`kept` together, by row."""
        found: list[float] = np.logaddexp.reduce(self.kept_log_p, axis=1).tolist()
        return found

    def row(self, before: int | None) -> int:
        """Which row of :attr:`kept_log_p` stands behind the candidate of rank ``before`` of the position before."""
        return before if before is not None and len(self.edges) else 0

    def log_p_behind(self, before: int | None, rank: int) -> float:
        """Of one candidate behind another."""
        return float(self.edges[before, rank]) if before is not None and len(self.edges) else self.log_p[rank]


@dataclass(frozen=True)
class Glance:
    """What one of several refinement passes saw.

    Attributes:
        tokens, log_p: the top candidates of every position, as they stood after the pass.
        decided: positions that it decided, from 0.
    """

    tokens: tuple[tuple[int, ...], ...]
    log_p: tuple[tuple[float, ...], ...]
    decided: tuple[int, ...]


@dataclass(frozen=True)
class SearchLattice:
    """All positions of one draft.

    Attributes:
        tau: the mass the columns were pruned to.
        glances: the passes it came from, where there were several.
    """

    columns: tuple[LatticeColumn, ...]
    tau: float
    glances: tuple[Glance, ...] = ()

    @classmethod
    def of(
        cls,
        tokens: Sequence[Sequence[int]],
        log_p: Sequence[Sequence[float]],
        tau: float,
        eos: Set[int],
        glances: tuple[Glance, ...] = (),
        edges: Sequence[Edges] = (),
        alone: Sequence[tuple[float, ...]] = (),
    ) -> SearchLattice:
        """Pruned columns from the top candidates of each position, ``[k, M_max]`` both; edges are of all of them."""
        columns = [LatticeColumn.pruned(t, p, tau, eos) for t, p in zip(tokens, log_p, strict=True)]
        if edges:
            linked = zip(columns, edges, alone, strict=True)
            columns = [replace(column, edges=table, alone=before) for column, table, before in linked]
        return cls(tuple(columns), tau, glances)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def top1(self) -> tuple[int, ...]:
        """The likeliest token of every position on its own: the draft before any search."""
        return tuple(column.tokens[0] for column in self.columns)

    @property
    def first_end(self) -> int | None:
        """``s_t``: position, from 1, of the first end of text in :attr:`top1`; None if there is none (Eq. 9)."""
        return next((i for i, column in enumerate(self.columns, 1) if 0 in column.ends), None)

    @property
    def generated(self) -> int:
        """``L_gen = min(s_t − 1, k_t)``: positions the raw draft has before its end (Eq. 9)."""
        return len(self) if self.first_end is None else self.first_end - 1
