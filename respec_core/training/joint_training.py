"""Training a block drafter and its Markov head together, as DSpark does (DeepSeek 2026).

Trained one after the other, the block learns to say by itself what the links will say better, and the links read states
that were never meant for them. Together, each position is judged behind the text's token before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respec_core.methods.diffuspec.block_network import BlockDrafter
from respec_core.methods.diffuspec.markov_head import Cells, MarkovHead
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance
from respec_core.training.batches import Batch
from respec_core.training.diffusion_training import (
    DiffusionRecipe,
    block_starts,
    blocks_at,
    draw_known,
    weighted_loss,
)
from respec_core.training.eagle_training import teacher
from respec_core.training.lean import LeanLlama, fast_attention
from respec_core.training.loop import train
from respec_core.training.markov_training import POSITION_SCALE, measure_markov
from respec_core.training.optimiser import Budget, Trainer
from respec_core.training.unroll import pick, read

DISTANCE_SHARE = 0.9  # of the linked loss: the L1 distance, DSpark's; the rest is cross-entropy
ALONE_SHARE = 0.3  # of the whole: what the block says without links
CHECKPOINT = "joint.ckpt"


class LinkedDrafter(nn.Module):
    """The two that are trained, as one module."""

    def __init__(self, drafter: BlockDrafter, markov: MarkovHead) -> None:
        super().__init__()
        self.drafter, self.markov = drafter, markov


@dataclass(frozen=True)
class Blocks:
    """Blocks of a batch that were filled in one pass, given the head's first token alone; ``n`` is ``block - 1``.

    Attributes:
        states: normed ``[a, n, hidden]``; ``logits``: read out ``[a, n, draft_vocab]``.
        goal: the target's distributions, the same shape.
        before: the text's token before each position ``[a, n]``.
        told: bool ``[a]``: the head's first token is the text's.
        inside: bool ``[a, n]``: the position is inside the text.
    """

    states: Tensor
    logits: Tensor
    goal: Tensor
    before: Tensor
    told: Tensor
    inside: Tensor


def train_jointly(
    target: LeanLlama,
    head: EagleHead,
    pair: LinkedDrafter,
    texts: Sequence[Text],
    held_out: Sequence[Text],
    recipe: DiffusionRecipe,
    budget: Budget,
    folder: Path,
    report: Callable[[str], None],
) -> Trainer:
    """Train until the budget is used up; checkpoints in ``folder`` let a stopped run go on."""
    head.requires_grad_(False)
    trainer = Trainer(pair, budget, adam=("mask", "markov."))

    def learn(batch: Batch, generator: torch.Generator) -> tuple[Tensor, int]:
        columns = block_starts(batch.base.shape[1], recipe.stride, generator)
        loss, blocks = joint_loss(target, head, pair, batch.to(target.device), columns.to(target.device))
        return loss, blocks * recipe.stride

    def evaluate() -> Acceptance:
        return measure_markov(target, head, pair.drafter, pair.markov, held_out, recipe.tokens)

    train(trainer, recipe.stream(texts), recipe, folder / CHECKPOINT, learn, evaluate, report)
    return trainer


def joint_loss(
    target: LeanLlama, head: EagleHead, pair: LinkedDrafter, batch: Batch, columns: Tensor
) -> tuple[Tensor, int]:
    """The loss of the blocks that start at these window columns, and how many there are.

    Position 0 is the head's guess, as in a run. Most blocks are given that alone and are judged with links; of those, and
    of the ones that are given more (for further passes), what they say without links counts too, if that guess is right.
    """
    drafter = pair.drafter
    base, tokens, inside = blocks_at(batch, columns, drafter.config.block)
    with fast_attention(target.device):
        hidden, features = target.forward(batch.tokens, features=head.config.feature_layers)
    with torch.autocast(target.device.type, target.dtype, enabled=target.dtype != torch.float32):
        with torch.no_grad():
            goal = teacher(target, hidden, batch, head.draft_to_target.long(), drafter.config.block)
            states, cache = read(head, features, batch)
            state = pick(states, base)
            first = head.draft_to_target[head.logits(state).argmax(-1)].long()
        known = draw_known((*base.shape, drafter.config.block), target.device)
        given = torch.cat((first[..., None], tokens[..., 1:]), dim=-1)
        seen = torch.arange(states.shape[1], device=base.device) <= base[..., None]
        x = drafter.denoise(head, state, base, given, known, [cache, *drafter.context(states)], seen)
        normed = head.output_norm(x)
        logits = head.lm_head(normed)
    goal = goal[:, columns[:, None] + torch.arange(drafter.config.block, device=base.device)]
    told = first == tokens[..., 0]
    asked = inside & ~known & told[..., None]
    alone = weighted_loss(logits[asked], goal[asked], asked)
    one = inside[..., 0] & ~known[..., 1:].any(-1)
    blocks = Blocks(
        normed[one][:, 1:], logits[one][:, 1:], goal[one][:, 1:], tokens[one][:, :-1], told[one], inside[one][:, 1:]
    )
    linked = linked_loss(pair.markov, head, blocks)
    return ALONE_SHARE * alone + (1 - ALONE_SHARE) * linked, int(inside[..., 0].sum())


def linked_loss(markov: MarkovHead, head: EagleHead, blocks: Blocks) -> Tensor:
    """How far the positions are from the target behind the text's own tokens, near ones counting more."""
    logits = blocks.logits.float()
    entries = Cells.of(logits.detach(), markov.config.cells).entries
    said = markov.said(F.embedding(blocks.before, head.embedding).float())
    change = markov.change(markov.read(blocks.states.float()), said, F.embedding(entries, markov.rows(head)))
    needed = torch.ones_like(blocks.inside)
    needed[:, 0] = ~blocks.told  # what the block was given needs no link
    log_p = logits.scatter_add(-1, entries, change * needed[..., None]).log_softmax(-1)
    goal = blocks.goal.float()
    distance = (log_p.exp() - goal).abs().sum(-1)
    each = DISTANCE_SHARE * distance - (1 - DISTANCE_SHARE) * (goal * log_p).sum(-1)
    weight = torch.exp(-torch.arange(each.shape[-1], device=each.device) / POSITION_SCALE) * blocks.inside
    return (each * weight).sum() / weight.sum().clamp(min=1e-6)
