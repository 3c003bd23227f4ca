"""Trees of a model drafter as columns: every position's whole tree of one width, level by level as it grew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from respec_core.engine.first_step import FirstStep
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.recording import RecordedColumns, column, token_column

SMALLEST = 1e-300  # probability whose logarithm is written
NOT_YET = -2  # the parent of every node where the head had seen no feature


@dataclass(frozen=True)
class RecordedTree:
    """A position's tree of one width, as it grew.

    Attributes:
        tokens, parents, log_p: of the nodes below the root, whose own index begins at 1.
        levels: first node of every level, and one past the last.
        ms: milliseconds of every level.
    """

    tokens: NDArray[np.int32]
    parents: NDArray[np.int16]
    log_p: NDArray[np.float64]
    levels: tuple[int, ...]
    ms: tuple[float, ...]

    @classmethod
    def of(
        cls, tokens: NDArray[np.int32], parents: NDArray[np.int16], log_p: NDArray[Any], ms: NDArray[Any]
    ) -> RecordedTree:
        """From a row of columns.

        Raises:
            ReSpecError: if a parent stands behind its child, or a level above one before.
        """
        size = len(parents) + 1
        if ((parents < 0) | (parents >= np.arange(1, size))).any():
            raise ReSpecError("a recorded tree has a parent behind its child")
        starts = [0, 1]
        while (below := parents >= starts[-1]).any():
            starts.append(int(below.argmax()) + 1)  # the first node below one of the newest level
        levels = (*starts[1:], size)
        above = zip(starts, pairwise(levels), strict=False)
        if len(levels) > len(ms) + 1 or any(
            parents[start - 1 : end - 1].min() < least for least, (start, end) in above
        ):
            raise ReSpecError("a recorded tree did not grow level by level")
        return cls(tokens, parents, log_p.astype(np.float64), levels, tuple(ms.tolist()))

    def frontier(self, level: int) -> list[int]:
        """The nodes that the ``level`` hangs below."""
        start, end = self.levels[level - 1 : level + 1]
        return list(dict.fromkeys(self.parents[start - 1 : end - 1].tolist()))

    def tree(self, root: int, levels: int) -> DraftTree:
        """Its first ``levels``."""
        below = self.levels[levels] - 1
        value = np.zeros(1 + below)
        for start, end in pairwise(self.levels[: levels + 1]):
            row = slice(start - 1, end - 1)
            value[start:end] = value[self.parents[row]] + self.log_p[row]
        return DraftTree.grown(
            (root, *self.tokens[:below].tolist()),
            (-1, *self.parents[:below].tolist()),
            "model",
            draft_p=(1.0, *np.exp(self.log_p[:below]).tolist()),
            scores=np.exp(value).tolist(),
        )


@dataclass(frozen=True)
class TreeRows:
    """The columns of one width, a row a position."""

    tokens: NDArray[np.int32]
    parents: NDArray[np.int16]
    log_p: NDArray[np.float32]
    ms: NDArray[np.float32]

    @classmethod
    def of(cls, columns: RecordedColumns, width: int, vocab: int, levels: int) -> TreeRows:
        """From a text's columns.

        Raises:
            ReSpecError: if these are none.
        """
        tokens = token_column(columns, f"{width}.tokens", vocab, (None, None))
        parents = column(columns, f"{width}.parents", np.int16, tokens.shape)
        log_p = column(columns, f"{width}.log_p", np.float32, tokens.shape)
        ms = column(columns, f"{width}.ms", np.float32, (len(tokens), levels))
        if (log_p > 0).any() or (ms < 0).any():
            raise ReSpecError("a probability is above 1, or a time below 0")
        return cls(tokens, parents, log_p, ms)

    def tree(self, position: int) -> RecordedTree | None:
        """What was recorded at a position; None before the head had seen a feature."""
        if not self.parents.shape[1] or self.parents[position, 0] == NOT_YET:
            return None
        end = self.parents[position] == NOT_YET
        below = int(end.argmax()) if end.any() else len(end)
        row = position, slice(below)
        return RecordedTree.of(self.tokens[row], self.parents[row], self.log_p[row], self.ms[position])


def tree_columns(
    width: int, trees: Sequence[DraftTree | None], ms: Sequence[Sequence[float]], levels: int
) -> dict[str, NDArray[Any]]:
    """``w.tokens``, ``w.parents``, ``w.log_p`` ``[positions, nodes]`` and ``w.ms`` ``[positions, levels]``.

    A position without a tree has the parent −2 throughout; a smaller one than others has it where it ends.
    """
    size = max((len(tree) - 1 for tree in trees if tree is not None), default=0)
    tokens = np.zeros((len(trees), size), np.int32)
    parents = np.full((len(trees), size), NOT_YET, np.int16)
    log_p = np.zeros((len(trees), size), np.float32)
    spent = np.zeros((len(trees), levels), np.float32)
    for at, tree in enumerate(trees):
        if tree is not None:
            below = len(tree) - 1
            tokens[at, :below], parents[at, :below] = tree.tokens[1:], tree.parents[1:]
            log_p[at, :below] = np.log(np.maximum(np.array(tree.draft_p[1:], np.float64), SMALLEST))
            spent[at, : len(ms[at])] = ms[at]
    return {f"{width}.tokens": tokens, f"{width}.parents": parents, f"{width}.log_p": log_p, f"{width}.ms": spent}


class UnrecordedFirstStep(FirstStep):
    """Refuses to be read; ``remedy`` says what to do."""

    def __init__(self, remedy: str) -> None:
        super().__init__(torch.empty(0))
        object.__setattr__(self, "remedy", remedy)

    def rank(self, token: int) -> int | None:
        """Not known.

        Raises:
            ReSpecError: always.
        """
        raise ReSpecError(f"The atlas holds trees, not a drafter's whole opinion on the next token: {self.remedy}.")  # type: ignore[attr-defined]

    def p(self, token: int) -> float:
        """Not known.

        Raises:
            ReSpecError: always.
        """
        self.rank(token)
        return 0.0
