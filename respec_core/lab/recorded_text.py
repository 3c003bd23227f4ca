"""One prompt of an atlas: the text that plain decoding wrote, the target's opinions, and what every resource drafts where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from respec_core.engine.probabilities import TOP
from respec_core.errors import ReSpecError
from respec_core.lab.words import Words
from respec_core.methods.recording import RecordedColumns, column, token_column
from respec_core.trace.round import FinishReason

SEPARATOR = "/"  # between a resource's name and its column's


@dataclass(frozen=True)
class RecordedText:
    """Arrays of one row an output position.

    Attributes:
        entropy: of the target's distribution there, in nats, float32.
        top_ids, top_p: its likeliest tokens ``[positions, ≤ 5]``.
        forward_ms: of the target's one-token forward.
        resources: columns by the resource's name.
        spelt: how tokens read, as JSON in UTF-8; empty where that was not recorded.
        commit_ms: of what followed each forward until its token was committed; zeros where that was not recorded.
    """

    prompt_ids: tuple[int, ...]
    output_ids: tuple[int, ...]
    finish: FinishReason
    entropy: NDArray[np.float32]
    top_ids: NDArray[np.int32]
    top_p: NDArray[np.float32]
    forward_ms: NDArray[np.float32]
    resources: Mapping[str, RecordedColumns]
    spelt: NDArray[np.uint8]
    commit_ms: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    @cached_property
    def words(self) -> Words | None:
        """How tokens read, where that was recorded.

        Raises:
            ReSpecError: if it is damaged.
        """
        return Words.read(self.spelt, len(self)) if len(self.spelt) else None

    @cached_property
    def forward(self) -> float:
        """Milliseconds of a one-token forward on this text: the median; 0 where nothing was timed."""
        return float(np.median(self.forward_ms)) if len(self.forward_ms) else 0.0

    @cached_property
    def committing(self) -> float:
        """Milliseconds behind a forward: the median."""
        return float(np.median(self.commit_ms)) if len(self.commit_ms) else 0.0

    def __len__(self) -> int:
        return len(self.output_ids)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, for a file; the finish apart."""
        own: dict[str, NDArray[Any]] = {
            "prompt_ids": np.array(self.prompt_ids, np.int32),
            "output_ids": np.array(self.output_ids, np.int32),
            "entropy": self.entropy,
            "top_ids": self.top_ids,
            "top_p": self.top_p,
            "forward_ms": self.forward_ms,
            "commit_ms": self.commit_ms,
            "words": self.spelt,
        }
        beside = {
            f"{name}{SEPARATOR}{at}": rows for name, found in self.resources.items() for at, rows in found.items()
        }
        return own | beside

    @classmethod
    def of(cls, arrays: RecordedColumns, finish: FinishReason, vocab: int) -> RecordedText:
        """From a file's arrays.

        Raises:
            ReSpecError: if these are no recorded text.
        """
        prompt = token_column(arrays, "prompt_ids", vocab, (None,))
        output = token_column(arrays, "output_ids", vocab, (None,))
        n = len(output)
        tops = token_column(arrays, "top_ids", vocab, (n, min(TOP, vocab)))
        resources: dict[str, dict[str, NDArray[Any]]] = {}
        for name, rows in arrays.items():
            resource, separator, at = name.partition(SEPARATOR)
            if separator:
                if not rows.ndim or len(rows) != n:
                    raise ReSpecError(f"the column {name} has not a row for each of the text's {n} tokens")
                resources.setdefault(resource, {})[at] = rows
        if not len(prompt):
            raise ReSpecError("the prompt is empty")
        return cls(
            tuple(prompt.tolist()),
            tuple(output.tolist()),
            finish,
            column(arrays, "entropy", np.float32, (n,)),
            tops,
            column(arrays, "top_p", np.float32, tops.shape),
            column(arrays, "forward_ms", np.float32, (n,)),
            resources,
            column({"words": np.zeros(0, np.uint8), **arrays}, "words", np.uint8, (None,)),
            column({"commit_ms": np.zeros(n, np.float32), **arrays}, "commit_ms", np.float32, (n,)),
        )
