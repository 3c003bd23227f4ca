"""The Markov head's training: it learns what follows what, and what it reads of the texts is what a run reads."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tiny import tiny_block, tiny_head, tiny_model

from respec_core.methods.diffuspec.linked_block import LinkedBlock, MarkovTables
from respec_core.methods.diffuspec.markov_head import Cells
from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance
from respec_core.training.anchors import ANCHORS, KEPT_EVERY, AnchorReader, Anchors
from respec_core.training.batches import Batch, collate
from respec_core.training.lean import LeanLlama
from respec_core.training.markov_training import (
    CHECKPOINT,
    MarkovRecipe,
    conditional_chain,
    forget_markov,
    markov_loss,
    new_markov_head,
    train_markov,
)
from respec_core.training.optimiser import Budget

TARGET = tiny_model(seed=1)
HEAD = tiny_head(TARGET)
DRAFTER = tiny_block(HEAD).drafter
BLOCK, SAYS, WIDTH = 5, HEAD.config.draft_vocab, HEAD.config.hidden_size


def planted(n: int, seed: int) -> tuple[Anchors, torch.Tensor]:
    """Positions that know nothing, whose right token hangs on the token before alone; and that token's place."""
    draw = torch.Generator().manual_seed(seed)
    before = torch.randint(0, TARGET.vocab_size, (n, BLOCK - 1), generator=draw)
    entries = torch.rand((n, BLOCK - 1, SAYS), generator=draw).argsort(-1)[..., :16]
    right = torch.randint(0, 16, (n, BLOCK - 1, 1), generator=draw)
    entries = entries.where(entries != (follows := (7 * before + 3)[..., None] % SAYS), (follows + 1) % SAYS)
    entries.scatter_(-1, right, follows)
    goal = torch.zeros(entries.shape).scatter_(-1, right, 1.0)
    nothing = torch.zeros(before.shape, dtype=torch.bool)
    states, flat = torch.randn((*before.shape, WIDTH), generator=draw), torch.zeros(entries.shape)
    rest = torch.full((*before.shape, 1), -5.0)
    return Anchors(states.half(), entries.int(), flat.half(), rest, goal.half(), before, nothing, ~nothing), right


def test_a_planted_bigram_is_learned(tmp_path: Path) -> None:
    torch.manual_seed(0)
    markov = new_markov_head(DRAFTER, 64, 32, 16)
    anchors, _ = planted(2000, 0)
    asked, right = planted(200, 1)
    before = markov_loss(markov, HEAD, asked).item()
    recipe = MarkovRecipe(every=1000, batch=128, state_dropout=0.2, token_dropout=0.0)
    trained = train_markov(
        markov, HEAD, anchors, lambda: Acceptance.none((), BLOCK), recipe, Budget(200, other_rate=1e-2), tmp_path,
        lambda line: None,
    )  # fmt: skip
    assert trained.progress.step == 200
    assert markov_loss(markov, HEAD, asked).item() < before / 2
    said = markov.said(HEAD.embedding[asked.before])
    rows = markov.rows(HEAD)[asked.entries.long()]
    change = markov.change(markov.read(asked.states.float()), said, rows)
    best = asked.cells.conditional(change).logits.argmax(-1, keepdim=True)
    assert float((best == right).float().mean()) > 0.8


def test_what_the_block_was_given_and_what_is_outside_teaches_nothing() -> None:
    torch.manual_seed(0)
    markov = new_markov_head(DRAFTER, 8, 4, 16)
    torch.nn.init.normal_(markov.outer.weight)
    anchors, _ = planted(20, 0)
    nowhere = torch.zeros_like(anchors.inside)
    for still in (
        anchors.__class__(**{**vars(anchors), "told": ~nowhere}),
        anchors.__class__(**{**vars(anchors), "inside": nowhere}),
    ):
        markov.zero_grad()
        markov_loss(markov, HEAD, still).backward()
        assert all(p.grad is None or not p.grad.any() for p in markov.parameters())


@pytest.mark.parametrize("cells", [6, 1000])
def test_anchors_and_chains_are_what_a_run_has(cells: int) -> None:
    torch.manual_seed(0)
    target = LeanLlama(TARGET.network, torch.float32, "cpu")
    batch = collate([Text(tuple(torch.randint(0, 90, (n,)).tolist()), 6, "k", 1) for n in (16, 20)])
    reading = AnchorReader(target, HEAD, DRAFTER, cells, 1)
    anchors = reading.anchors(batch, torch.arange(batch.base.shape[1]))
    assert len(anchors) == int(batch.valid.sum())
    assert int(anchors.inside.sum()) == sum(
        len(range(1, min(BLOCK, n - 6 - i))) for n in (16, 20) for i in range(n - 6)
    )
    assert torch.all(anchors.goal.float().sum(-1) <= 1.01)
    markov = tiny_block(HEAD, cells=cells).markov
    states = torch.randn(3, BLOCK, WIDTH)
    first = HEAD.draft_to_target[torch.tensor([1, 5, 9])]
    chains = conditional_chain(markov, HEAD, first, states)
    tables = MarkovTables.of(markov, HEAD)
    for i, chain in enumerate(chains):
        own = (
            torch.full((SAYS,), -50.0)
            .index_fill(0, torch.searchsorted(HEAD.draft_to_target, first[i : i + 1]), 0.0)
            .log_softmax(-1)
        )
        block = LinkedBlock(tables, own, own.argmax(), states[i, 1:], HEAD.lm_head(states[i, 1:]))
        rows = block.along(chain.tolist())
        for at in range(1, BLOCK):
            known = Cells.of(block.logits[at - 1], cells).entries
            best = known[rows[at][known].argmax()]
            assert int(HEAD.draft_to_target[best]) == int(chain[at])


def test_a_stopped_run_does_not_read_its_anchors_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = LeanLlama(TARGET.network, torch.float32, "cpu")
    reading = AnchorReader(target, HEAD, DRAFTER, 16, 2)
    texts = [Text(tuple(range(5 + i, 25 + i)), 6, "k", 1) for i in range(8)]
    read = []
    anchors_of = AnchorReader.anchors

    def anchors(self: AnchorReader, batch: Batch, columns: torch.Tensor) -> Anchors:
        read.append(1)
        return anchors_of(self, batch, columns)

    def collect(wanted: int) -> Anchors:
        generator = torch.Generator().manual_seed(3)
        stream = MarkovRecipe(tokens=50, window=40).stream(texts)(generator)
        return reading.collect(stream, wanted, 1e9, generator, tmp_path, lambda line: None)

    monkeypatch.setattr(AnchorReader, "anchors", anchors)
    whole = collect(140)
    batches = len(read)
    assert batches >= 2 * KEPT_EVERY
    last = max((tmp_path / ANCHORS).iterdir())
    last.unlink()
    again = collect(140)
    assert len(read) == batches + KEPT_EVERY
    assert all(torch.equal(a, b) for a, b in zip(vars(whole).values(), vars(again).values(), strict=True))
    (tmp_path / CHECKPOINT).write_bytes(b"")
    forget_markov(tmp_path)
    assert not list(tmp_path.iterdir())
