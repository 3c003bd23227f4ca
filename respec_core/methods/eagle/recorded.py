"""An EAGLE head that answers from a record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from respec_core.engine.drafting import Context
from respec_core.engine.first_step import FirstStep
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.eagle.growing import Grower, GrownTree, Head, Pays
from respec_core.methods.eagle.recording import HeadRecorder, HeadRecording
from respec_core.methods.recording import Elapsed, RecordedColumns, Recording, column, token_column

NOT_YET = -2  # the parent of every node where the head had seen no feature


@dataclass(frozen=True)
class RecordedTree:
    """A position's tree of one width, as it grew.

    Attributes:
        levels: first node of every level, and one past the last.
        ms: milliseconds of every level.
    """

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    log_p: tuple[float, ...]
    levels: tuple[int, ...]
    ms: tuple[float, ...]

    @classmethod
    def of(
        cls, tokens: NDArray[np.int32], parents: NDArray[np.int16], log_p: NDArray[Any], ms: NDArray[Any]
    ) -> RecordedTree:
        """From a row of columns; the nodes' own index begins at 1.

        Raises:
            ReSpecError: if a parent stands behind its child, or a level above one before.
        """
        depths = [0]
        for node, parent in enumerate(parents.tolist(), 1):
            if not 0 <= parent < node:
                raise ReSpecError("a recorded tree has a parent behind its child")
            depths.append(depths[parent] + 1)
        if depths != sorted(depths) or depths[-1] > len(ms):
            raise ReSpecError("a recorded tree did not grow level by level")
        starts = [depths.index(level) for level in range(1, depths[-1] + 1)]
        return cls(
            tuple(tokens.tolist()),
            tuple(parents.tolist()),
            tuple(log_p.tolist()),
            (*starts, len(depths)),
            tuple(ms.tolist()),
        )

    def frontier(self, level: int, chances: Sequence[float]) -> list[float]:
        """Path probabilities of the nodes that the ``level`` hangs below."""
        start, end = self.levels[level - 1 : level + 1]
        return [chances[parent] for parent in dict.fromkeys(self.parents[start - 1 : end - 1])]

    def tree(self, root: int, levels: int) -> DraftTree:
        """Its first ``levels``."""
        below = self.levels[levels] - 1
        value = [0.0]
        for parent, log_p in zip(self.parents[:below], self.log_p[:below], strict=True):
            value.append(value[parent] + log_p)
        return DraftTree.grown(
            (root, *self.tokens[:below]),
            (-1, *self.parents[:below]),
            "model",
            draft_p=(1.0, *map(math.exp, self.log_p[:below])),
            scores=[math.exp(x) for x in value],
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
        return RecordedTree.of(*(rows[position] for rows in (self.tokens, self.parents, self.log_p, self.ms)))


@dataclass(frozen=True)
class RecordedHead(Head):
    """A head's trees of one text, shared by all replays on it; what was asked for once is kept.

    Attributes:
        rows: by width.
        first: log-probabilities behind the root ``[positions, what the head can say]``, where they were recorded.
    """

    rows: Mapping[int, TreeRows]
    options: HeadRecording
    facts: Mapping[str, Any]
    time: Elapsed
    first: NDArray[np.float32] | None = None
    _trees: dict[tuple[int, int], RecordedTree | None] = field(default_factory=dict)
    _grown: dict[tuple[int, int, int], GrownTree] = field(default_factory=dict)

    @classmethod
    def of(
        cls, columns: RecordedColumns, vocab: int, options: HeadRecording, facts: Mapping[str, Any], time: Elapsed
    ) -> RecordedHead:
        """From a text's columns.

        Raises:
            ReSpecError: if these are no trees.
        """
        described, context = facts.get("described"), facts.get("context")
        if not isinstance(described, dict) or not (context is None or type(context) is int):
            raise ReSpecError("the head does not describe itself")
        rows = {width: TreeRows.of(columns, width, vocab, options.levels) for width in options.widths}
        said = facts.get("said")
        if not isinstance(said, list) or not all(type(token) is int and 0 <= token < vocab for token in said):
            raise ReSpecError("the head's vocabulary is none")
        first = column(columns, "first", np.float32, (None, len(said))) if options.first else None
        return cls(rows, options, facts, time, first)

    def _first(self, position: int) -> FirstStep:
        if self.first is None:
            return UNRECORDED
        return FirstStep(torch.from_numpy(self.first[position].copy()), self.said)

    @property
    def said(self) -> Tensor:
        """As the head said."""
        return torch.tensor(self.facts["said"])

    def describe(self) -> dict[str, Any]:
        """As the head described itself."""
        return dict(self.facts["described"])

    def grower(self) -> Grower:
        """Looks the trees up."""
        return RecordedGrower(self)

    def tree(self, width: int, position: int) -> RecordedTree | None:
        """As it was recorded."""
        if (width, position) not in self._trees:
            self._trees[width, position] = self.rows[width].tree(position)
        return self._trees[width, position]

    def grown(self, width: int, position: int, root: int, levels: int) -> GrownTree:
        """The first ``levels`` of a tree that there is."""
        key = width, position, levels
        if key not in self._grown:
            recorded = self.tree(width, position)
            assert recorded is not None
            self._grown[key] = GrownTree(recorded.tree(root, levels), self._first(position))
        return self._grown[key]


class RecordedGrower(Grower):
    """One replay's view."""

    def __init__(self, head: RecordedHead) -> None:
        self.head = head
        self.trained_context = head.facts["context"]

    def grown(self, context: Context, top_k: int, levels: int, pays: Pays) -> GrownTree | None:
        """The recorded tree, as far as it pays.

        Raises:
            ReSpecError: for a width that was not recorded, or more levels.
        """
        head, position = self.head, len(context.ids) - context.prompt_len
        if top_k not in head.rows or levels > head.options.levels:
            widths = ", ".join(map(str, head.rows))
            raise ReSpecError(
                f"The atlas holds the head's trees of width {widths} and depth {head.options.depth}, not of width {top_k} "
                f"and depth {levels - 1}: record these too, or decode with the model."
            )
        recorded = head.tree(top_k, position)
        if recorded is None:
            return None
        levels = min(levels, len(recorded.levels) - 1)
        if context.worth is not None:
            levels = self._paying(recorded, head.grown(top_k, position, context.root, levels), levels, pays)
        else:
            head.time.add(sum(recorded.ms[:levels]))
        return head.grown(top_k, position, context.root, levels)

    def _paying(self, recorded: RecordedTree, whole: GrownTree, levels: int, pays: Pays) -> int:
        """Levels grown, in the time they took."""
        for level in range(1, levels + 1):
            if level > 1 and not pays(recorded.frontier(level, whole.tree.scores)):
                return level - 1
            self.head.time.add(recorded.ms[level - 1])
        return levels


class _UnrecordedFirstStep(FirstStep):
    """Refuses to be read."""

    def rank(self, token: int) -> int | None:
        raise ReSpecError(NO_FIRST_STEP)

    def p(self, token: int) -> float:
        raise ReSpecError(NO_FIRST_STEP)


NO_FIRST_STEP = (
    "The atlas holds the head's trees, not its whole opinion on the next token: record it too with --record "
    "head.first=true, or decode with the model."
)
UNRECORDED = _UnrecordedFirstStep(torch.empty(0))


RECORDING = Recording(
    HeadRecording,
    HeadRecorder,
    lambda head: {
        "described": head.describe(),
        "context": head.grower().trained_context,
        "said": head.said.tolist(),
    },
    RecordedHead.of,
)
