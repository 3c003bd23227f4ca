"""The EAGLE head: public checkpoint formats against direct re-computation, the session against a full forward."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from eagle_reference import (
    DRAFT,
    EPS,
    HEADS,
    INNER,
    KV,
    THETA,
    VOCAB,
    D,
    H,
    decoder_layer,
    eagle3_logits,
    eagle3_states,
    eagle3_weights,
    layer_weights,
    write,
    write_speculators,
)
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from respec_core.errors import ReSpecError
from respec_core.methods.eagle.head import UNSAID_CONTEXT, EagleConfig, EagleHead
from respec_core.methods.eagle.public_checkpoints import load_public
from respec_core.methods.eagle.session import EagleSession


@pytest.fixture(scope="module")
def target() -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=H, num_attention_heads=HEADS, num_key_value_heads=KV, intermediate_size=INNER, vocab_size=VOCAB,
        num_hidden_layers=6, tie_word_embeddings=False,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


def states(target: LlamaForCausalLM, ids: list[int]) -> tuple[Tensor, ...]:
    with torch.no_grad():
        return tuple(h[0] for h in target(torch.tensor([ids]), output_hidden_states=True).hidden_states)


IDS = [5, 17, 33, 2, 71, 8, 44]


@pytest.mark.parametrize("bias", [True, False])
def test_reads_public_eagle_checkpoint(target: LlamaForCausalLM, tmp_path: Path, bias: bool) -> None:
    w = {**layer_weights("layers.0.", H), "fc.weight": torch.randn(H, 2 * H) * 0.2}
    if bias:
        w["fc.bias"] = torch.randn(H)
    write(tmp_path, w)
    head = load_public(tmp_path, target)
    feature = states(target, IDS)[-1][:-1]
    token = target.get_input_embeddings().weight.detach()[torch.tensor(IDS[1:])]
    x = F.linear(torch.cat((token, feature), -1), w["fc.weight"], w.get("fc.bias"))
    expected = decoder_layer(w, "layers.0.", x, x)
    found = EagleSession(head, 16).extend(feature, IDS[1:])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    logits = expected @ target.get_output_embeddings().weight.T
    torch.testing.assert_close(head.logits(found), logits, rtol=1e-4, atol=1e-4)
    assert head.config.feature_layers == (-1,)


def test_reads_public_eagle3_checkpoint(target: LlamaForCausalLM, tmp_path: Path) -> None:
    w = eagle3_weights()
    write(tmp_path, w, draft_vocab_size=DRAFT)
    head = load_public(tmp_path, target)
    assert head.config.feature_layers == (2, 3, 3)  # of six layers, as the authors' code counts
    hidden = states(target, IDS)
    features = torch.cat([hidden[i] for i in head.config.feature_layers], -1)[:-1]
    token = torch.tensor(IDS[1:])
    expected = eagle3_states(w, features @ w["fc.weight"].T, token, target.get_input_embeddings().weight.detach())
    session = EagleSession(head, 16)
    found = session.extend(features, IDS[1:])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    log_p, tokens = session.pick(session.log_p(found[-1:]), 3)
    best = eagle3_logits(w, expected[-1]).log_softmax(-1).topk(3)
    torch.testing.assert_close(log_p[0], best.values, rtol=1e-4, atol=1e-4)
    assert tokens[0].tolist() == best.indices.tolist()
    assert all(w["t2d"][t] for t in tokens[0].tolist())


def test_reads_a_speculators_checkpoint(target: LlamaForCausalLM, tmp_path: Path) -> None:
    """Its layer's config nested, the residual behind the norm, layers of its own choice."""
    w, own = eagle3_weights(), torch.randn(VOCAB, H)
    write_speculators(tmp_path, w, own, [1, 2, 4], H)
    head = load_public(tmp_path, target)
    assert (head.config.feature_layers, head.config.target_width) == ((1, 2, 4), H)
    hidden = states(target, IDS)
    features = torch.cat([hidden[i] for i in (1, 2, 4)], -1)[:-1]
    expected = eagle3_states(w, features @ w["fc.weight"].T, torch.tensor(IDS[1:]), own, normed=True)
    torch.testing.assert_close(EagleSession(head, 16).extend(features, IDS[1:]), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rows", [VOCAB - 3, VOCAB + 40])
def test_a_public_head_may_come_from_a_network_padded_differently(
    target: LlamaForCausalLM, tmp_path: Path, rows: int
) -> None:
    w, lent = eagle3_weights(), target.get_input_embeddings().weight.detach()
    w["d2t"] = torch.zeros(DRAFT, dtype=torch.long)  # says the first tokens
    w["t2d"] = torch.arange(rows) < DRAFT
    embedded = torch.cat((lent, torch.randn(rows, H)))[:rows].clone()
    write(tmp_path, {**w, "embed_tokens.weight": embedded}, draft_vocab_size=DRAFT)
    head = load_public(tmp_path, target)
    assert head.config.target_vocab == rows
    assert torch.equal(head.embedding, lent)  # the target's own where both agree
    write(tmp_path, {**w, "embed_tokens.weight": embedded + 1}, draft_vocab_size=DRAFT)
    own = load_public(tmp_path, target).embedding
    assert torch.equal(own[: min(rows, VOCAB)], (embedded + 1)[:VOCAB])
    assert len(own) == VOCAB


def test_refuses_what_it_cannot_read(target: LlamaForCausalLM, tmp_path: Path) -> None:
    with pytest.raises(ReSpecError, match=r"needs config\.json"):
        load_public(tmp_path, target)
    for scaling, says in (
        ({"type": "dynamic", "factor": 2.0}, "linear, llama3 are known"),
        ({"type": "linear", "factor": -2.0}, "values that are none"),
        ({"rope_type": "llama3", "factor": 2.0}, "values that are none"),
    ):
        write(tmp_path, eagle3_weights(), rope_scaling=scaling)
        with pytest.raises(ReSpecError, match=says):
            load_public(tmp_path, target)


LLAMA3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}


