"""A recorded lattice searched again under other settings: the same ones give the run back, and nothing is trusted."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.loading import Loader
from app.what_if import MAX_BODY, MAX_IDS, answer, parse_wish
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.schema import Run

ROOT = Path(__file__).parents[2]
PROMPT = (5, 6, 7, 8, 9, 10, 5, 6, 7)
EMPTY = Loader(ModelChoice("never-loaded"))  # not started: there are no models


@pytest.fixture(scope="module")
def run(tiny_models: Models) -> Run:
    return run_of(tiny_models)


def run_of(models: Models, **values: Any) -> Run:
    values = {"budget": "own", "max_new_tokens": 20, "shape": "chain", "tau": 0.7, "beam": 4, "proxy": "ngram"} | values
    return complete(Request(find_method("diffuspec").configure(values), PROMPT), models)


def asked(run: Run, at: int = 0, **other: Any) -> dict[str, Any]:
    """What the page asks about the ``at``-th round with a lattice: as recorded, but for ``other``."""
    step = [step for step in run.steps if step.record(Lattice) is not None][at]
    params = run.config["params"]
    assert step.record(Lattice) is not None
    return {
        "prompt_ids": run.prompt_ids,
        "output_ids": run.output_ids,
        "ctx_len": step.ctx_len,
        "lattice": step.record(Lattice).model_dump(mode="json"),
        **{name: params[name] for name in ("proxy", "ngram", "length_normalised", "lambda_dlm", "tau", "beam")},
        "vocab_size": run.models["target"]["vocab_size"],
        "target": run.models["target"]["name"],
    } | other


def view(run: Run, at: int = 0, **other: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps(asked(run, at, **other)), EMPTY))
    assert "error" not in found, found
    return found


def test_the_recorded_settings_give_the_recorded_paths_back(run: Run) -> None:
    rounds = [step for step in run.steps if step.record(Lattice) is not None]
    assert rounds
    for at, step in enumerate(rounds):
        found = view(run, at)
        assert step.record(Lattice) is not None
        recorded = step.record(Lattice).model_dump(mode="json")
        assert [beam["tokens"] for beam in found["lattice"]["beams"]] == [b["tokens"] for b in recorded["beams"]]
        assert found["lattice"]["positions"] == recorded["positions"]
        assert [found["accepted"], found["corpus"]] == [step.commit.n_accepted, False] or not found["known"]


def test_lambda_one_alone_with_one_candidate_is_the_greedy_path(run: Run) -> None:
    found = view(run, lambda_dlm=1, tau=0.01, beam=1)["lattice"]
    assert found["beams"][0]["tokens"] == found["top1_path"]
    assert all(position["M_i"] == 1 for position in found["positions"])
    free = view(run, lambda_dlm=1, tau=1, beam=3)["lattice"]  # nothing cut: still each position's best
    assert free["beams"][0]["tokens"] == free["top1_path"]


def test_a_proxy_of_logits_is_refused(run: Run) -> None:
    found = json.loads(answer(json.dumps(asked(run, proxy="recycling")), EMPTY))
    assert found == {"error": "This run's proxy was made of the target's logits, which a trace does not hold."}


def changed(lattice: dict[str, Any], change: str) -> dict[str, Any]:
    lattice = json.loads(json.dumps(lattice))
    first = lattice["positions"][0]
    if change == "no positions":
        lattice["positions"] = []
    elif change == "positions":
        lattice["positions"] = [first | {"i": i} for i in range(300)]
    elif change == "candidates":
        first["cand"] = first["cand"][:1] * 65
    elif change == "no candidates":
        first["cand"] = []
    elif change == "beams":
        lattice["beams"] = lattice["beams"][:1] * 17
    elif change == "chosen":
        lattice["chosen"] = 99
    elif change == "numbering":
        first["i"] = 7
    elif change == "unlikely":
        first["cand"][0]["logp_dlm"] = 800.0
    elif change == "nan":
        first["cand"][0]["logp_dlm"] = math.nan
    elif change == "foreign":
        first["cand"][0]["token"] = 10**6
    elif change == "negative":
        first["cand"][0]["token"] = -1
    return lattice


@pytest.mark.parametrize(
    "change",
    [
        "no positions",
        "positions",
        "candidates",
        "no candidates",
        "beams",
        "chosen",
        "numbering",
        "unlikely",
        "nan",
        "foreign",
        "negative",
    ],
)
def test_a_lattice_out_of_bounds_is_refused_in_one_sentence(run: Run, change: str) -> None:
    wish = asked(run)
    refused(json.dumps(wish | {"lattice": changed(wish["lattice"], change)}))


@pytest.mark.parametrize(
    "other",
    [
        {"lambda_dlm": 1.5},
        {"lambda_dlm": math.nan},
        {"tau": 0},
        {"beam": 0},
        {"beam": 17},
        {"ngram": 9},
        {"proxy": "magic"},
        {"prompt_ids": [1] * (MAX_IDS + 1)},
        {"prompt_ids": [10**7]},
        {"prompt_ids": [-1]},
        {"output_ids": "12"},
        {"ctx_len": -1},
        {"vocab_size": 10**9},
        {"vocab_size": 3},
        {"target": "x" * 500},
        {"more": 1},
        {"lattice": None},
    ],
)
def test_a_wish_out_of_bounds_is_refused_in_one_sentence(run: Run, other: dict[str, Any]) -> None:
    refused(json.dumps(asked(run, **other)))


@pytest.mark.parametrize("text", [None, 3, {}, "", "{", "[]", "x" * (MAX_BODY + 1)])
def test_what_is_no_wish_is_refused_in_one_sentence(text: Any) -> None:
    refused(text)


def refused(text: Any) -> None:
    with pytest.raises(ReSpecError) as caught:
        parse_wish(text)
    said = str(caught.value)
    assert said.endswith(".") and "\n" not in said and len(said) < 400
    assert json.loads(answer(text, EMPTY)) == {"error": said}


def test_candidates_and_paths_may_be_as_many_as_allowed(run: Run) -> None:
    wish = asked(run, beam=16, tau=1)
    first = wish["lattice"]["positions"][0]
    cand = [first["cand"][0] | {"token": token, "logp_dlm": -4.2} for token in range(64)]
    positions = [first | {"i": i, "cand": cand} for i in range(256)]
    found = json.loads(answer(json.dumps(wish | {"lattice": wish["lattice"] | {"positions": positions}}), EMPTY))
    assert len(found["lattice"]["beams"]) == 16


def drawn(seed: int) -> dict[str, Any]:
    """A wish about a made-up lattice, with ends of text in it; every other one is linked."""
    random = Random(seed)
    tokens = [random.sample(range(12), random.randint(1, 6)) for _ in range(random.randint(1, 7))]
    positions = []
    for i, cand in enumerate(tokens):
        weights = sorted((random.random() for _ in cand), reverse=True)
        shown = [
            {
                "token": token,
                "text": f"t{token}",
                "logp_dlm": math.log(w / sum(weights) * 0.98),
                "kept": True,
                "is_eos": token == 0,
            }
            for token, w in zip(cand, weights, strict=True)
        ]
        positions.append({"i": i, "cand": shown, "mass_at_cut": 1.0, "M_i": len(cand)})
    top = [cand[0] for cand in tokens]
    beam = {"tokens": top, "score": -1.0, "dlm_sum": -1.0, "alive": True}
    lattice = {
        "k": len(tokens),
        "positions": positions,
        "beams": [beam],
        "chosen": 0,
        "top1_path": top,
        "lambda_dlm": 0.5,
        "tau": 1.0,
        "links": linked(tokens, random) if seed % 2 else None,
    }
    return {
        "prompt_ids": [random.randrange(12) for _ in range(random.randint(1, 60))],
        "output_ids": [random.randrange(12) for _ in range(20)],
        "ctx_len": random.choice((0, 1, 30)),
        "lattice": lattice,
        "proxy": random.choice(("none", "ngram", "ngram", "corpus")),
        "ngram": random.randint(1, 4),
        "length_normalised": random.random() < 0.5,
        "vocab_size": 12,
        "target": "made up",
        "lambda_dlm": round(random.random(), 2),
        "tau": round(random.uniform(0.05, 1), 2),
        "beam": random.randint(1, 16),
    }  # fmt: skip


def linked(tokens: list[list[int]], random: Random) -> list[dict[str, Any]]:
    """Some edges between the candidates of made-up positions."""
    return [
        {
            "edges": [[math.log(random.uniform(0.01, 0.9)) for _ in here] for _ in before],
            "alone": [math.log(0.9 / len(here)) for _ in here],
        }
        for before, here in zip([[], *tokens], tokens, strict=False)
    ]


def test_the_browser_searches_as_python_does(run: Run) -> None:
    """What a saved page answers without a server."""
    node = shutil.which("node")
    if node is None:
        pytest.fail("there is no node") if os.environ.get("CI") else pytest.skip("there is no node")
    recorded = [
        asked(run, lambda_dlm=share, tau=tau, beam=beam)
        for share, tau, beam in ((0, 1, 16), (0.35, 0.6, 3), (1, 0.01, 1))
    ]
    wishes = [*recorded, asked(run, proxy="none"), *map(drawn, range(150))]
    code = (
        "import { readFileSync } from 'node:fs'; import { searchedHere } from './app/static/what_if_told.js';"
        "console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf-8')).map(searchedHere)))"
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", code],
        input=json.dumps(wishes),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    for wish, theirs in zip(wishes, json.loads(done.stdout), strict=True):
        ours = json.loads(answer(json.dumps(wish), EMPTY))
        assert alike(ours, theirs | {"lattice": {"passes": [], "links": None, **theirs["lattice"]}})


def alike(one: Any, other: Any) -> bool:
    """The same but for the last digits of floats."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return math.isclose(one, other, rel_tol=1e-9) if isinstance(one, float) else bool(one == other)
