"""Fixtures shared by all tests; the doubles behind them are in ``support``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings
from tiny import id_store, tiny_block, tiny_head, tiny_model, tiny_network
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from respec_core.bench import datastore_growth as growth
from respec_core.methods.opening import ModelChoice, open_models
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.parts.shared import DEMO_DATASTORE
from respec_core.methods.resources import Models
from respec_core.models.encoding import TextEncoder
from respec_core.retrieval.build import build

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
# nothing about time is asserted: machines are shared
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


@pytest.fixture(autouse=True)
def threads(request: pytest.FixtureRequest) -> None:
    """Tiny models are fastest on one thread, the real one on all."""
    torch.set_num_threads(os.cpu_count() or 1 if request.node.get_closest_marker("model") else 1)


@pytest.fixture(scope="session")
def byte_tokenizer() -> PreTrainedTokenizerFast:
    """256 byte tokens in byte-level BPE, three merges, and three special tokens."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {char: i for i, char in enumerate(alphabet)}
    merges = [("h", "a"), ("Ġ", "ha"), ("t", "h")]
    for a, b in merges:
        vocab[a + b] = len(vocab)
    core = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token="<|eot|>", bos_token="<|bos|>", additional_special_tokens=["<|call|>"]
    )


@pytest.fixture(scope="session")
def model_dir(tmp_path_factory, byte_tokenizer) -> str:
    """A checkpoint folder with a random Llama and the byte tokenizer."""
    folder = tmp_path_factory.mktemp("tiny-model")
    tiny_network(vocab=len(byte_tokenizer)).cpu().save_pretrained(folder)
    byte_tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def tiny_models() -> Models:
    """A tiny target with everything that methods may need beside it."""
    store = id_store(list(range(5, 60)), [5, 6, 7, 8, 9, 10, 11, 40] * 4)
    target = tiny_model(seed=1)
    head = tiny_head(target)
    return Models(target, DraftModel(tiny_model(seed=2, layers=1)), store, head, tiny_block(head))


@pytest.fixture(scope="session")
def smollm() -> Models:
    """The embedded model in fp32, with its trained drafters and the demo corpus."""
    choice = ModelChoice(beside={"datastore": DEMO_DATASTORE}, device="cpu", dtype="fp32")
    return open_models(choice, lambda _: None)


@pytest.fixture(scope="session")
def encoder() -> TextEncoder:
    """A small byte-level BPE tokenizer trained on the demo corpus."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train([str(path) for path in sorted(growth.CORPUS.rglob("*.md"))], trainer)
    return TextEncoder(PreTrainedTokenizerFast(tokenizer_object=tokenizer))


@pytest.fixture
def built(tmp_path: Path, encoder: TextEncoder) -> Path:
    (tmp_path / "a.txt").write_text("The water cycle is the movement of water.\nIt never ends.")
    build([tmp_path / "a.txt"], tmp_path / "store", encoder, model="tiny")
    return tmp_path / "store"
