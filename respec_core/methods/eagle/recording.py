"""An EAGLE head's trees at every position of a text, each level as it grew: fewer nodes or levels are a part of the same record.

A tree of another width is another tree: which nodes of a level are expanded depends on all of that level. So each width
that a replay may ask for is recorded by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from time import perf_counter
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from respec_core.engine.drafting import Context, Round
from respec_core.engine.first_step import FirstStep
from respec_core.engine.tree import DraftTree
from respec_core.methods.eagle.growing import Head
from respec_core.methods.parts.head_tree import EAGLE2_CODE
from respec_core.methods.parts.recorded_trees import tree_columns
from respec_core.methods.recording import RecordedColumns, Recorder
from respec_core.settings.declaring import Settings, knob
from respec_core.trace.round import Hit

NARROW = 8  # the width of ReSpec's fallback and of every tuned preset
TreeWidth = Annotated[int, Field(ge=1, le=16)]


class HeadRecording(Settings):
    """How much of the head's trees is recorded."""

    widths: Annotated[tuple[TreeWidth, ...], Field(min_length=1, max_length=16, strict=False)] = (
        NARROW,
        EAGLE2_CODE.top_k,
    )
    depth: int = knob(7, "Depth", "Passes of the head behind its first.", ge=0, le=12)
    first: bool = knob(False, "First step", "Also the head's whole opinion on the next token: kilobytes a position.")

    @property
    def levels(self) -> int:
        """Levels below the root."""
        return self.depth + 1


class HeadRecorder(Recorder):
    """Grows every width's whole tree at every position, and times it."""

    def __init__(self, head: Head, options: HeadRecording) -> None:
        self.options = options
        self.grower = head.grower()
        self.hidden_layers = self.grower.hidden_layers
        self._trees: dict[int, list[DraftTree | None]] = {width: [] for width in options.widths}
        self._ms: dict[int, list[list[float]]] = {width: [] for width in options.widths}
        self._first: list[FirstStep | None] = []

    def prefilled(self, hidden: Mapping[int, Any]) -> None:
        """For the head."""
        self.grower.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """For the head."""
        self.grower.begin(prompt)

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """For the head."""
        self.grower.observe(round)
        return ()

    def record(self, context: Context) -> None:
        """All widths; the first of them reads what was committed since, so its first level's time has that in it."""
        for width in self.options.widths:
            marks = [perf_counter()]

            def everything(frontier: Sequence[float], marks: list[float] = marks) -> Sequence[int]:
                marks.append(perf_counter())
                return range(len(frontier))

            grown = self.grower.grown(context, width, self.options.levels, everything)
            marks.append(perf_counter())
            self._trees[width].append(grown.tree if grown is not None else None)
            if width == self.options.widths[0]:
                self._first.append(grown.first if grown is not None else None)
            self._ms[width].append([(end - start) * 1e3 for start, end in pairwise(marks)])

    def columns(self) -> RecordedColumns:
        """Trees of each width; with ``first`` also log-probabilities ``first`` ``[positions, what the head can say]``."""
        columns: dict[str, NDArray[Any]] = {}
        for width, trees in self._trees.items():
            columns |= tree_columns(width, trees, self._ms[width], self.options.levels)
        if self.options.first:
            size = max((len(first.log_p) for first in self._first if first is not None), default=0)
            rows = [np.zeros(size) if first is None else first.log_p.cpu().numpy() for first in self._first]
            columns["first"] = np.array(rows, np.float32).reshape(len(rows), size)
        return columns
