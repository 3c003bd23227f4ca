"""What all trainings of drafters have in common: batches until the budget is used up, and a curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor

from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance
from respec_core.training.batches import Batch, mixed
from respec_core.training.optimiser import Trainer

Lot = TypeVar("Lot")


@dataclass(frozen=True)
class Recipe:
    """How a drafter is trained.

    Attributes:
        tokens: most tokens of a batch; ``window``: most trained positions of a batch.
        openings: share of the batches that hold only the beginnings of answers.
        every: steps between evaluations.
    """

    tokens: int = 4096
    window: int = 2048
    openings: float = 0.3
    every: int = 200
    seed: int = 0

    def stream(self, texts: Sequence[Text]) -> Callable[[torch.Generator], Iterator[Batch]]:
        """Endless batches of the texts, by the generator that draws them."""
        return lambda generator: mixed(texts, self.tokens, self.window, self.openings, generator)


def train(
    trainer: Trainer,
    stream: Callable[[torch.Generator], Iterator[Lot]],
    recipe: Recipe,
    checkpoint: Path,
    learn: Callable[[Lot, torch.Generator], tuple[Tensor, int]],
    evaluate: Callable[[], Acceptance],
    report: Callable[[str], None],
) -> None:
    """Train until the budget is used up; a stopped run goes on from ``checkpoint``.

    Args:
        stream: endless batches, drawn by a generator.
        learn: the loss of a batch, and how many positions it trained.
    """
    if trainer.resume(checkpoint):
        report(f"resumed at step {trainer.progress.step}")
    generator = torch.Generator().manual_seed(recipe.seed + trainer.progress.step)
    lots = stream(generator)
    while not trainer.done:
        trainer.update(*learn(next(lots), generator))
        if trainer.progress.step % recipe.every == 0 or trainer.done:
            _note(trainer, evaluate(), report)
            trainer.save(checkpoint)
            trainer.resume_clock()


def _note(trainer: Trainer, found: Acceptance, report: Callable[[str], None]) -> None:
    """One point of the learning curve."""
    progress, loss = trainer.progress, trainer.recent_loss()
    depths = [round(x, 4) for x in found.overall]
    first = found.opening.overall if found.opening else []  # empty without held-out texts
    opening = {"opening": round(first[0], 4)} if first else {}
    progress.curve.append(
        {
            "step": progress.step,
            "seconds": round(progress.seconds, 1),
            "tokens": progress.tokens,
            "loss": round(loss, 4),
            **{f"depth_{i}": x for i, x in enumerate(depths, 1)},
            **opening,
        }
    )
    report(
        f"step {progress.step}, {progress.seconds:.0f} s, {progress.tokens} tokens, loss {loss:.3f}, by depth {depths}, "
        f"first token {opening.get('opening')}"
    )
