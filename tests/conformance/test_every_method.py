"""Every registered method, from the registry: a method added there is tested here without a line more."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from scipy.stats import chisquare
from tiny import DEVICE, SHORTENED, VOCAB, id_store, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.methods.losses import losses
from respec_core.methods.outlook import outlook
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete, decode
from respec_core.methods.traces import violations
from respec_core.models.language_model import LanguageModel
from respec_core.settings.knobs import knobs
from respec_core.settings.loss import LOSSY_RULES
from respec_core.settings.run_config import SHARED_GROUPS
from respec_core.trace.events import Committed, Drafted, TraceFolder
from respec_core.trace.round import LOSSY_ACCEPTS

NAMES = [method.name for method in METHODS]
RNG = np.random.default_rng(7)
PROMPTS = {
    "repetitive": tuple([5, 6, 7, 8, 9, 10, 11] * 4),
    "random": tuple(RNG.integers(0, VOCAB, 40).tolist()),
    "one token": (3,),
}
TOKENS = 48
SIZES = ("auto", "own")  # drafts cut by the clock, and whatever the method proposes


def request(method: str, prompt: tuple[int, ...], **values) -> Request:
    values = SHORTENED.get(method, {}) | {"max_new_tokens": TOKENS} | values
    return Request(find_method(method).configure(values), prompt)


@cache
def greedy(target: LanguageModel, prompt: tuple[int, ...], n: int) -> tuple[int, ...]:
    """Plain greedy decoding without keys and values kept: the truth."""
    ids = list(prompt)
    with torch.inference_mode():
        for _ in range(n):
            ids.append(int(target.network(torch.tensor([ids], device=DEVICE), use_cache=False).logits[0, -1].argmax()))
    return tuple(ids[len(prompt) :])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS.keys())
def test_strict_greedy_equals_plain_greedy(method, prompt, size, tiny_models):
    run = complete(request(method, prompt, rule="strict", budget=size), tiny_models)
    assert run.output_ids == greedy(tiny_models.target, prompt, TOKENS)
    assert violations(run) == []


@pytest.mark.parametrize("method", NAMES)
def test_every_token_has_the_targets_own_numbers(method, tiny_models):
    """Probability, rank and entropy are those of the row at the token's own position."""
    prompt = PROMPTS["repetitive"]
    run = complete(request(method, prompt, max_new_tokens=24, rule="strict"), tiny_models)
    with torch.inference_mode():
        logits = tiny_models.target.network(
            torch.tensor([[*prompt, *run.output_ids]], device=DEVICE), use_cache=False
        ).logits[0]
    p = logits[len(prompt) - 1 : -1].double().softmax(-1)
    for row, token in zip(p, run.tokens, strict=True):
        assert token.p == pytest.approx(float(row[token.id]), abs=1e-4)
        assert token.rank == 1
        assert token.entropy == pytest.approx(float(-(row * row.log()).sum()), abs=1e-3)


@pytest.mark.parametrize("method", NAMES)
def test_sampling_follows_the_target(method):
    """χ² of three sampled tokens against the target's exact joint distribution, through several rounds.

    Drafts that are sampled themselves pass a rejection rule, whose faults are small: they are looked at longer. What
    follows is tested on longer texts, under every setting, in ``test_samples_under_every_setting.py``.
    """
    vocab, prompt = 5, (0, 1, 2, 0, 1, 2, 0, 1) * 4
    small = {"vocab": vocab, "width": 16}
    store = id_store([0, 1, 2, 3, 0, 1, 2, 4, 1, 3, 3], vocabulary=vocab)
    target = tiny_model(seed=3, **small)
    head = tiny_head(target)
    models = Models(target, DraftModel(tiny_model(seed=4, layers=1, **small)), store, head, tiny_block(head))
    cells = list(itertools.product(range(vocab), repeat=3))
    with torch.inference_mode():
        batch = torch.tensor([[*prompt, *cell] for cell in cells], device=DEVICE)
        p = (models.target.network(batch, use_cache=False).logits[:, len(prompt) - 1 : -1] / 0.9).softmax(-1)
        exact = p.gather(-1, batch[:, len(prompt) :, None])[..., 0].prod(-1).double().cpu().numpy()
    counts = dict.fromkeys(cells, 0)
    base = request(method, prompt, max_new_tokens=3, temperature=0.9, rule="strict", budget="own")
    draws = 2500 if find_method(method).traits.samples(base.config.params) else 500
    for seed in range(draws):
        sampling = base.config.sampling.model_copy(update={"seed": seed})
        run = complete(replace(base, config=base.config.model_copy(update={"sampling": sampling})), models)
        counts[run.output_ids] += 1
    observed, expected = np.array([counts[c] for c in cells], float), exact / exact.sum() * draws
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    assert chisquare(observed, expected).pvalue > 1e-4


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("limit", [0, 1, 2, 7])
def test_the_token_limit_is_never_overshot(method, size, limit, tiny_models):
    run = complete(request(method, PROMPTS["repetitive"], max_new_tokens=limit, budget=size), tiny_models)
    assert len(run.output_ids) == limit
    assert run.finish_reason == "length"
    assert violations(run) == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("at", [0, 1, 2, 5, 11])
