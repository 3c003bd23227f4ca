"""Training a block-diffusion drafter as a masked denoiser on a frozen EAGLE head's states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.block_network import BlockConfig, BlockDrafter
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance, measure_guesses
from respec_core.training.batches import Batch
from respec_core.training.eagle_training import teacher
from respec_core.training.lean import LeanLlama, fast_attention
from respec_core.training.loop import Recipe, train
from respec_core.training.optimiser import Budget, Trainer
from respec_core.training.unroll import guesses_exist, pick, read

POSITION_DECAY = 0.85
FIRST_ONLY = 0.7


@dataclass(frozen=True)
class DiffusionRecipe(Recipe):
    """How a block drafter is trained.

    Attributes:
        stride: a block starts at every so many window positions, and one at the window's first.
    """

    stride: int = 4


def new_drafter(head: EagleHead, layers: int, block: int, inner: int) -> BlockDrafter:
    """A drafter that begins as the head it stands on.

    Raises:
        ReSpecError: for a public head, whose layout has not the parts to begin from.
    """
    c = head.config
    if c.layout != "respec":
        raise ReSpecError("A diffusion drafter stands on a head trained here: run `train eagle` for this target first.")
    config = BlockConfig(
        c.hidden_size, c.num_heads, c.num_kv_heads, c.head_dim, c.intermediate_size, inner, layers, block,
        c.rms_norm_eps, c.rope_theta,
    )  # fmt: skip
    drafter = BlockDrafter(config).to(head.lm_head.weight.device)
    drafter.start_from(head)
    return drafter


def draw_known(shape: tuple[int, int, int], device: torch.device) -> Tensor:
    """Which positions of each block are given, bool ``[rows, a, block]``.

    Always the first, which is the head's guess; mostly that alone, as the first pass of a draft has it, else a random
    share of the block, so that later passes work too.
    """
    more = torch.rand(shape[:2], device=device)[..., None] >= FIRST_ONLY
    share = torch.rand(shape[:2], device=device)[..., None]
    known = (torch.rand(shape, device=device) < share) & more
    known[..., 0] = True
    return known


def block_starts(width: int, stride: int, generator: torch.Generator) -> Tensor:
    """Window columns that blocks start at: every ``stride``-th from a random one on, and always that of the first draft."""
    offset = int(torch.randint(min(stride, width), (1,), generator=generator))
    columns = torch.arange(offset, width, stride)
    return columns if offset == 0 else torch.cat((columns.new_zeros(1), columns))


def blocks_at(batch: Batch, columns: Tensor, block: int) -> tuple[Tensor, Tensor, Tensor]:
    """Base rows ``[rows, a]``, block tokens and whether they are inside the text, both ``[rows, a, block]``."""
    base = batch.base[:, columns]
    at = base[..., None] + 2 + torch.arange(block, device=base.device)
    tokens = batch.tokens.gather(1, at.clamp(max=batch.tokens.shape[1] - 1).flatten(1)).view(at.shape)
    inside = torch.stack([guesses_exist(batch, j)[:, columns] for j in range(block)], dim=-1)
    return base, tokens, inside


def train_diffusion(
    target: LeanLlama,
    head: EagleHead,
    drafter: BlockDrafter,
    texts: Sequence[Text],
    held_out: Sequence[Text],
    recipe: DiffusionRecipe,
    budget: Budget,
    folder: Path,
    report: Callable[[str], None],
) -> Trainer:
    """Train until the budget is used up; checkpoints in ``folder`` let a stopped run go on."""
    head.requires_grad_(False)
    trainer = Trainer(drafter, budget, adam=("mask",))
    block, device = drafter.config.block, target.device
    vocabulary = head.draft_to_target.to(torch.long)

    def learn(batch: Batch, generator: torch.Generator) -> tuple[Tensor, int]:
        batch = batch.to(device)
        columns = block_starts(batch.base.shape[1], recipe.stride, generator).to(device)
        base, tokens, inside = blocks_at(batch, columns, block)
        with fast_attention(device):
            hidden, features = target.forward(batch.tokens, features=head.config.feature_layers)
        with torch.autocast(device.type, target.dtype, enabled=target.dtype != torch.float32):
            with torch.no_grad():
                goal = teacher(target, hidden, batch, vocabulary, block)
                states, cache = read(head, features, batch)
            known = draw_known((len(base), base.shape[1], block), device)
            seen = torch.arange(states.shape[1], device=device) <= base[..., None]
            context = [cache, *drafter.context(states)]
            x = drafter.denoise(head, pick(states, base), base, tokens, known, context, seen)
            asked = inside & ~known
            place = columns[:, None] + torch.arange(block, device=device)
            loss = weighted_loss(head.logits(x[asked]), goal[:, place][asked], asked)
        return loss, int(inside[..., 0].sum()) * recipe.stride

    def evaluate() -> Acceptance:
        return measure_blocks(target, head, drafter, held_out, recipe.tokens)

    train(trainer, recipe.stream(texts), recipe, folder / "diffusion.ckpt", learn, evaluate, report)
    return trainer


def weighted_loss(logits: Tensor, goal: Tensor, asked: Tensor) -> Tensor:
    """Cross-entropy of the masked positions, near ones counting more: a far one is reached only if they hold."""
    weight = POSITION_DECAY ** torch.arange(asked.shape[-1], device=asked.device)
    each = weight.expand(asked.shape)[asked]
    logp = logits.float().log_softmax(dim=-1)
    return -((goal.float() * logp).sum(-1) * each).sum() / each.sum().clamp(min=1e-6)


def measure_blocks(
    target: LeanLlama, head: EagleHead, drafter: BlockDrafter, texts: Sequence[Text], tokens: int, passes: int = 1
) -> Acceptance:
    """Acceptance by position of blocks whose first token is the head's; each further pass fixes one more token."""
    block = drafter.config.block

    def guess(features: Tensor, batch: Batch) -> Tensor:
        states, cache = read(head, features, batch)
        state, context = pick(states, batch.base), [cache, *drafter.context(states)]
        seen = torch.arange(states.shape[1], device=states.device) <= batch.base[..., None]
        first = head.draft_to_target[head.logits(state).argmax(-1)]
        found = first[..., None].repeat(1, 1, block)
        known = torch.zeros_like(found, dtype=torch.bool)
        for i in range(passes):
            known[..., i] = True
            x = drafter.denoise(head, state, batch.base, found, known, context, seen)
            found = torch.where(known, found, head.draft_to_target[head.logits(x).argmax(-1)])
        return found

    return measure_guesses(target, guess, texts, head.config.feature_layers, block, tokens)
