"""The training commands on one tiny random target: every stage runs, resumes, learns, and leaves weights that load."""

from __future__ import annotations

import argparse
import gzip
import json
import random
from itertools import islice, pairwise
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from respec_core.cli import train as cli
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.block_network import BlockDrafter, BlockSession
from respec_core.methods.diffuspec.context_rows import ContextRows
from respec_core.methods.diffuspec.markov_head import MarkovHead
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.reader import FeatureReader
from respec_core.methods.eagle.session import EagleSession
from respec_core.methods.parts.written_texts import (
    Text,
    is_held_out,
    load_corpus,
    load_texts,
    root_of,
    save_texts,
    trained_on,
)
from respec_core.models.language_model import LanguageModel
from respec_core.training.acceptance import measure, measure_guesses
from respec_core.training.averaging import keep
from respec_core.training.batches import OPENING_TOKENS, Batch, collate, epochs, mixed, trainable
from respec_core.training.benchmark import answered
from respec_core.training.card import rates
from respec_core.training.corpus import CorpusBuilder, Plan
from respec_core.training.diffusion_training import block_starts, new_drafter
from respec_core.training.eagle_training import new_head, teacher
from respec_core.training.lean import LeanLlama
from respec_core.training.recipes import Frame, fill
from respec_core.training.texts import coverage, distinct, frequent_tokens
from respec_core.training.unroll import read, unroll
from respec_core.training.writer import Limits, WritingRequest, loop_start, write

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
    written = write(target, [WritingRequest(p, 0.0, 12) for p in prompts], frozenset([0]), Limits(rows=3), 0)
    for prompt, answer in zip(prompts, written, strict=True):
        inputs = torch.tensor([prompt])
        plain = network.generate(
            inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=12, do_sample=False, pad_token_id=0
        )
        assert answer == plain[0, len(prompt) :].tolist()


def test_sampled_writing_is_seeded_and_ends_at_its_limits(target: LeanLlama) -> None:
    requests = [WritingRequest((7, 8, 9), 1.0, n) for n in (5, 40, 40)]
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
    assert trained_on(tmp_path).tolist() == [1, 2, 7, 8, 9, 9] * 2
    assert list(distinct([*texts, texts[0], Text((1, 2, 3), 2, "qa", 1)])) == texts  # one prompt, two answers
    ids = frequent_tokens(texts, 20, 2)
    assert ids.tolist() == [3, 9]
    assert coverage(texts, 20, ids) == pytest.approx(3 / 8)
    assert [t.opening(2).answer for t in texts] == [(3, 4), (7, 8)]


def test_batches_hold_every_text_once_an_epoch() -> None:
    texts = [Text(tuple(range(2, 12 + i % 9)), 3 + i % 4, "k", i) for i in range(40)]
    stream = epochs(texts, 64, 40, torch.Generator().manual_seed(0))
    seen = 0
    while seen < len(texts):
        batch = next(stream)
        assert batch.tokens.numel() <= 96  # 64, rounded up to whole columns
        seen += len(batch.tokens)
    assert seen == len(texts)


@given(st.lists(st.tuples(st.integers(2, 20), st.integers(1, 40)), min_size=1, max_size=6))
def test_the_window_guesses_every_token_of_the_answer(shapes: list[tuple[int, int]]) -> None:
    texts = [Text(tuple(range(start + answer)), start, "k", i) for i, (start, answer) in enumerate(shapes)]
    assert trainable(texts, 64) == texts
    batch = collate(texts)
    for text, base, valid in zip(texts, batch.base, batch.valid, strict=True):
        assert tuple((base[valid] + 2).tolist()) == text.answer  # row t guesses token t + 2


def test_batches_mix_whole_texts_and_beginnings() -> None:
    texts = [Text(tuple(range(100)), 10, "k", i) for i in range(20)]
    stream = mixed(texts, 200, 200, 0.5, torch.Generator().manual_seed(0))
    ends = [int(batch.ends[0]) for batch in islice(stream, 40)]
    assert set(ends) == {10 + OPENING_TOKENS, 100}
    assert 10 <= ends.count(100) <= 30


@given(st.integers(1, 50), st.integers(1, 8), st.integers(0, 99))
def test_blocks_start_at_the_first_draft_and_at_every_stride(width: int, stride: int, seed: int) -> None:
    starts = block_starts(width, stride, torch.Generator().manual_seed(seed)).tolist()
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert {b - a for a, b in pairwise(starts[1:])} <= {stride}
    assert starts[-1] < width <= starts[-1] + stride


