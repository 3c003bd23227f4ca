"""Settings in serving engines' words: keys that exist there, lines that say the same in every shell, nothing lossy."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import subprocess
from typing import Any
from urllib.parse import parse_qsl

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st
from transformers import GenerationConfig

from app.requests import from_query, parse_settings
from respec_core.cli.options import parse_set
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.serving import (
    OLD_POWERSHELL,
    changed_settings,
    command_line,
    page_query,
    serving_line,
    settings_json,
)
from respec_core.settings.serving import ENGINES
from respec_core.settings.shells import bash, powershell, yaml

# docs of vLLM 0.29 and its config class; SGLang's documented flags
VLLM_KEYS = {
    *("method", "model", "num_speculative_tokens", "prompt_lookup_max", "prompt_lookup_min"),
    *("suffix_decoding_max_tree_depth", "suffix_decoding_max_cached_requests"),
    *("suffix_decoding_max_spec_factor", "suffix_decoding_min_token_prob"),
}
VLLM_METHODS = {"ngram", "suffix", "draft_model", "eagle"}
SGLANG_FLAGS = {
    *("model-path", "speculative-algorithm", "speculative-draft-model-path", "speculative-num-steps"),
    *("speculative-eagle-topk", "speculative-num-draft-tokens", "speculative-ngram-max-bfs-breadth"),
    *("speculative-ngram-match-type", "speculative-ngram-max-trie-depth"),
}
CHOICE = ModelChoice('a model\'s "name" $HOME', beside={"head": "some/head", "draft-model": "some/draft model"})


def powershell_words(line: str) -> list[str]:
    """The words PowerShell reads: a part in single quotes is literal, '' within it being one quote."""
    words = []
    for word in re.findall(r"(?:'(?:[^']|'')*'|[^\s'])+", line):
        parts = re.findall(r"'((?:[^']|'')*)'|([^']+)", word)
        words.append("".join(literal.replace("''", "'") or plain for literal, plain in parts))
    return words


@given(
    st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs", "Cc")), max_size=20), max_size=5)
)
def test_shells_hand_over_the_same_words(words: list[str]) -> None:
    assert shlex.split(bash(words)) == words
    assert powershell_words(powershell(words)) == words


def test_a_real_shell_reads_it_so() -> None:
    words = ["it's", '{"a": 1}', "$HOME `x` !", "ä\n", "", "--b=c"]
    told = subprocess.run(["bash", "-c", f"printf '%s\\0' {bash(words)}"], capture_output=True, check=True).stdout
    assert told.decode().split("\0")[:-1] == words


SPOKEN = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=20)


@given(st.dictionaries(st.from_regex(r"k(-[a-z]+)+", fullmatch=True), st.one_of(st.integers(), SPOKEN), max_size=5))
def test_yaml_reads_back(values: dict[str, Any]) -> None:
    assert (pyyaml.safe_load(yaml(values)) or {}) == values


def lines() -> list[tuple[str, Any, Any]]:
    found = []
    for method in METHODS:
        for engine in ENGINES:
            if method.served({**method.configure().params}, CHOICE.beside)[engine].fit != "none":
                found.append((engine, method.name, serving_line(method.configure({"budget": "own"}), CHOICE, engine)))
    return found


def test_every_line_has_only_keys_that_exist_there_and_all_forms_say_the_same() -> None:
    seen = set()
    for engine, method, line in lines():
        seen.add((engine, method))
        if engine == "transformers":
            names = set(re.findall(r"(\w+)=", line.forms["python"])) - {"do_sample", "assistant_model"}
            assert names <= set(vars(GenerationConfig()))
            compile(line.forms["python"], "line", "exec")
            continue
        words = shlex.split(line.forms["bash"])
        assert words == powershell_words(line.forms["powershell"])
        assert (OLD_POWERSHELL in line.told("powershell")) == any('"' in word for word in words)
        assert line.told("bash") == line.notes
        told = pyyaml.safe_load(line.forms["yaml"])
        if engine == "vllm":
            config = json.loads(told.get("speculative-config", "{}"))
            assert words[:3] == ["vllm", "serve", CHOICE.model]
            assert json.loads(words[words.index("--speculative-config") + 1] if config else "{}") == config
            assert set(config) <= VLLM_KEYS and config.get("method", "ngram") in VLLM_METHODS
        else:
            flags = dict(zip(words[3::2], words[4::2], strict=True))
            assert flags == {f"--{name}": str(value) for name, value in told.items()}
            assert set(told) <= SGLANG_FLAGS
    assert seen == {
        *((engine, method) for engine in ENGINES for method in ("vanilla", "pld", "sam", "draft-model")),
        *((engine, method) for engine in ("vllm", "sglang") for method in ("rest", "eagle2")),
        ("vllm", "suffix"),
    }


def test_an_eagle_tree_has_the_authors_levels_everywhere() -> None:
    config = find_method("eagle2").configure({"budget": "own", "depth": 5, "top_k": 8, "total_tokens": 60})
    line = serving_line(config, CHOICE, "sglang")
    assert (
        "--speculative-num-steps 6 --speculative-eagle-topk 8 --speculative-num-draft-tokens 60" in line.forms["bash"]
    )
    assert line.same and not line.notes
    assert '"num_speculative_tokens": 6' in serving_line(config, CHOICE, "vllm").forms["bash"]


def test_nothing_lossy_and_no_size_by_the_clock_is_handed_on_silently() -> None:
    config = find_method("pld").configure({"rule": "relaxed"})
    for engine in ENGINES:
        line = serving_line(config, ModelChoice(), engine)
        assert not line.same
        assert any("lossy" in note for note in line.notes) and any("clock" in note for note in line.notes)
        assert "fly" not in "".join(line.forms.values()) and "accept-threshold" not in "".join(line.forms.values())


def test_what_has_no_equivalent_says_why() -> None:
    for name in ("recycling", "rasd", "diffuspec", "respec-strict"):
        for engine in ENGINES:
            with pytest.raises(ReSpecError, match="no equivalent"):
                serving_line(find_method(name).configure(), CHOICE, engine)
    with pytest.raises(ReSpecError, match="--head NAME"):
        serving_line(find_method("eagle2").configure(), ModelChoice(), "sglang")


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_our_own_forms_lead_back_to_the_same_settings(method: str) -> None:
    found = find_method(method)
    given = {"max_new_tokens": 33, "stop": ("a b", "ü"), "temperature": 0.5, "relax_k": 4}
    config = found.configure(given | ({"budget": 20} if found.drafts else {}))
    preset, changed = changed_settings(config)
    assert {"max_new_tokens", "stop", "temperature", "relax_k"} <= set(changed)

    told = json.loads(settings_json(config))
    assert found.configure(parse_settings(told["settings"]), told["preset"] or None) == config

    words = shlex.split(command_line(config, ModelChoice()).forms["bash"])
    sets = [word for before, word in itertools.pairwise(words) if before == "--set"]
    assert found.configure(parse_set(sets), preset or None) == config

    wishes = from_query(dict(parse_qsl(page_query(config)[1:])))
    assert found.configure(wishes["settings"]) == config
