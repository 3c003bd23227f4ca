"""What a run shows, for somebody who knows nothing of it: one or two plain sentences, true of this run."""

from __future__ import annotations

from respec_core.trace.round import LOSSY_ACCEPTS, RETRIEVED_SOURCES
from respec_core.trace.schema import Run

FEW = 1.25  # tokens a pass, below which guessing has hardly helped

ONE_BY_ONE = "The model writes one token, a word or a part of one, at each step; nothing is guessed ahead."
CHECKED = "the model checks many of them at once. Blue words were guessed right, orange ones (↻) are its own."
HARDLY = "Here hardly any were right."
STRIPED = "Striped words (≈) it would have written otherwise."


def story(run: Run) -> str:
    """Empty before the first round."""
    if not run.steps:
        return ""
    drafted = {source for step in run.steps for node in step.trees.final[1:] for source in node.sources}
    if not drafted:
        return ONE_BY_ONE
    copied, helped = bool(drafted & RETRIEVED_SOURCES), bool(drafted - RETRIEVED_SOURCES)
    who = "A small helper guesses ahead, or copies earlier text" if copied and helped else ""
    who = who or (
        "What may come next is copied from earlier text" if copied else "A small helper guesses what comes next"
    )
    said = [f"{who}; {CHECKED}"]
    if any(token.outcome in LOSSY_ACCEPTS for token in run.tokens):
        said.append(STRIPED)
    elif len(run.tokens) < FEW * len(run.steps):
        said.append(HARDLY)
    return " ".join(said)