def test_a_runs_first_draft_stands_on_a_trained_row(network: LlamaForCausalLM, target: LeanLlama) -> None:
    torch.manual_seed(0)
    head = new_head(target, torch.arange(target.vocab), (0, 1, -1), 3).eval().requires_grad_(False)
    prompt, answer = torch.randint(2, 200, (15,)).tolist(), [7, 8, 9]
    reader = FeatureReader(head)
    session = LanguageModel(network, None, name="tiny").session(64, head.config.feature_layers)
    for _, chunk in session.prefill(prompt[:-1]):  # the prompt's last token is the first root
        reader.prefilled(chunk)
    reader.begin(prompt)
    assert len(list(reader.read())) == 1
    batch = collate([Text((*prompt, *answer), len(prompt), "k", 1)])
    hidden, features = target.forward(batch.tokens, features=head.config.feature_layers)
    assert batch.valid[0, 0]
    assert batch.base[0, 0] == reader.session.length - 1
    torch.testing.assert_close(unroll(head, features, batch, 1)[0][0, 0], reader.session.state, rtol=1e-4, atol=1e-4)
    goal = teacher(target, hidden, batch, head.draft_to_target, 1)
    assert goal[0, 0].argmax() == network(torch.tensor([prompt])).logits[0, -1].argmax()


def test_an_average_keeps_a_share_of_the_earlier_weights() -> None:
    module, start = (torch.nn.Linear(2, 1) for _ in range(2))
    for part, value in ((module, 1.0), (start, 5.0)):
        torch.nn.init.constant_(part.weight, value)
        torch.nn.init.constant_(part.bias, -value)
    keep(module, start, 0.25)
    assert module.weight.tolist() == [[2.0, 2.0]]
    assert module.bias.tolist() == [-2.0]
    assert start.weight.tolist() == [[5.0, 5.0]]