def test_end_of_text_anywhere_in_a_block_ends_the_run(method, size, at, tiny_models):
    """Any token of the greedy run may be end-of-text."""
    prompt = PROMPTS["repetitive"]
    truth = greedy(tiny_models.target, prompt, TOKENS)
    eos = truth[at]
    target = tiny_model(seed=1)
    target.eos_ids = frozenset([eos])
    run = complete(request(method, prompt, rule="strict", budget=size), Models(target, *tiny_models.others))
    assert run.output_ids == truth[: truth.index(eos) + 1]
    assert run.finish_reason == "eos"
    assert violations(run) == []


@pytest.mark.parametrize("method", NAMES)
def test_same_seed_same_trace(method, tiny_models):
    """Nothing a run learned reaches the next."""

    def once() -> dict:
        run = complete(
            request(method, PROMPTS["random"], temperature=1.0, seed=5, max_new_tokens=24, budget="own"), tiny_models
        )
        data = run.model_dump()
        for step in data["steps"]:
            del step["phase_ms"]
        del data["summary"]
        return data

    assert once() == once()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
def test_closing_at_any_event_leaves_the_next_run_as_if_fresh(method, size, tiny_models):
    asked = request(method, PROMPTS["repetitive"], rule="strict", budget=size)
    fresh = complete(asked, tiny_models).output_ids
    for stop_after in (1, 2, 3, 4, 7):
        events = decode(asked, tiny_models)
        folder = TraceFolder()
        for event in itertools.islice(events, stop_after):
            folder.add(event)
        events.close()
        partial = folder.run()
        assert partial.finish_reason == "cancelled"
        assert violations(partial) == []
        assert partial.output_ids == fresh[: len(partial.output_ids)]
    assert complete(asked, tiny_models).output_ids == fresh


@pytest.mark.parametrize("method", NAMES)
def test_events_tell_the_same_story_as_the_trace(method, tiny_models):
    drafted = committed = None
    for event in decode(request(method, PROMPTS["repetitive"]), tiny_models):
        if isinstance(event, Drafted):
            drafted = event
        if isinstance(event, Committed):
            committed = event
            assert drafted is not None
            assert [n.token for n in event.step.trees.final] == [n.token for n in drafted.nodes]
            assert event.step.decision == drafted.decision
    assert committed is not None


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
def test_repetition_penalty_sees_accepted_drafts_only(method, size, tiny_models):
    """Equal to plain decoding with the same penalty."""
    plain = complete(request("vanilla", PROMPTS["repetitive"], repetition_penalty=1.3), tiny_models)
    run = complete(
        request(method, PROMPTS["repetitive"], repetition_penalty=1.3, rule="strict", budget=size), tiny_models
    )
    assert run.output_ids == plain.output_ids
    assert plain.output_ids != greedy(tiny_models.target, PROMPTS["repetitive"], TOKENS)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
def test_context_limit_ends_the_run(method, size, tiny_models):
    target, prompt = tiny_model(seed=1), PROMPTS["repetitive"]
    target.max_context = 40
    models = Models(target, *tiny_models.others)
    run = complete(request(method, prompt, budget=size), models)
    assert len(run.prompt_ids) + len(run.output_ids) == 40
    assert (run.finish_reason, run.steps[-1].commit.stopped) == ("context", "context")
    assert violations(run) == []
    both = complete(request(method, prompt, max_new_tokens=40 - len(prompt), budget=size), models)
    assert (both.output_ids, both.finish_reason) == (run.output_ids, "length")


