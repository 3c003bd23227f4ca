"""Training an EAGLE head: soft targets from the target's own logits, unrolled over several draft steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from respec_core.methods.eagle.head import EagleConfig, EagleHead
from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance, measure
from respec_core.training.batches import Batch
from respec_core.training.lean import LeanLlama, fast_attention
from respec_core.training.loop import Recipe, train
from respec_core.training.optimiser import Budget, Trainer
from respec_core.training.unroll import guesses_exist, pick, unroll

STEP_DECAY = 0.9
HARD_SHARE = 0.5
FIRST_SHARE = 0.25


@dataclass(frozen=True)
class EagleRecipe(Recipe):
    """How a head is trained.

    Attributes:
        depth: draft steps unrolled at the end; ``first_depth`` steps at first, for ``first_share`` of the budget.
    """

    depth: int = 5
    first_depth: int = 2
    first_share: float = FIRST_SHARE


def new_head(target: LeanLlama, vocabulary: Tensor, layers: Sequence[int], depth: int, widen: float = 1.0) -> EagleHead:
    """A head shaped like the target's layers, started from its last layer and its output rows.

    Args:
        vocabulary: token ids of the draft vocabulary, ascending.
        layers: hidden states the head reads, -1 the last.
        widen: how much wider its MLP is than the target's (at least 1).
    """
    inner = int(target.inner * widen)
    config = EagleConfig(
        layout="respec",
        hidden_size=target.width,
        num_heads=target.heads,
        num_kv_heads=target.kv_heads,
        head_dim=target.head_dim,
        intermediate_size=inner,
        rms_norm_eps=target.eps,
        rope_theta=target.rope_theta,
        feature_layers=tuple(layers),
        target_vocab=target.vocab,
        draft_vocab=len(vocabulary),
        depth=depth,
    )
    head = EagleHead(config).to(target.device)
    last, h = target.layers[-1], target.width
    with torch.no_grad():
        for parameter, weight in (
            (head.qkv.weight, last.qkv), (head.out.weight, last.out), (head.input_norm.weight, last.attention_norm),
            (head.mlp.gate_up.weight[: target.inner], last.gate_up[: target.inner]),
            (head.mlp.gate_up.weight[inner : inner + target.inner], last.gate_up[target.inner :]),
            (head.mlp.down.weight[:, : target.inner], last.down),
            (head.mlp_norm.weight, last.mlp_norm), (head.output_norm.weight, target.norm),
            (head.lm_head.weight, target.output[vocabulary.to(target.device)]),
        ):  # fmt: skip
            parameter.copy_(weight)
        head.mlp.down.weight[:, target.inner :] = 0.0
        # the last feature passes through at first; what else helps is learned
        head.fuse_features.weight.mul_(0.3)[:, -h:] += torch.eye(h, device=target.device)
        head.join.weight.mul_(0.3)[:, -h:] += torch.eye(h, device=target.device)
        head.draft_to_target.copy_(vocabulary)
    return head.attach(target.embedding)


def teacher(target: LeanLlama, hidden: Tensor, batch: Batch, vocabulary: Tensor, steps: int) -> Tensor:
    """What the target would say behind each window position and the ``steps - 1`` after it, over the draft vocabulary.

    Args:
        hidden: normed last hidden states ``[rows, n, width]``.

    Returns:
        ``[rows, w + steps - 1, draft_vocab]``: entry i is for what follows token ``base[0] + 1 + i``; its softmax mixed
        with its argmax, because greedy acceptance asks for the argmax.
    """
    ahead = torch.arange(batch.base.shape[1] + steps - 1, device=hidden.device)
    at = (batch.base[:, :1] + 1 + ahead).clamp(max=hidden.shape[1] - 1)
    logits = F.linear(pick(hidden, at), target.output[vocabulary])
    goal = logits.softmax(dim=-1) * (1 - HARD_SHARE)
    return goal.scatter_add_(-1, logits.argmax(-1, keepdim=True), torch.full_like(goal[..., :1], HARD_SHARE))


def soft_loss(logits: Tensor, goal: Tensor) -> Tensor:
    """Summed cross-entropy of logits against distributions, both ``[n, vocab]``."""
    return F.cross_entropy(logits.float(), goal.float(), reduction="sum")


def eagle_loss(head: EagleHead, states: Sequence[Tensor], goal: Tensor, batch: Batch) -> Tensor:
    """Mean cross-entropy of every step, later steps counting a little less."""
    width = batch.base.shape[1]
    loss = states[0].new_zeros((), dtype=torch.float32)
    for step, state in enumerate(states):
        there = guesses_exist(batch, step)
        each = soft_loss(head.logits(state[there]), goal[:, step : step + width][there])
        loss = loss + STEP_DECAY**step * each / there.sum().clamp(min=1)
    return loss / sum(STEP_DECAY**step for step in range(len(states)))


def train_eagle(
    target: LeanLlama,
    head: EagleHead,
    texts: Sequence[Text],
    held_out: Sequence[Text],
    recipe: EagleRecipe,
    budget: Budget,
    folder: Path,
    report: Callable[[str], None],
) -> Trainer:
    """Train until the budget is used up; checkpoints in ``folder`` let a stopped run go on."""
    trainer, layers = Trainer(head, budget), head.config.feature_layers
    vocabulary = head.draft_to_target.to(torch.long)

    def learn(batch: Batch, _: torch.Generator) -> tuple[Tensor, int]:
        batch = batch.to(target.device)
        steps = recipe.first_depth if trainer.fraction < recipe.first_share else recipe.depth
        with fast_attention(target.device):
            hidden, features = target.forward(batch.tokens, features=layers)
        with torch.no_grad():
            goal = teacher(target, hidden, batch, vocabulary, steps)
        with torch.autocast(target.device.type, target.dtype, enabled=target.dtype != torch.float32):
            states = unroll(head, features, batch, steps)
            loss = eagle_loss(head, states, goal, batch)
        return loss, int(batch.valid.sum())

    def evaluate() -> Acceptance:
        return measure(target, head, held_out, recipe.depth, recipe.tokens)

    train(trainer, recipe.stream(texts), recipe, folder / "eagle.ckpt", learn, evaluate, report)
    return trainer
