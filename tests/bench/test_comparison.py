"""Every row is held against plain decoding with its own sampling and stops, never against another run's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from respec_core.bench.comparison import compare, count_on_known_text
from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method, plain_config
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.settings.run_config import SHARED_GROUPS, RunConfig

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)
VARIANTS = [
    {},
    {"max_new_tokens": 3},
    {"max_new_tokens": 9, "ignore_eos": True},
    {"repetition_penalty": 1.3},
    {"temperature": 0.9, "seed": 3},
    {"temperature": 0.9, "seed": 4, "top_k": 5},
    {"rule": "relaxed", "relax_k": 2},
    {"budget": 2},
]


def configured(name: str, **values) -> RunConfig:
    return find_method(name).configure({"budget": "own", "max_new_tokens": 16, "rule": "strict"} | values)


def alone(config: RunConfig, models: Models) -> tuple[int, ...]:
    return complete(Request(config, PROMPT), models).output_ids


@pytest.mark.parametrize("first", range(3))
def test_each_variant_has_the_baseline_of_its_own_settings(first: int, tiny_models: Models) -> None:
    variants = [*VARIANTS[first:], *VARIANTS[:first]]  # whichever comes first sets nothing for the others
    configs = [configured(name, **values) for values in variants for name in ("pld", "vanilla")]
    rows = compare(Request(configs[0], PROMPT), configs, tiny_models)
    for config, row in zip(configs, rows, strict=True):
        plain = plain_config(config)
        assert row.plain.config["stopping"] == config.stopping.model_dump(mode="json")
        assert row.plain.config["sampling"] == config.sampling.model_dump(mode="json")
        assert row.plain.output_ids == alone(plain, tiny_models)
        assert row.run.output_ids == alone(config, tiny_models)
        same = row.run.output_ids == row.plain.output_ids
        assert (row.first_difference is None) == same
        if config.sampling.temperature == 0 and config.verify.rule == "strict":
            assert same and row.must_be_equal
        if config.method == "vanilla":
            assert same and row.time_ratio == 1.0


def test_equal_baselines_are_run_once(tiny_models: Models) -> None:
    configs = [configured(name, **values) for values in VARIANTS for name in ("vanilla", "pld", "sam")]
    ran: list[str] = []
    rows = compare(Request(configs[0], PROMPT), configs, tiny_models, progress=ran.append)
    assert ran.count("vanilla") == 6  # neither the rule nor the draft size says anything about plain decoding
    assert len({id(row.plain) for row in rows}) == 6
    assert ran.count("pld") == ran.count("sam") == len(VARIANTS)


def test_a_baseline_keeps_what_decides_the_text_and_nothing_of_drafting() -> None:
    """Whoever adds a group of shared settings has to say here which of the two it is."""
    config = configured("respec", rule="relaxed", budget=3, temperature=0.5, stop=("x",), theta_entropy=0.5)
    plain = plain_config(config)
    kept = {group for group in SHARED_GROUPS if getattr(plain, group) == getattr(config, group)}
    assert set(SHARED_GROUPS) - kept == {"drafting", "verify"}
    assert (plain.method, plain.params) == ("vanilla", {})


def countable(variants: Sequence[dict]) -> list[RunConfig]:
    allowed = [v for v in variants if not {"temperature", "rule"} & set(v)]
    return [configured(name, **values) for values in allowed for name in ("pld", "vanilla")]


def test_counting_on_known_text_uses_the_same_baselines(tiny_models: Models) -> None:
    configs = countable(VARIANTS)
    request = Request(configs[0], PROMPT)
    for again, real in zip(
        count_on_known_text(request, configs, tiny_models), compare(request, configs, tiny_models), strict=True
    ):
        assert again.run.output_ids == real.run.output_ids
        assert again.plain.output_ids == real.plain.output_ids
        assert again.run.summary.target_passes == real.run.summary.target_passes
        assert again.first_difference is None
