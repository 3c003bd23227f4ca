"""Block and Markov head trained together: judged as a run's chains are, and both learn."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tiny import tiny_block, tiny_head, tiny_model

from respec_core.methods.diffuspec.markov_head import Cells
from respec_core.methods.parts.written_texts import Text
from respec_core.training.batches import Batch, collate
from respec_core.training.diffusion_training import DiffusionRecipe
from respec_core.training.joint_training import (
    DISTANCE_SHARE,
    Blocks,
    LinkedDrafter,
    joint_loss,
    linked_loss,
    train_jointly,
)
from respec_core.training.lean import LeanLlama
from respec_core.training.markov_training import POSITION_SCALE, new_markov_head
from respec_core.training.optimiser import Budget

TARGET = tiny_model(seed=1)
HEAD = tiny_head(TARGET)
BLOCK, SAYS, WIDTH = 5, HEAD.config.draft_vocab, HEAD.config.hidden_size


def some_blocks(n: int = 6, seed: int = 0) -> Blocks:
    draw = torch.Generator().manual_seed(seed)
    states = torch.randn((n, BLOCK - 1, WIDTH), generator=draw)
    goal = torch.randn((n, BLOCK - 1, SAYS), generator=draw).mul(3).softmax(-1)
    before = torch.randint(0, TARGET.vocab_size, (n, BLOCK - 1), generator=draw)
    return Blocks(
        states=states,
        logits=HEAD.lm_head(states).detach(),
        goal=goal,
        before=before,
        told=torch.arange(n) % 2 == 0,
        inside=torch.arange(BLOCK - 1) < torch.arange(1, n + 1)[:, None],
    )


@pytest.mark.parametrize("cells", [6, 1000])
def test_a_position_is_judged_by_what_a_run_makes_of_it(cells: int) -> None:
    markov = tiny_block(HEAD, cells=cells).markov
    blocks = some_blocks()
    rows, total, weights = markov.rows(HEAD), 0.0, 0.0
    for i, n in ((i, n) for i in range(len(blocks.states)) for n in range(BLOCK - 1)):
        if not blocks.inside[i, n]:
            continue
        log_p = blocks.logits[i, n].log_softmax(-1)
        if n or not blocks.told[i]:
            found = Cells.of(blocks.logits[i, n], cells)
            read = markov.read(blocks.states[i])[n]
            change = markov.change(read, markov.said(HEAD.embedding[blocks.before[i, n]]), rows[found.entries])
            linked = found.conditional(change)
            rest = linked.rest - found.rest  # the others keep their shares of what is left
            others = blocks.logits[i, n] + (rest if torch.isfinite(rest) else 0.0)
            log_p = others.scatter(-1, found.entries, linked.logits)
        goal, weight = blocks.goal[i, n], float(torch.exp(torch.tensor(-n / POSITION_SCALE)))
        distance, crossed = (log_p.exp() - goal).abs().sum(), -(goal * log_p).sum()
        total += weight * float(DISTANCE_SHARE * distance + (1 - DISTANCE_SHARE) * crossed)
        weights += weight
    assert float(linked_loss(markov, HEAD, blocks)) == pytest.approx(total / weights, rel=1e-5)


def test_what_is_outside_the_text_teaches_nothing() -> None:
    markov = new_markov_head(tiny_block(HEAD).drafter, 8, 4, 16)
    torch.nn.init.normal_(markov.outer.weight)
    blocks = some_blocks()
    nowhere = Blocks(**{**vars(blocks), "inside": torch.zeros_like(blocks.inside)})
    linked_loss(markov, HEAD, nowhere).backward()
    assert all(p.grad is None or not p.grad.any() for p in markov.parameters())


def pair_of() -> LinkedDrafter:
    """An untrained block and links that add nothing."""
    torch.manual_seed(0)
    drafter = tiny_block(HEAD).drafter.requires_grad_(True)
    return LinkedDrafter(drafter, new_markov_head(drafter, 16, 8, 16))


def a_batch() -> tuple[LeanLlama, Batch]:
    texts = [Text(tuple(torch.randint(0, 90, (n,)).tolist()), 6, "k", 1) for n in (16, 20)]
    return LeanLlama(TARGET.network, torch.float32, "cpu"), collate(texts)


def test_both_are_reached_and_the_head_is_left_alone() -> None:
    pair, (target, batch) = pair_of(), a_batch()
    HEAD.requires_grad_(False)
    torch.nn.init.normal_(pair.markov.outer.weight)
    loss, blocks = joint_loss(target, HEAD, pair, batch, torch.arange(0, batch.base.shape[1], 2))
    loss.backward()
    assert blocks == sum(len(range(0, n - 6, 2)) for n in (16, 20))
    for name in ("drafter.start.weight", "drafter.mask", "drafter.layers.0.qkv.weight"):
        assert pair.get_parameter(name).grad is not None, name
    for name, weight in pair.markov.named_parameters():
        assert weight.grad is not None and weight.grad.any(), name
    assert all(p.grad is None for p in HEAD.parameters())


def test_both_learn_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    draw = torch.Generator().manual_seed(3)
    texts = [Text(tuple(torch.randint(0, 90, (24,), generator=draw).tolist()), 6, "k", i) for i in range(6)]
    target, recipe = LeanLlama(TARGET.network, torch.float32, "cpu"), DiffusionRecipe(256, 128, every=60, stride=2)
    budget = Budget(60, warm_up=5, matrix_rate=5e-3, other_rate=5e-3)
    batch, columns = collate(texts), torch.arange(0, 18)

    def loss_of(pair: LinkedDrafter) -> float:
        torch.manual_seed(7)
        with torch.no_grad():
            return float(joint_loss(target, HEAD, pair, batch, columns)[0])

    pair = pair_of()
    before, weights = loss_of(pair), {n: p.detach().clone() for n, p in pair.named_parameters()}
    trained = train_jointly(target, HEAD, pair, texts, texts[:2], recipe, budget, tmp_path, lambda line: None)
    assert trained.progress.step == 60
    assert loss_of(pair) < before * 0.9
    assert any(not torch.equal(p, weights[n]) for n, p in pair.markov.named_parameters(prefix="markov"))
    again = pair_of()
    train_jointly(target, HEAD, again, texts, [], recipe, budget, tmp_path, lambda line: None)
    for name, weight in again.named_parameters():
        assert torch.equal(weight, pair.get_parameter(name)), name
