"""What a diffusion drafter's passes over all positions of a text gave, as columns of an atlas and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.denoiser import Filled
from respec_core.methods.recording import RecordedColumns, column

NOTHING = -1  # the token where there is no candidate
LINKED = "linked_"  # columns of the passes whose positions hang on each other


@dataclass(frozen=True)
class RecordedPasses:
    """One pass a position of the text.

    Attributes:
        tokens: ``[positions, longest, candidates]``, −1 where there is none.
        log_p: of the same shape.
        ms: ``[positions]``.
        edges, alone: where positions hang on each other: ``[positions, longest, candidates, candidates]``, of which each
            first one is empty, and ``[positions, longest, candidates]``.
    """

    tokens: NDArray[np.int32]
    log_p: NDArray[np.float32]
    ms: NDArray[np.float32]
    edges: NDArray[np.float32] | None = None
    alone: NDArray[np.float32] | None = None

    @classmethod
    def of(
        cls, passes: Sequence[Filled | None], ms: Sequence[float], longest: int, width: int, *, linked: bool
    ) -> RecordedPasses:
        """From what was filled, None where the drafter could not draft yet."""
        shape = len(passes), longest, width
        tokens, log_p = np.full(shape, NOTHING, np.int32), np.zeros(shape, np.float32)
        edges = np.zeros((*shape, width), np.float32) if linked else None
        alone = np.zeros(shape, np.float32) if linked else None
        for at, filled in enumerate(passes):
            if filled is None:
                continue
            for slot, (ids, logs) in enumerate(zip(filled.tokens, filled.log_p, strict=True)):
                tokens[at, slot, : len(ids)], log_p[at, slot, : len(logs)] = ids, logs
            if edges is not None and alone is not None:
                for slot, (table, before) in enumerate(zip(filled.edges, filled.alone, strict=True)):
                    alone[at, slot, : len(before)], edges[at, slot][: len(table), : len(before)] = before, table
        return cls(tokens, log_p, np.array(ms, np.float32), edges, alone)

    def columns(self) -> RecordedColumns:
        """By name."""
        plain = {"tokens": self.tokens, "log_p": self.log_p, "ms": self.ms}
        if self.edges is None or self.alone is None:
            return plain
        return {LINKED + name: found for name, found in {**plain, "edges": self.edges, "alone": self.alone}.items()}

    @classmethod
    def read(
        cls, columns: RecordedColumns, vocab: int, longest: int, width: int, *, linked: bool = False
    ) -> RecordedPasses:
        """From a text's columns.

        Raises:
            ReSpecError: if these are no candidates.
        """
        prefix = LINKED if linked else ""
        tokens = column(columns, f"{prefix}tokens", np.int32, (None, longest, width))
        if tokens.size and not NOTHING <= int(tokens.min()) <= int(tokens.max()) < vocab:
            raise ReSpecError(f"the column {prefix}tokens holds ids that are no tokens")
        log_p = column(columns, f"{prefix}log_p", np.float32, tokens.shape)
        ms = column(columns, f"{prefix}ms", np.float32, (len(tokens),))
        edges = column(columns, f"{prefix}edges", np.float32, (*tokens.shape, width)) if linked else None
        alone = column(columns, f"{prefix}alone", np.float32, tokens.shape) if linked else None
        if any(found is not None and (found > 0).any() for found in (log_p, edges, alone)) or (ms < 0).any():
            raise ReSpecError("a probability is above 1, or a time below 0")
        return cls(tokens, log_p, ms, edges, alone)

    def filled(self, at: int, k: int, width: int) -> Filled:
        """The first ``k`` positions' ``width`` likeliest candidates."""
        ids, logs = self.tokens[at, :k, :width], self.log_p[at, :k, :width]
        counts = (ids != NOTHING).sum(1).tolist()
        tokens = tuple(tuple(row[:n]) for row, n in zip(ids.tolist(), counts, strict=True))
        log_p = tuple(tuple(row[:n]) for row, n in zip(logs.tolist(), counts, strict=True))
        if self.edges is None or self.alone is None:
            return Filled(tokens, log_p, torch.empty(0))
        alone = tuple(tuple(row[:n]) for row, n in zip(self.alone[at, :k, :width].tolist(), counts, strict=True))
        tables = zip(self.edges[at, :k], [0, *counts], counts, strict=False)
        edges = tuple(table[:before, :n] for table, before, n in tables)
        return Filled(tokens, log_p, torch.empty(0), edges=edges, alone=alone)
