"""Fixtures: a small real tokenizer, and a datastore built with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from respec_core.bench import datastore_growth as growth
from respec_core.retrieval.build import build
from respec_core.retrieval.encoding import Encoder


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    """A small byte-level BPE tokenizer trained on the demo corpus."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train([str(path) for path in sorted(growth.CORPUS.rglob("*.md"))], trainer)
    return Encoder(PreTrainedTokenizerFast(tokenizer_object=tokenizer))


@pytest.fixture
def built(tmp_path: Path, encoder: Encoder) -> Path:
    (tmp_path / "a.txt").write_text("The water cycle is the movement of water.\nIt never ends.")
    build([tmp_path / "a.txt"], tmp_path / "store", encoder, model="tiny")
    return tmp_path / "store"
