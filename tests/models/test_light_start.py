"""A kept int8 model opens without transformers' network code, which takes longer and more memory than its weights."""

from __future__ import annotations

import json

import pytest
import torch
from starts import loaded_by
from transformers import AutoTokenizer

from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.tokenizer import open_tokenizer


@pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")
def test_the_second_start_does_without(model_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path))
    first, second = loaded_by(model_dir, "pld"), loaded_by(model_dir, "pld")
    assert "transformers.modeling_utils" in first and second == []


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3", "mistral", "phi3"])
@pytest.mark.parametrize("said", ["TokenizersBackend", "PreTrainedTokenizerFast", "Qwen2Tokenizer"])
def test_a_tokenizer_is_the_one_that_transformers_opens(said, family, byte_tokenizer, tmp_path):
    byte_tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": family}))
    settings = tmp_path / "tokenizer_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"tokenizer_class": said}))
    ours, theirs = open_tokenizer(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    assert type(ours) is type(theirs)
    assert ours.get_vocab() == theirs.get_vocab()
    assert torch.equal(*(t("a b", return_tensors="pt").input_ids for t in (ours, theirs)))
