"""Training the Markov head of a frozen block drafter (DSpark, DeepSeek 2026)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from respec_core.methods.diffuspec.block_network import BlockDrafter
from respec_core.methods.diffuspec.markov_head import Cells, MarkovConfig, MarkovHead
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance, measure_guesses
from respec_core.training.anchors import ANCHORS, Anchors, first_pass
from respec_core.training.batches import Batch
from respec_core.training.lean import LeanLlama
from respec_core.training.loop import Recipe, train
from respec_core.training.optimiser import Budget, Trainer

POSITION_SCALE = 4.0  # position k counts by exp(-k / 4), DSpark's
LEAST_LOG_P = -100.0  # of what no cell holds, where there is nothing
READING_SHARE = 0.6  # of the time, at most
WARM_UP = 20  # steps
CHECKPOINT = "markov.ckpt"


@dataclass(frozen=True)
class MarkovRecipe(Recipe):
    """How a Markov head is trained.

    Attributes:
        anchors: blocks of the training texts that it goes over again and again, ``batch`` of them at a time.
        epochs: how often it goes over them; more learn the texts by heart.
        stride: a block starts at every so many window positions.
        state_dropout, token_dropout: shares of the states and of the embeddings before them that are hidden, likewise.
    """

    anchors: int = 80_000
    batch: int = 256
    epochs: float = 1.6
    stride: int = 2
    state_dropout: float = 0.5
    token_dropout: float = 0.2


def new_markov_head(drafter: BlockDrafter, width: int = 256, rank: int = 64, cells: int = 64) -> MarkovHead:
    """A Markov head that adds nothing yet."""
    c = drafter.config
    config = MarkovConfig(c.hidden_size, c.block, width, rank, cells, c.rms_norm_eps)
    return MarkovHead(config).to(drafter.mask.device)


def forget_markov(folder: Path) -> None:
    """Delete what a training keeps in ``folder``: the block that it is about is another one now."""
    (folder / CHECKPOINT).unlink(missing_ok=True)
    shutil.rmtree(folder / ANCHORS, ignore_errors=True)


def train_markov(
    markov: MarkovHead,
    head: EagleHead,
    anchors: Anchors,
    evaluate: Callable[[], Acceptance],
    recipe: MarkovRecipe,
    budget: Budget,
    folder: Path,
    report: Callable[[str], None],
) -> Trainer:
    """Train until the budget is used up; checkpoints in ``folder`` let a stopped run go on."""
    head.requires_grad_(False)
    trainer = Trainer(markov, budget, adam=("",))

    def learn(batch: Anchors, _: torch.Generator) -> tuple[Tensor, int]:
        return markov_loss(markov, head, batch, recipe), int(batch.inside.sum())

    def stream(generator: torch.Generator) -> Iterator[Anchors]:
        return anchors.shuffled(recipe.batch, generator)

    train(trainer, stream, recipe, folder / CHECKPOINT, learn, evaluate, report)
    return trainer


def markov_loss(markov: MarkovHead, head: EagleHead, anchors: Anchors, recipe: MarkovRecipe | None = None) -> Tensor:
    """Cross-entropy of the changed positions against the target, near ones counting more.; with the recipe's dropout."""
    hide = recipe or MarkovRecipe(state_dropout=0.0, token_dropout=0.0)
    before = F.embedding(anchors.before, head.embedding).float()
    said = markov.said(F.dropout(before, hide.token_dropout))
    read = markov.read(F.dropout(anchors.states.float(), hide.state_dropout))
    rows = F.embedding(anchors.entries.long(), markov.rows(head))
    change = markov.change(read, said, rows)
    found = anchors.cells.conditional(change * ~anchors.told[..., None])
    goal = anchors.goal.float()
    others = (1 - goal.sum(-1)).clamp(min=0)
    each = -(goal * found.logits).sum(-1) - others * found.rest[..., 0].clamp(min=LEAST_LOG_P)
    weight = torch.exp(-torch.arange(each.shape[-1], device=each.device) / POSITION_SCALE) * anchors.inside
    return (each * weight).sum() / weight.sum().clamp(min=1e-6)


def measure_markov(
    target: LeanLlama, head: EagleHead, drafter: BlockDrafter, markov: MarkovHead, texts: Sequence[Text], tokens: int
) -> Acceptance:
    """Acceptance by position of chains whose every token is the likeliest behind the one before; the first is the head's."""

    def guess(features: Tensor, batch: Batch) -> Tensor:
        first, normed = first_pass(head, drafter, features, batch, batch.base)
        return conditional_chain(markov, head, first, normed)

    return measure_guesses(target, guess, texts, head.config.feature_layers, drafter.config.block, tokens)


@torch.no_grad()
def conditional_chain(markov: MarkovHead, head: EagleHead, first: Tensor, normed: Tensor) -> Tensor:
    """Tokens ``[..., block]`` behind the head's guesses ``first [...]``, from normed states ``[..., block, hidden]``."""
    rows, read = markov.rows(head), markov.read(normed[..., 1:, :].float())
    found = [first]
    for i in range(1, normed.shape[-2]):
        cells = Cells.of(head.lm_head(normed[..., i, :]), markov.config.cells)
        if i > 1:  # the block was given the first
            said = markov.said(F.embedding(found[-1], head.embedding).float())
            change = markov.change(read[..., i - 1, :], said, F.embedding(cells.entries, rows))
            cells = cells.conditional(change)
        best = cells.entries.gather(-1, cells.logits.argmax(-1, keepdim=True))[..., 0]
        found.append(head.draft_to_target[best].long())
    return torch.stack(found, dim=-1)
