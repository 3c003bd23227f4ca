"""An EAGLE head that answers from a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from respec_core.engine.drafting import Context
from respec_core.engine.first_step import FirstStep
from respec_core.errors import ReSpecError
from respec_core.methods.eagle.growing import Grower, GrownTree, Head, Promising
from respec_core.methods.eagle.recording import HeadRecorder, HeadRecording
from respec_core.methods.parts.recorded_trees import RecordedTree, TreeRows, UnrecordedFirstStep
from respec_core.methods.recording import Elapsed, RecordedColumns, Recording, column


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
            if len(self._grown) >= KEPT:
                self._grown.clear()
            recorded = self.tree(width, position)
            assert recorded is not None
            self._grown[key] = GrownTree(recorded.tree(root, levels), self._first(position))
        return self._grown[key]


class RecordedGrower(Grower):
    """One replay's view."""

    def __init__(self, head: RecordedHead) -> None:
        self.head = head
        self.trained_context = head.facts["context"]

    def grown(self, context: Context, top_k: int, levels: int, choose: Promising) -> GrownTree | None:
        """The recorded tree, as far as it would have grown.

        Raises:
            ReSpecError: for a width that was not recorded, or more levels.
        """
        head, position = self.head, len(context.ids) - context.prompt_len
        if top_k not in head.rows or levels > head.options.levels:
            widths = ", ".join(map(str, head.rows))
            raise ReSpecError(
                f"The atlas holds the head's trees of width {widths} and depth {head.options.depth}, not of width {top_k} "
                f"and depth {levels - 1}: choose a recorded width and a depth up to that, record these too (--record "
                f"head.widths=[…], head.depth=…), or decode with the model."
            )
        recorded = head.tree(top_k, position)
        if recorded is None:
            return None
        levels = min(levels, len(recorded.levels) - 1)
        whole = head.grown(top_k, position, context.root, levels)
        if context.worth is not None:
            return self._chosen(recorded, whole, levels, choose)
        head.time.add(sum(recorded.ms[:levels]))
        return whole

    def _chosen(self, recorded: RecordedTree, whole: GrownTree, levels: int, choose: Promising) -> GrownTree:
        """Part of the whole tree, in the time that its levels took."""
        tree, open_ = whole.tree, {0}
        for level in range(1, levels + 1):
            if level > 1:
                frontier = [node for node in recorded.frontier(level) if tree.parents[node] in open_]
                chosen = choose([tree.scores[node] for node in frontier])
                if not chosen:
                    break
                open_ |= {frontier[i] for i in chosen}
            self.head.time.add(recorded.ms[level - 1])
        return GrownTree(tree.keep(i for i in range(1, len(tree)) if tree.parents[i] in open_), whole.first)


KEPT = 256  # trees of a text that stay in memory for the next replay
UNRECORDED = UnrecordedFirstStep("record it too with --record head.first=true, or decode with the model")
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
