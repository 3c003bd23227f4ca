"""Where each round stands in its run: on the output and on the clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from respec_core.trace.round import Step
from respec_core.trace.schema import Run, Token


@dataclass(frozen=True)
class PlacedRound:
    """A step, the tokens it committed, and where it begins.

    Attributes:
        start: output position of its first token.
        start_ms: engine time spent before it, prompt processing excluded.
    """

    step: Step
    tokens: Sequence[Token]
    start: int
    start_ms: float

    @property
    def end(self) -> int:
        """Output position behind its last token."""
        return self.start + len(self.tokens)

    @property
    def end_ms(self) -> float:
        """Engine time spent when it was over."""
        return self.start_ms + sum(self.step.phase_ms.values())


def placed_rounds(run: Run) -> Iterator[PlacedRound]:
    """All rounds of a run, in order."""
    start, start_ms = 0, 0.0
    for step in run.steps:
        tokens = run.tokens[start : start + len(step.commit.emitted_ids)]
        placed = PlacedRound(step, tokens, start, start_ms)
        yield placed
        start, start_ms = placed.end, placed.end_ms
