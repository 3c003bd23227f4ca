"""A run's settings: what follows from them is said once, and a trace's are read whoever wrote them."""

from __future__ import annotations

import pytest
from small_trace import small

from respec_core.bench.comparison import Row
from respec_core.cli.compare import _verdict
from respec_core.cli.generate import summary_line
from respec_core.methods.losses import losses, own_loss
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.traces import parse_trace, violations
from respec_core.settings.from_trace import config_from_trace
from respec_core.settings.loss import RELAXED
from respec_core.settings.run_config import COLDEST, RunConfig
from respec_core.trace.schema import Run


@pytest.mark.parametrize("rule", ["strict", "relaxed"])
@pytest.mark.parametrize(("temperature", "greedy"), [(0.0, True), (COLDEST / 2, True), (COLDEST, False), (1.0, False)])
def test_lossless_is_strict_and_greedy(rule: str, temperature: float, greedy: bool) -> None:
    config = find_method("sam").configure({"rule": rule, "temperature": temperature})
    assert (config.greedy, config.sampling.greedy) == (greedy, greedy)
    assert (config.strict, config.verify.strict) == (rule == "strict", rule == "strict")
    assert config.lossless == (greedy and rule == "strict")


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_what_was_dumped_is_read_back(method: str) -> None:
    config = find_method(method).configure({"temperature": 0.5, "stop": ["a", "b"], "rule": "relaxed"})
    assert config_from_trace(config.model_dump(mode="json"), "another") == config


def test_what_a_trace_leaves_out_has_its_default() -> None:
    assert config_from_trace({}, "pld") == RunConfig(method="pld")
    partial = config_from_trace({"sampling": {"temperature": 0.5}, "verify": None, "params": []}, "pld")
    assert (partial.sampling.temperature, partial.sampling.top_p, partial.strict, partial.params) == (
        0.5,
        1.0,
        True,
        {},
    )


def test_names_that_nobody_declares_are_left_out() -> None:
    foreign = {"tuning": [1], "sampling": {"top_k": 3, "min_p": 0.1}, "params": {"retired": None}}
    config = config_from_trace(foreign, "pld")
    assert (config.sampling.top_k, config.params) == (3, {"retired": None})
    assert "tuning" not in config.model_dump() and "min_p" not in config.sampling.model_dump()


def test_a_value_out_of_range_stays_and_its_neighbours_too() -> None:
    config = config_from_trace({"sampling": {"temperature": 9.0, "top_k": 3}, "verify": {"rule": "loose"}}, "pld")
    assert (config.sampling.temperature, config.sampling.top_k, config.sampling.top_p) == (9.0, 3, 1.0)
    assert not config.greedy and not config.strict


def test_a_runs_settings_follow_a_changed_config_and_leave_its_json_alone() -> None:
    run = parse_trace(small())
    before = run.to_json()
    assert run.settings == config_from_trace(run.config, run.method) and run.to_json() == before
    sampled = run.model_copy(update={"config": {"sampling": {"temperature": 1.0}}})
    assert not sampled.settings.greedy and sampled.settings.method == run.method
    assert '"config":{"sampling":{"temperature":1.0}}' in sampled.to_json()


@pytest.mark.parametrize("config", [{}, {"params": {}}, {"sampling": {"temperature": 0.0}}])
def test_a_trace_that_names_no_method_or_seed_is_judged_by_its_head(config: dict[str, object]) -> None:
    run = Run(run_id="", method="pld", config=config, models={}, seed=7, prompt_text="a", prompt_ids=(1,))
    broken = violations(run)
    assert broken == ["head: run_id is not the digest of config, models and prompt_ids"]
    unknown = run.model_copy(update={"method": "other"})
    assert any("There is no method 'other'" in problem for problem in violations(unknown))
    seeded = run.model_copy(update={"config": {"sampling": {"seed": 3}}})
    assert "head: seed 7 is not the settings' 3" in violations(seeded)


def test_defaults_judge_what_no_setting_explains() -> None:
    data = small() | {"config": {}}
    data["steps"][0]["commit"] |= {"n_strict": 0, "n_relaxed": 1}
    assert "lossless: 1 relaxed accepts under the strict rule" in violations(parse_trace(data))


def test_every_loss_is_declared_by_its_method() -> None:
    ratio = {"sampling_rule": "p/q", "shape": "chain"}
    for name in ("diffuspec", "diffuspec-retrieval"):
        sampled = find_method(name).configure({**ratio, "temperature": 1.0})
        assert own_loss(sampled) is not None and losses(sampled) == (own_loss(sampled),)
        assert losses(find_method(name).configure(ratio)) == ()  # greedy decoding samples nothing
        both = find_method(name).configure({**ratio, "temperature": 1.0, "rule": "relaxed"})
        assert losses(both) == (RELAXED, own_loss(sampled))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_relaxed_rule_is_lossy_and_nothing_else_is_by_default(method) -> None:
    assert losses(method.configure()) == (() if method.configure().strict else (RELAXED,))
    assert losses(method.configure({"rule": "strict", "temperature": 1.0})) == ()


def test_of_a_method_that_is_not_installed_the_rule_is_known() -> None:
    assert losses(RunConfig(method="elsewhere", params={"sampling_rule": "p/q"})) == ()
    assert losses(config_from_trace({"verify": {"rule": "relaxed"}}, "elsewhere")) == (RELAXED,)


def test_the_command_line_names_a_loss_and_claims_no_equal_distribution_beside_it() -> None:
    run = parse_trace(small())
    ratio = {"method": "diffuspec", "sampling": {"temperature": 1.0}, "params": {"sampling_rule": "p/q"}}
    biased = run.model_copy(update={"config": ratio})
    exact = run.model_copy(update={"config": ratio | {"params": {}}})
    assert summary_line(biased).endswith("LOSSY: biased sampling · p/q")
    assert "LOSSY" not in summary_line(exact)
    assert "(lossy: biased sampling · p/q)" in _verdict(Row(biased, biased, None, 0, None))
    assert "the distribution is the same" in _verdict(Row(exact, exact, None, 0, None))
