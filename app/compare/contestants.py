"""The runs that are compared: two to four, of one prompt."""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.errors import ReSpecError
from respec_core.methods.registry import BASELINE
from respec_core.trace.schema import Run

LETTERS = "ABCD"
FEWEST, MOST = 2, len(LETTERS)


def fit_together(runs: Sequence[Run]) -> None:
    """Nothing, if these runs can be compared.

    Raises:
        ReSpecError: for fewer than two or more than four, for another prompt, or for one without a token.
    """
    if not FEWEST <= len(runs) <= MOST:
        raise ReSpecError(f"A comparison takes two to four runs; these are {len(runs)}.")
    for letter, run in zip(LETTERS, runs, strict=False):
        if run.prompt_text != runs[0].prompt_text:
            raise ReSpecError(f"Run {letter} answers another prompt than run A: compare runs of one prompt.")
        if not run.tokens:
            raise ReSpecError(f"Run {letter} wrote nothing: there is nothing to compare.")


def reference_of(runs: Sequence[Run]) -> int:
    """Which run the texts are held against: plain decoding if it is among them, else the first."""
    return next((i for i, run in enumerate(runs) if run.method == BASELINE.name), 0)