@pytest.mark.parametrize("scaling", [{"rope_type": "linear"}, {"rope_type": "llama3", **LLAMA3}], ids=str)
def test_scaled_rotary_positions_are_those_of_transformers(target: LlamaForCausalLM, tmp_path: Path, scaling) -> None:
    write(tmp_path, eagle3_weights(), rope_scaling=scaling | {"factor": 8.0})
    config = LlamaConfig(
        hidden_size=H, num_attention_heads=HEADS, head_dim=D, max_position_embeddings=512,
        rope_parameters=scaling | {"factor": 8.0, "rope_theta": THETA},
    )  # fmt: skip
    expected = LlamaRotaryEmbedding(config).inv_freq
    head = load_public(tmp_path, target)
    torch.testing.assert_close(head.inv_freq, expected)
    assert not torch.allclose(
        head.inv_freq,
        LlamaRotaryEmbedding(
            LlamaConfig(head_dim=D, rope_parameters={"rope_type": "default", "rope_theta": THETA})
        ).inv_freq,
    )


@pytest.fixture
def head() -> EagleHead:
    torch.manual_seed(1)
    config = EagleConfig("respec", H, HEADS, KV, D, INNER, EPS, THETA, (1, 3, -1), VOCAB, DRAFT)
    return EagleHead(config).eval().requires_grad_(False).attach(torch.randn(VOCAB, H))


def test_extending_in_parts_equals_extending_at_once(head: EagleHead) -> None:
    features, tokens = torch.randn(9, 3 * H), list(range(9))
    whole = EagleSession(head, 16).extend(features, tokens)
    parts = EagleSession(head, 16)
    first = parts.extend(features[:4], tokens[:4])
    parts.step([-1, -1], [7, 8])  # drafted rows must leave no trace
    rest = [parts.extend(features[4:5], tokens[4:5]), parts.extend(features[5:], tokens[5:])]
    torch.testing.assert_close(torch.cat([first, *rest]), whole, rtol=1e-4, atol=1e-5)


def test_a_drafted_row_sees_only_its_ancestors(head: EagleHead) -> None:
    features, tokens = torch.randn(5, 3 * H), list(range(5))
    chain = EagleSession(head, 16)
    chain.extend(features, tokens)
    alone = [chain.step([-1], [11]), chain.step([0], [12]), chain.step([1], [13])]
    tree = EagleSession(head, 16)
    tree.extend(features, tokens)
    a = tree.step([-1, -1, -1], [30, 11, 31])
    b = tree.step([0, 1, 1, 2], [32, 12, 33, 34])
    c = tree.step([4, 5, 3], [13, 35, 36])
    for expected, found in zip(alone, (a[1:2], b[1:2], c[:1]), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_own_format_keeps_numbers(head: EagleHead, tmp_path: Path) -> None:
    head = head.half().float()
    head.draft_to_target.copy_(torch.arange(DRAFT) * 2)
    head.config = replace(head.config, context=500)
    head.save(tmp_path)
    again = EagleHead.load(tmp_path, head.embedding)
    assert again.config == head.config
    head.config = replace(head.config, context=None)
    head.save(tmp_path)
    assert EagleHead.load(tmp_path, head.embedding).config.context == UNSAID_CONTEXT
    features = torch.randn(3, 3 * H)
    a, b = (EagleSession(h, 8).extend(features, [1, 2, 3]) for h in (head, again))
    torch.testing.assert_close(a, b)
    assert again.draft_to_target.tolist() == list(range(0, 2 * DRAFT, 2))
    with pytest.raises(ReSpecError, match="was made for a target"):
        again.attach(torch.zeros(VOCAB, H + 1))
