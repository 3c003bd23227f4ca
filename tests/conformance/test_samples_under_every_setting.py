"""Sampling follows the target under whatever setting changes what is drafted: every knob of every method's registry entry.

Each token of a long run is compared with the target's exact distribution behind the same prefix. Given the prefix the
difference has mean zero, so that sums of it over the run, taken by the token before, are nearly normal with a known
covariance: a χ² test with thousands of tokens from a handful of runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import cache

import numpy as np
import pytest
import torch
from scipy.stats import chi2
from tiny import DEVICE, SHORTENED, id_store, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import METHODS, Method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.costs import CostCurve
from respec_core.models.language_model import LanguageModel
from respec_core.settings.knobs import Knob, knobs
from respec_core.settings.run_config import DraftingSettings, RunConfig

VOCAB, TEMPERATURE = 5, 0.6
PROMPT = (0, 1, 2, 0, 1, 2, 0, 1) * 4
SAMPLES = "draft-model"  # the method whose drafts are sampled themselves, and worth the longest look
BUDGETS: tuple[str | int, ...] = ("own", "auto", 2)
# nodes cost about what they bring, so that auto cuts; so fast that no real round sets the pace: the same on any machine
COSTS = CostCurve(((1, 1e-4), (2, 1.5e-4), (64, 4e-3)))
LEAST = 1e-6  # some four hundred tests share a chance of 1 in 5000 to fail without cause


@cache
def models() -> Models:
    size = {"vocab": VOCAB, "width": 16}
    target = tiny_model(seed=3, **size)
    store = id_store([0, 1, 2, 3, 0, 1, 2, 4, 1, 3, 3], vocabulary=VOCAB)
    head = tiny_head(target)
    target.costs = COSTS  # in place of a measurement
    return Models(target, DraftModel(near(target)), store, head, tiny_block(head))


def near(target: LanguageModel) -> LanguageModel:
    """A draft model that often agrees: what is wrong with accepting shows best where much is accepted."""
    draft = deepcopy(target)
    torch.manual_seed(4)
    with torch.no_grad():
        for weight in draft.network.parameters():
            weight.add_(torch.randn_like(weight) * 0.005)
    return draft


def alternatives(knob: Knob, middle: bool) -> list:
    """The knob's other values: all choices, else its ends, and on demand what is between."""
    if knob.kind == "choice":
        return [choice for choice in knob.choices if choice != knob.default]
    if knob.kind == "several":
        return ["+".join(knob.choices), *knob.choices]
    if knob.kind == "bool":
        return [not knob.default]
    values = [knob.low or 1e-3, knob.high, *([(knob.low + knob.high) / 2] if middle else [])]
    return sorted({int(v) if knob.kind == "int" else v for v in values} - {knob.default})


def awake(knob: Knob, others: dict[str, Knob]) -> dict:
    """Values of other settings beside which the knob acts, where their defaults leave it idle."""
    values = {}
    for name, without in knob.idle.items():
        other = others.get(name)
        if other is not None and other.default in without:
            values[name] = next(value for value in alternatives(other, middle=True) if value not in without)
    return values


def is_sampled(method: Method, values: dict) -> bool:
    """Whether its drafts are drawn from a distribution of their own: a draft model's chains are."""
    return method.name == SAMPLES and values.get("shape") != "tree"


def possible(method: Method, values: dict) -> bool:
    """Whether it is no pair of bounds of which one was moved past the other, and none that says itself it is lossy."""
    try:
        return method.lossy(method.configure(values | {"temperature": TEMPERATURE})) is None
    except ReSpecError:
        return False