def test_first_drafts_are_counted_apart(target: LeanLlama) -> None:
    prompts = [tuple(range(2, 2 + n)) for n in (5, 8)]
    answers = write(target, [WritingRequest(p, 0.0, 12) for p in prompts], frozenset(), Limits(), 0)
    texts = [Text((*p, *(a or ())), len(p), "k", 1) for p, a in zip(prompts, answers, strict=True)]

    def guess(features: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Right at the first draft's first two tokens alone."""
        guessed = torch.full((*batch.base.shape, 3), -5)
        guessed[:, 0, :2] = torch.stack([batch.tokens[i, t + 2 : t + 4] for i, t in enumerate(batch.base[:, 0])])
        return guessed

    found = measure_guesses(target, guess, texts, (-1,), 3, 256)
    assert found.opening is not None
    assert (found.opening.asked["k"], found.opening.right["k"]) == ([2, 2, 2], [2, 2, 0])
    assert (found.asked["k"], found.right["k"]) == ([sum(len(t.answer) for t in texts), 2, 2], [2, 2, 0])
    assert rates(found)["opening"]["by_depth"] == [1, 1, 0]


def test_texts_built_on_several_keep_to_one_side_of_the_split(folder: Path, target: LeanLlama, tmp_path: Path) -> None:
    frame = Frame.of(PreTrainedTokenizerFast.from_pretrained(folder), frozenset([0]))
    marks = {True: range(100, 120), False: range(140, 160)}  # bytes of no template: a document's say its side
    draw, both = random.Random(0), []
    while sum(held_out for held_out, _ in both) < 12:
        held_out = draw.random() < 0.9
        question = tuple(draw.choices(marks[held_out], k=8))
        if is_held_out(root_of(question)) == held_out:
            both.append((held_out, question))
    prompts = [(*frame.before, *q, *frame.between) for _, q in both]
    documents = [
        Text((*prompt, *draw.choices(marks[held_out], k=6), 0), len(prompt), "news", root_of(q))
        for prompt, (held_out, q) in zip(prompts, both, strict=True)
    ]
    asked = [(*frame.before, *q, 0) for _, q in both]
    save_texts([Text(q, len(frame.before), "qa", 0) for q in asked], tmp_path / "1-questions.safetensors")
    save_texts(documents, tmp_path / "2-answers.safetensors")

    def built(stage: str) -> list[Text]:
        plan = Plan(24, answer_tokens=4, document_tokens=8, context_tokens=60)
        CorpusBuilder(target, frame, plan, Limits(), tmp_path, lambda line: None).build()
        return [t for t in load_texts(tmp_path / f"{stage}.safetensors") if t.kind in ("summary", "retrieval")]

    def count(text: Text, held_out: bool) -> int:
        return sum(token in marks[held_out] for token in text.tokens[: text.start])

    summaries = built("3-derived")
    save_texts(
        [Text(q, len(frame.before), "ask", d.root) for q, d in zip(asked, documents, strict=True)],
        tmp_path / "3-derived.safetensors",
    )
    (tmp_path / "4-second.safetensors").unlink()
    for texts, one_document in ((summaries, 6), (built("4-second"), 6 + 8)):
        assert {t.held_out for t in texts} == {True, False}
        assert any(count(t, t.held_out) > one_document for t in texts)
        assert not any(count(t, not t.held_out) for t in texts)


def test_the_shipped_corpus_mixes_no_held_out_text_into_training() -> None:
    """Nor the other way round: what is measured on holds no document that was trained on."""
    texts = load_corpus(Path(__file__).parents[2] / "assets/drafters/smollm2-135m/corpus")
    n = 12  # shorter answers are phrases, not documents
    starts: dict[tuple[int, ...], list[Text]] = {}
    for text in texts:
        if len(text.answer) > n and text.kind not in ("summary", "rewrite", "retrieval", "turn"):
            starts.setdefault(text.answer[:n], []).append(text)
    for text in texts:
        if text.kind in ("summary", "rewrite", "retrieval"):
            for i in range(text.start - n):
                for found in starts.get(text.tokens[i : i + n], ()):
                    whole = text.tokens[i : i + len(found.answer) - 1] == found.answer[:-1]
                    assert not whole or found.held_out == text.held_out


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
    session, reading = BlockSession(drafter, head, 16, ContextRows(drafter)), EagleSession(head, 16)
    session.extend(reading.extend(features[0, :4], batch.tokens[0, 1:5].tolist()))
    given = {i: int(tokens[0, 0, i]) for i in (0, 2)}
    torch.testing.assert_close(
        head.logits(session.hidden(given, reading.committed)), batched[0, 0], rtol=1e-4, atol=1e-4
    )
    session.extend(reading.extend(features[0, 4:7], batch.tokens[0, 5:8].tolist()))
    hidden = session.hidden({0: int(tokens[0, 1, 0])}, reading.committed)
    torch.testing.assert_close(head.logits(hidden), batched[0, 1], rtol=1e-4, atol=1e-4)


def test_frame_and_templates(folder: Path) -> None:
    frame = Frame.of(PreTrainedTokenizerFast.from_pretrained(folder), frozenset([0]))
    before = frame.encode("<|im_start|>user\n")
    assert frame.before == tuple(before)
    assert frame.again == (*frame.encode("\n"), *before)
    assert fill("A {doc}!", frame, doc=[99]) == [*frame.encode("A "), 99, *frame.encode("!")]


def test_a_file_that_holds_no_questions_is_refused(target: LeanLlama, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"category": "qa"}\n')
    with pytest.raises(ReSpecError, match="line 1: not a question"):
        answered(target, None, path, 2, 8, Limits())


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
    markov = ["--steps", "20", "--anchors", "400"]
    assert cli.main(parser.parse_args(["markov", *common, *markov])) == 0
    cards = json.loads((out / "card.json").read_text())
    assert cards["eagle"]["training"]["steps"] == 160
    curve = json.loads((out / "eagle-curve.json").read_text())
    losses = next(t["y"] for t in curve["data"] if t["name"] == "loss")
    assert losses[-1] < losses[0]
    assert "## Block-diffusion drafter" in (out / "README.md").read_text()
    network = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    head = EagleHead.load(out, network.get_input_embeddings().weight)
    assert BlockDrafter.load(out).config.block == 4
    assert MarkovHead.load(out, BlockDrafter.load(out)).config.block == 4
    assert cards["markov"]["anchors"] >= 400
    assert set(cards["markov"]["acceptance"]) == {"held-out", "held-out, without it"}
    # going on from the checkpoint: the budget is used up, so nothing more is trained
    assert cli.main(parser.parse_args(["eagle", *common, "--steps", "160"])) == 0
    again = EagleHead.load(out, network.get_input_embeddings().weight)
    assert torch.equal(head.qkv.weight, again.qkv.weight)
    # or from other weights, whose card is kept
    onward = [
        *common,
        "--out",
        str(tmp_path / "on"),
        "--work",
        str(tmp_path / "more"),
        "--corpus",
        str(work / "corpus"),
    ]
    assert cli.main(parser.parse_args(["diffusion", *common, "--steps", "20"])) == 0
    assert not (out / "block_markov.safetensors").exists()  # of another block
    assert "Markov" not in (out / "README.md").read_text()
    assert cli.main(parser.parse_args(["markov", *common, *markov])) == 0
    for drafter in ("eagle", "diffusion", "joint"):
        cards = json.loads((out / "card.json").read_text())
        assert (
            cli.main(parser.parse_args([drafter, *onward, "--start", str(out), "--steps", "1", "--keep", "0.5"])) == 0
        )
        now = json.loads((tmp_path / "on" / "card.json").read_text())
        for part in ("diffusion", "markov") if drafter == "joint" else (drafter,):
            assert now[part]["before"] == cards[part]
    near = EagleHead.load(tmp_path / "on", network.get_input_embeddings().weight)
    assert 0 < (near.qkv.weight - head.qkv.weight).abs().max() < 0.01
    assert "Begun from: 160 steps" in (tmp_path / "on" / "README.md").read_text()
    assert "Trained together with its Markov head" in (tmp_path / "on" / "README.md").read_text()
    assert MarkovHead.load(tmp_path / "on", BlockDrafter.load(tmp_path / "on")).config.block == 4
    held_out = [Text(tuple(range(2, 30)), 5, "k", 0)]
    assert len(measure(LeanLlama(network, torch.float32, "cpu"), again, held_out, 3, 256).overall) == 3
