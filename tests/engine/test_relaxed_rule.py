"""The relaxed rule's guard and its two kinds of path (arXiv 2511.01282; both ours), on trees and logits of any kind."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from random_trees import ROOT_TOKEN, trees

from respec_core.engine.sampling import Sampler
from respec_core.engine.tree import DraftTree
from respec_core.engine.verification import Verdict, outcomes, verify
from respec_core.settings.run_config import SamplingSettings
from respec_core.settings.verifying import VerifySettings

WORDS = 5
PATHS = ("strict-first", "longest")
KNOBS = st.fixed_dictionaries(
    {
        "relax_k": st.integers(1, 4),
        "relax_eps": st.sampled_from([0.0, 0.1, 0.5]),
        "relax_max": st.integers(0, 3),
        "relax_h_min": st.sampled_from([0.0, 0.8, 1.3]),
    }
)


@st.composite
def judged_trees(draw: st.DrawFn) -> tuple[DraftTree, torch.Tensor]:
    """A tree, and logits that tie often."""
    tree = draw(trees())
    rows = st.lists(st.integers(0, 4), min_size=WORDS, max_size=WORDS)
    return tree, torch.tensor(draw(st.lists(rows, min_size=len(tree), max_size=len(tree))), dtype=torch.float32)


def walk(tree: DraftTree, logits: torch.Tensor, temperature: float = 0.0, never=lambda _: False, **knobs) -> Verdict:
    settings = VerifySettings(**({"rule": "relaxed"} | knobs))
    sampler = Sampler(SamplingSettings(temperature=temperature))
    return verify(tree, logits, [ROOT_TOKEN], sampler, settings, never_relax=never)


@given(judged_trees(), KNOBS, st.sampled_from(PATHS))
def test_rank_one_is_the_strict_rule(judged, knobs, path):
    strict = walk(*judged, rule="strict")
    relaxed = walk(*judged, **(knobs | {"relax_k": 1, "relax_path": path}))
    assert (relaxed.path, relaxed.extra, relaxed.wishes) == (strict.path, strict.extra, {})


@given(judged_trees(), KNOBS, st.sampled_from(PATHS))
def test_no_relaxed_token_allowed_is_the_strict_rule(judged, knobs, path):
    strict = walk(*judged, rule="strict")
    none = walk(*judged, **(knobs | {"relax_max": 0, "relax_path": path}))
    assert (none.path, none.extra, none.wishes) == (strict.path, strict.extra, {})


def permitted(tree: DraftTree, logits: torch.Tensor, node: int, knobs: dict) -> bool | None:
    """How ``node`` may be stepped on: False as the target's own, True as relaxed, None not at all; from the rule's words."""
    row = logits[tree.parents[node]]
    p = row.softmax(-1).tolist()
    own, token = int(row.argmax()), tree.tokens[node]
    if token == own:
        return False
    ranked = sorted(range(WORDS), key=lambda t: (-p[t], t != own))
    rank = min(i for i, t in enumerate(ranked, 1) if p[t] == p[token] and t != own)  # equals share a place
    entropy = -sum(x * math.log(x) for x in p)
    good = rank <= knobs["relax_k"] and p[token] >= knobs["relax_eps"] * max(p) and entropy >= knobs["relax_h_min"]
    return True if good and tree.sources[node] & {"dynamic", "static", "datastore"} else None


@given(judged_trees(), KNOBS)
def test_longest_is_the_best_of_all_permitted_paths(judged, knobs):
    """Held against every path of the tree, one by one."""
    tree, logits = judged
    ways = []
    for end in range(len(tree)):
        path = tree.path(end)
        steps = [permitted(tree, logits, node, knobs) for node in path]
        if None not in steps and sum(map(bool, steps)) <= knobs["relax_max"]:
            log_p = sum(float(logits[tree.parents[n]].log_softmax(-1)[tree.tokens[n]]) for n in path)
            ways.append((len(path), -sum(map(bool, steps)), log_p))
    verdict = walk(*judged, **knobs, relax_path="longest")
    length, relaxed, log_p = max(ways)
    assert (len(verdict.path), -len(verdict.wishes)) == (length, relaxed)
    found = sum(float(logits[tree.parents[n]].log_softmax(-1)[tree.tokens[n]]) for n in verdict.path)
    assert found == pytest.approx(log_p, abs=1e-4)


@given(judged_trees(), KNOBS)
def test_longest_accepts_no_less_than_strict_first_nor_that_than_strict(judged, knobs):
    strict, first, longest = (
        len(walk(*judged, **(knobs | values)).path)
        for values in ({"rule": "strict"}, {"relax_path": "strict-first"}, {"relax_path": "longest"})
    )
    assert strict <= first <= longest


@given(judged_trees(), KNOBS, st.sampled_from(PATHS), st.sampled_from([0.0, 0.7]))
def test_both_paths_keep_every_condition(judged, knobs, path, temperature):
    tree, logits = judged
    verdict = walk(*judged, temperature, **knobs, relax_path=path, never=lambda token: token == 1)
    assert len(verdict.wishes) <= knobs["relax_max"]
    assert len(verdict.decided_p) == len(verdict.path) + 1
    for node, wish in verdict.wishes.items():
        assert {wish.token, tree.tokens[node]}.isdisjoint({1})
        assert wish.token != tree.tokens[node]
        assert tree.sources[node] & {"dynamic", "static"}
        row = logits[tree.parents[node]].softmax(-1)
        assert float(torch.special.entr(row).sum()) >= knobs["relax_h_min"] - 1e-5
    assert [o == "relaxed_accept" for o in outcomes(tree, verdict.path, verdict.wishes)].count(True) == len(
        verdict.wishes
    )


def test_the_guard_keeps_near_certain_positions_strict():
    """0.9 against 0.1: 0.33 nats; the copy's token is second, and passes only where that is enough."""
    sure = torch.tensor([0.9, 0.1]).log().repeat(2, 1)
    tree = DraftTree.chain(ROOT_TOKEN, [1], "dynamic")
    assert [len(walk(tree, sure, relax_h_min=h).path) for h in (0.0, 0.32, 0.33)] == [1, 1, 0]


def test_a_detour_that_leads_further_is_taken_by_longest_only():
    """Behind the root 0 is the target's own, but ends; 1 goes on."""
    tree = DraftTree.chain(ROOT_TOKEN, [0], "model").merge(DraftTree.chain(ROOT_TOKEN, [1, 0, 0], "dynamic"))
    logits = torch.tensor([0.6, 0.4]).log().repeat(len(tree), 1)
    texts = {path: walk(tree, logits, relax_path=path) for path in PATHS}
    assert [[tree.tokens[n] for n in texts[path].path] for path in PATHS] == [[0], [1, 0, 0]]
    assert [len(texts[path].wishes) for path in PATHS] == [0, 1]
    assert texts["longest"].wishes[tree.child(0, 1)].token == 0


def test_of_equally_long_paths_the_stricter_wins_then_the_likelier():
    p = torch.tensor([0.5, 0.3, 0.2]).log()
    likelier, unlikely = (DraftTree.chain(ROOT_TOKEN, [token, 0], "dynamic") for token in (1, 2))
    tree = unlikely.merge(likelier)
    path = walk(tree, p.repeat(len(tree), 1), relax_path="longest").path
    assert [tree.tokens[n] for n in path] == [1, 0]
    tree = likelier.merge(DraftTree.chain(ROOT_TOKEN, [0, 0], "model"))
    verdict = walk(tree, p.repeat(len(tree), 1), relax_path="longest")
    assert ([tree.tokens[n] for n in verdict.path], verdict.wishes) == ([0, 0], {})