@pytest.mark.parametrize("rule", LOSSY_RULES)
@pytest.mark.parametrize("method", NAMES)
def test_a_lossy_run_says_so_and_stands_every_check(method, rule, tiny_models):
    """Also where no token passed that the target did not want."""
    run = complete(request(method, PROMPTS["repetitive"], rule=rule, fly_window=1, budget="own"), tiny_models)
    assert LOSSY_RULES[rule] in losses(run.settings)
    assert not run.settings.lossless
    passed = [token for token in run.tokens if token.wish is not None]
    assert {token.outcome for token in passed} <= {LOSSY_ACCEPTS[rule]}
    assert len(passed) == run.summary.relaxed_accepts
    assert violations(run) == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
def test_fly_that_is_never_unsure_enough_is_strict(method, size, tiny_models):
    """No three probabilities have so much entropy."""
    strict = complete(request(method, PROMPTS["repetitive"], rule="strict", budget=size), tiny_models)
    fly = complete(request(method, PROMPTS["repetitive"], rule="fly", fly_entropy=3.0, budget=size), tiny_models)
    assert fly.output_ids == strict.output_ids


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", NAMES)
def test_relaxed_rank_one_is_strict(method, size, tiny_models):
    """At temperature 0 the relaxed rule with rank 1 reduces to the strict one, whichever path it prefers."""
    strict = complete(request(method, PROMPTS["repetitive"], rule="strict", budget=size), tiny_models)
    for path in ("strict-first", "longest"):
        one = {"rule": "relaxed", "relax_k": 1, "relax_eps": 0.0, "relax_path": path, "budget": size}
        relaxed = complete(request(method, PROMPTS["repetitive"], **one), tiny_models)
        assert relaxed.output_ids == strict.output_ids
        assert relaxed.summary.relaxed_accepts == 0


PRESETS = [(method.name, preset.name) for method in METHODS for preset in method.presets if preset.name != "auto"]


@pytest.mark.parametrize(("method", "preset"), PRESETS)
def test_no_draft_is_larger_than_its_settings_foretell(method, preset, tiny_models):
    start = dict(next(known.values for known in find_method(method).presets if known.name == preset))
    for values in (start, start | {"budget_rule": "fixed", "budget": 5}):
        config = find_method(method).configure({"max_new_tokens": TOKENS} | values)
        foretold = outlook(find_method(method), values).parts
        sketch = find_method(method).sketch(config)
        most = sketch.most(5 if values is not start else None)
        run = complete(Request(config, PROMPTS["repetitive"]), tiny_models)
        for step in run.steps:
            nodes = step.trees.final
            assert len(nodes) - 1 <= most
            assert max(node.depth for node in nodes) <= max(part.depth(limit) for part, limit in foretold)


@pytest.mark.parametrize("method", NAMES)
def test_what_is_said_to_have_no_effect_has_none(method, tiny_models):
    found = find_method(method)
    start = {"budget_rule": "own", "max_new_tokens": 16}
    usual = run_of(found, start, tiny_models)
    known = {knob.name: knob for group in (*SHARED_GROUPS.values(), found.settings) for knob in knobs(group, "")}
    for name in outlook(found, start).idle:
        other = start | {name: another(known[name])}
        if not outlook(found, other).wrong:
            assert run_of(found, other, tiny_models) == usual, name


def run_of(method, values, models):
    """What was drafted and written."""
    run = complete(Request(method.configure(values), PROMPTS["repetitive"]), models)
    drafted = [[(node.id, node.parent, node.token) for node in step.trees.final] for step in run.steps]
    return run.output_ids, drafted


def another(knob):
    """A value that is not the default."""
    match knob.kind:
        case "bool":
            return not knob.default
        case "choice" | "several":
            return next(choice for choice in knob.choices if choice != knob.default)
        case _:
            return type(knob.default)(knob.high if knob.default != knob.high else knob.high / 2)