def settings() -> Iterator[tuple[Method, dict]]:
    """Every method with every budget rule, and with every other value of each knob under one of the rules in turn.

    Only a draft model's chain is sampled; how it is cut matters most, so its knobs meet all rules.
    """
    known = set()
    for method in METHODS:
        if (method.settings, method.builder) in known:  # the same under the strict rule
            continue
        known.add((method.settings, method.builder))
        own = {knob.name: knob for knob in knobs(method.settings, "params")}
        start = SHORTENED.get(method.name, {})
        single = [
            start | awake(knob, own) | {knob.name: value}
            for knob in own.values()
            for value in alternatives(knob, middle=method.name == SAMPLES)
            if value != start.get(knob.name)
        ]
        single = [values for values in single if possible(method, values)]
        yield from ((method, {**start, "budget": budget}) for budget in BUDGETS)
        for i, values in enumerate(single):
            rules = BUDGETS if is_sampled(method, values) else (BUDGETS[i % len(BUDGETS)],)
            yield from ((method, {**values, "budget": budget}) for budget in rules)


def label(value) -> str:
    return value.name if isinstance(value, Method) else ",".join(f"{k}={v}" for k, v in value.items())


@pytest.mark.parametrize(("method", "values"), list(settings()), ids=label)
def test_samples_follow_the_target(method, values):
    as_it_is = values == SHORTENED.get(method.name, {}) | {"budget": values["budget"]}
    seeds, tokens = ((0, 1), 480) if is_sampled(method, values) else ((0,), 480 if as_it_is else 160)
    requests = [Request(configured(method, values, seed, tokens), PROMPT) for seed in seeds]
    runs = [complete(request, models()) for request in requests]
    if as_it_is and values["budget"] == "own" and method.name != "vanilla":  # some drafts are rejected
        assert any(step.commit.n_accepted < len(step.trees.final) - 1 for run in runs for step in run.steps)
    assert p_value([run.output_ids for run in runs]) > LEAST


def configured(method: Method, values: dict, seed: int, tokens: int) -> RunConfig:
    shared = {"temperature": TEMPERATURE, "seed": seed, "max_new_tokens": tokens, "rule": "strict"}
    return method.configure(shared | values)


def p_value(outputs: list[tuple[int, ...]]) -> float:
    """How likely tokens as unlike the target's distribution are under it."""
    before, drawn, p = [], [], []
    for output in outputs:
        ids = torch.tensor([[*PROMPT, *output]], device=DEVICE)
        with torch.inference_mode():
            logits = models().target.network(ids, use_cache=False).logits[0, len(PROMPT) - 1 : -1]
        p.append((logits.double() / TEMPERATURE).softmax(-1).cpu().numpy())
        before += [PROMPT[-1], *output[:-1]]
        drawn += output
    exact, observed, last = np.concatenate(p), np.eye(VOCAB)[drawn], np.array(before)
    statistic, freedom = 0.0, 0
    for token in range(VOCAB):
        rows = last == token
        expected = exact[rows]
        counted = np.flatnonzero(expected.sum(0) >= 8)
        if len(counted) == VOCAB or expected.sum() - expected[:, counted].sum() < 1:
            counted = counted[:-1]  # the rest is what the others leave
        if not len(counted):
            continue
        difference = (observed[rows] - expected).sum(0)[counted]
        covariance = np.diag(expected.sum(0)) - expected.T @ expected
        statistic += difference @ np.linalg.solve(covariance[np.ix_(counted, counted)], difference)
        freedom += len(counted)
    # and in one number: are the tokens likelier than drawn ones would be? Where drafts are cut by confidence they are
    surprise = -np.log(exact.clip(1e-12))
    mean = (exact * surprise).sum(1)
    deviation = ((observed * surprise).sum(1) - mean).sum() ** 2 / ((exact * surprise**2).sum(1) - mean**2).sum()
    return 2 * float(min(chi2.sf(statistic, freedom), chi2.sf(deviation, 1)))


def test_the_test_itself_sees_a_bias():
    """Tokens of another temperature are noticed."""
    config = configured(METHODS[0], {"temperature": 1.3}, 0, 480)
    assert p_value([complete(Request(config, PROMPT), models()).output_ids]) < LEAST


def test_budget_rules_are_all_there():
    rules = DraftingSettings.model_fields["budget_rule"].annotation.__args__
    assert {DraftingSettings(budget=budget).budget_rule for budget in BUDGETS} == set(rules)
