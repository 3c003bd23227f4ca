"""The training commands on one tiny random target: every stage runs, resumes, learns, and leaves weights that load."""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from respec_core.drafters.block_diffusion import BlockDrafter, BlockSession
from respec_core.drafters.eagle_head import EagleHead
from respec_core.drafters.eagle_session import EagleSession
from respec_core.errors import ReSpecError
from respec_core.training import cli
from respec_core.training.acceptance import measure
from respec_core.training.batches import collate, epochs, trainable
from respec_core.training.benchmark import first_turns
from respec_core.training.diffusion_training import new_drafter
from respec_core.training.eagle_training import new_head
from respec_core.training.lean import LeanLlama
from respec_core.training.recipes import Frame, fill
from respec_core.training.texts import Text, distinct, frequent_tokens, load_corpus, load_texts, save_texts
from respec_core.training.unroll import read, unroll
from respec_core.training.writer import Limits, Request, loop_start, write

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A two-layer Llama over bytes with a chat template, saved as a hub model would be."""
    path = tmp_path_factory.mktemp("tiny")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {"<|im_end|>": 0, "<|im_start|>": 1, **{c: i + 2 for i, c in enumerate(alphabet)}}
    raw = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", bos_token="<|im_start|>")
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(path)
    torch.manual_seed(3)
    config = LlamaConfig(
        hidden_size=32, num_attention_heads=4, num_key_value_heads=2, intermediate_size=48, vocab_size=len(vocab),
        num_hidden_layers=2, tie_word_embeddings=True, eos_token_id=0, initializer_range=0.15,
    )  # fmt: skip
    network = LlamaForCausalLM(config)
    network.generation_config.eos_token_id = 0
    network.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def network(folder: Path) -> LlamaForCausalLM:
    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def target(network: LlamaForCausalLM) -> LeanLlama:
    return LeanLlama(network, torch.float32, "cpu")


@torch.no_grad()
def test_lean_forward_is_the_models(network: LlamaForCausalLM, target: LeanLlama) -> None:
    ids = torch.randint(0, 200, (3, 11))
    whole = network(ids, output_hidden_states=True)
    hidden, features = target.forward(ids, features=(0, 1, -1))
    torch.testing.assert_close(target.logits(hidden), whole.logits, rtol=1e-4, atol=1e-5)
    expected = torch.cat([whole.hidden_states[i] for i in (0, 1, 2)], -1)
    torch.testing.assert_close(features, expected, rtol=1e-4, atol=1e-5)


def test_refuses_other_architectures(network: LlamaForCausalLM) -> None:
    config = network.config.__class__(**{**network.config.to_dict(), "attention_bias": True})
    other = LlamaForCausalLM(config)
    with pytest.raises(ReSpecError, match="plain Llama"):
        LeanLlama(other, torch.float32, "cpu")


def test_batched_greedy_writing_equals_plain_decoding(network: LlamaForCausalLM, target: LeanLlama) -> None:
    prompts = [tuple(range(5, 5 + n)) for n in (3, 9, 9, 4, 30)]
    written = write(target, [Request(p, 0.0, 12) for p in prompts], frozenset([0]), Limits(rows=3), 0)
    for prompt, answer in zip(prompts, written, strict=True):
        inputs = torch.tensor([prompt])
        plain = network.generate(
            inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=12, do_sample=False, pad_token_id=0
        )
        assert answer == plain[0, len(prompt) :].tolist()


def test_sampled_writing_is_seeded_and_ends_at_its_limits(target: LeanLlama) -> None:
    requests = [Request((7, 8, 9), 1.0, n) for n in (5, 40, 40)]
    one, two, other = (write(target, requests, frozenset([0]), Limits(min_p=1e-6), s) for s in (1, 1, 2))
    assert one == two != other
    assert [len(w or ()) <= r.max_new for w, r in zip(one, requests, strict=True)] == [True] * 3


def test_a_loop_is_cut_where_it_has_gone_round() -> None:
    plain = torch.arange(100)
    looping = torch.cat((torch.arange(20), torch.tensor([1, 2, 3]).repeat(30)[:80]))
    starts, ends = torch.tensor([10, 10]), torch.tensor([100, 90])
    cut = loop_start(torch.stack((plain, looping)), starts, ends)
    assert cut.tolist() == [100, 20 + 3 + 32]


def test_texts_keep_their_fields_and_lose_doubles(tmp_path: Path) -> None:
    texts = [Text((1, 2, 3, 4, 5, 6), 2, "qa", 50), Text((1, 2, 7, 8, 9, 9), 2, "math", 51)]
    save_texts(texts, tmp_path / "2-a.safetensors")
    assert load_texts(tmp_path / "2-a.safetensors") == texts
    (tmp_path / "3-b.gz").write_bytes(gzip.compress((tmp_path / "2-a.safetensors").read_bytes()))
    assert load_corpus(tmp_path) == texts * 2
    assert [t.held_out for t in texts] == [True, False]
    assert list(distinct([*texts, texts[0], Text((1, 2, 3), 2, "qa", 1)])) == texts  # one prompt, two answers
    ids, share = frequent_tokens(texts, 20, 2)
    assert ids.tolist() == [3, 9]
    assert share == pytest.approx(3 / 8)


def test_batches_hold_every_text_once_an_epoch() -> None:
    texts = [Text(tuple(range(2, 12 + i % 9)), 3 + i % 4, "k", i) for i in range(40)]
    stream = epochs(texts, 64, 40, torch.Generator().manual_seed(0))
    seen = 0
    while seen < len(texts):
        batch = next(stream)
        assert batch.tokens.numel() <= 96  # 64, rounded up to whole columns
        seen += len(batch.tokens)
    assert seen == len(texts)
    batch = collate(trainable(texts[:2], 64))
    assert batch.base[0].tolist()[: int(batch.valid[0].sum())] == list(range(2, len(texts[0].tokens) - 2))


def test_unrolled_chain_equals_the_session(target: LeanLlama) -> None:
    torch.manual_seed(0)
    head = new_head(target, torch.arange(100), (0, 1, -1), 3, 1.5).eval().requires_grad_(False)
    batch = collate([Text(tuple(torch.randint(2, 200, (n,)).tolist()), 4, "k", 1) for n in (14, 20)])
    _, features = target.forward(batch.tokens, features=head.config.feature_layers)
    states = unroll(head, features, batch, 4)
    everywhere, (keys, values) = read(head, features, batch)
    t = int(batch.base[1, 5])
    session = EagleSession(head, 32)
    torch.testing.assert_close(
        session.extend(features[1, : t + 1], batch.tokens[1, 1 : t + 2].tolist()), everywhere[1, : t + 1],
        rtol=1e-4, atol=1e-5,
    )  # fmt: skip
    torch.testing.assert_close(session.committed[0], keys[1, :, : t + 1], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(session.committed[1], values[1, :, : t + 1], rtol=1e-4, atol=1e-5)
    for step in range(1, 4):
        state = session.step([step - 2], [int(batch.tokens[1, t + 1 + step])])
        torch.testing.assert_close(state[0], states[step][1, 5], rtol=1e-4, atol=1e-4)


def test_block_session_equals_the_batched_denoiser(target: LeanLlama) -> None:
    torch.manual_seed(0)
    head = new_head(target, torch.arange(100), (0, 1, -1), 3).eval().requires_grad_(False)
    drafter = new_drafter(head, 2, 4, 24).eval().requires_grad_(False)
    for parameter in drafter.parameters():
        parameter.copy_(torch.randn_like(parameter) * 0.2)
    batch = collate([Text(tuple(torch.randint(2, 100, (9,)).tolist()), 2, "k", 1)])
    features = torch.randn(1, batch.tokens.shape[1], 96)
    states, cache = read(head, features, batch)
    base, known = torch.tensor([[3, 6]]), torch.tensor([[[True, False, True, False], [True, False, False, False]]])
    tokens = torch.randint(0, 100, (1, 2, 4))
    seen = torch.arange(states.shape[1]) <= base[..., None]
    start, context = states[:, base[0]], [cache, *drafter.context(states)]
    batched = head.logits(drafter.denoise(head, start, base, tokens, known, context, seen))
    session, reading = BlockSession(drafter, head, 16), EagleSession(head, 16)
    session.extend(reading.extend(features[0, :4], batch.tokens[0, 1:5].tolist()))
    given = {i: int(tokens[0, 0, i]) for i in (0, 2)}
    torch.testing.assert_close(session.fill(given, reading.committed), batched[0, 0], rtol=1e-4, atol=1e-4)
    session.extend(reading.extend(features[0, 4:7], batch.tokens[0, 5:8].tolist()))
    filled = session.fill({0: int(tokens[0, 1, 0])}, reading.committed)
    torch.testing.assert_close(filled, batched[0, 1], rtol=1e-4, atol=1e-4)


def test_frame_and_templates(folder: Path) -> None:
    frame = Frame.of(PreTrainedTokenizerFast.from_pretrained(folder), frozenset([0]))
    before = frame.encode("<|im_start|>user\n")
    assert frame.before == tuple(before)
    assert frame.again == (*frame.encode("\n"), *before)
    assert fill("A {doc}!", frame, doc=[99]) == [*frame.encode("A "), 99, *frame.encode("!")]


def test_first_turns_take_kinds_evenly(tmp_path: Path) -> None:
    rows = [{"category": c, "turns": [f"{c} {i}", "x"]} for c in ("writing", "math", "qa") for i in range(3)]
    rows += [{"category": k, "turns": [k]} for k in ("translation", "summarization", "math_reasoning", "rag")]
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    picked = first_turns(path, 2)
    assert [q for k, q in picked if k == "mt_bench"] == ["writing 0", "math 0"]
    assert [q for k, q in picked if k == "qa"] == ["qa 0", "qa 1"]


def test_all_commands_train_drafters_for_another_target(folder: Path, tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    cli.add_arguments(parser)
    out, work = tmp_path / "out", tmp_path / "work"
    common = (
        f"--target {folder} --work {work} --out {out} --device cpu --dtype fp32 --user-turns 120 --answer-tokens 16 "
        "--context-tokens 60 --tokens 1024 --window 256 --vocab 150 --depth 3 --block 4 --every 40 --rate 0.01"
    ).split()
    assert cli.main(parser.parse_args(["data", *common])) == 0
    stages = sorted(p.name for p in (work / "corpus").iterdir())
    assert [s[0] for s in stages] == list("1234")
    assert cli.main(parser.parse_args(["eagle", *common, "--steps", "160"])) == 0
    assert cli.main(parser.parse_args(["diffusion", *common, "--steps", "20"])) == 0
    cards = json.loads((out / "card.json").read_text())
    assert cards["eagle"]["training"]["steps"] == 160
    curve = json.loads((out / "eagle-curve.json").read_text())
    losses = next(t["y"] for t in curve["data"] if t["name"] == "loss")
    assert losses[-1] < losses[0]
    assert "## Block-diffusion drafter" in (out / "README.md").read_text()
    network = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    head = EagleHead.load(out, network.get_input_embeddings().weight)
    assert BlockDrafter.load(out).config.block == 4
    # going on from the checkpoint: the budget is used up, so nothing more is trained
    assert cli.main(parser.parse_args(["eagle", *common, "--steps", "160"])) == 0
    again = EagleHead.load(out, network.get_input_embeddings().weight)
    assert torch.equal(head.qkv.weight, again.qkv.weight)
    held_out = [Text(tuple(range(2, 30)), 5, "k", 0)]
    assert len(measure(LeanLlama(network, torch.float32, "cpu"), again, held_out, 3, 256).overall) == 3
