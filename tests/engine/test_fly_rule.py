"""FLy as a rule of the engine, and what is recorded of the chain behind a rejection."""

from __future__ import annotations

import math
from itertools import takewhile

import pytest
import torch
from counting import counted
from hypothesis import given
from hypothesis import strategies as st
from random_trees import ROOT_TOKEN, trees

from respec_core.engine.sampling import Sampler
from respec_core.engine.tree import DraftTree
from respec_core.engine.verification import Verdict, outcomes, verify
from respec_core.errors import ReSpecError
from respec_core.methods.traces import parse_trace, violations
from respec_core.settings.run_config import SamplingSettings
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.chains import chain_of
from respec_core.trace.placing import placed_rounds
from respec_core.trace.round import MISSES_AHEAD
from respec_core.trace.rule_estimate import RecordedRounds, taken

WORDS = 5
RELAXED = {"rule": "relaxed", "relax_digits": True}  # all tokens are numbers here
OPEN = {"rule": "fly", "fly_window": 2, "fly_entropy": 0.0}


def walk(tree: DraftTree, logits: torch.Tensor, closing=lambda _: False, **knobs) -> Verdict:
    sampler = Sampler(SamplingSettings())
    return verify(tree, logits, [ROOT_TOKEN], sampler, VerifySettings(**(OPEN | knobs)), closing=closing)


def rows(wants: str, sure: float = 0.5) -> torch.Tensor:
    """The target wants these tokens, with probability ``sure``; the others share the rest."""
    p = torch.full((len(wants), WORDS), (1 - sure) / (WORDS - 1))
    for row, token in enumerate(wants):
        p[row, int(token)] = sure
    return p.log()


def chain(tokens: str, source: str = "model") -> DraftTree:
    return DraftTree.chain(ROOT_TOKEN, [int(t) for t in tokens], source)


def test_a_deferred_mismatch_passes_with_what_the_target_wanted():
    tree = chain("012")
    verdict = walk(tree, rows("3124"))
    assert (verdict.path, verdict.extra) == ((1, 2, 3), 4)
    assert {node: (wish.token, round(wish.p, 3)) for node, wish in verdict.wishes.items()} == {1: (3, 0.5)}
    assert outcomes(tree, verdict.path, verdict.wishes, "fly_accept")[1:] == (
        "fly_accept",
        "strict_accept",
        "strict_accept",
    )


@pytest.mark.parametrize(("threshold", "accepted"), [(0.37, 3), (0.38, 0)])
def test_where_the_target_is_sure_the_mismatch_is_an_error(threshold, accepted):
    """0.9 and twice 0.025: 0.279 nats; 0.85 and twice 0.0375: 0.384 nats."""
    assert len(walk(chain("012"), rows("3124", 0.9), fly_entropy=threshold).path) == 0
    top = [0.85, 0.0375, 0.0375]
    assert -sum(p * math.log(p) for p in top) == pytest.approx(0.384, abs=1e-3)
    assert len(walk(chain("012"), rows("3124", 0.85), fly_entropy=threshold + 0.01).path) == accepted


@pytest.mark.parametrize("closing", [0, 3, 1])
def test_nothing_passes_at_or_across_an_end_of_text(closing):
    """0 is the drafted token, 3 the target's own, 1 the next."""
    assert walk(chain("012"), rows("3124"), closing=lambda token: token == closing).path == ()


def test_a_tree_is_walked_strictly_down_to_where_one_chain_is_left():
    trunk = chain("0").merge(chain("4"))
    alone = trunk.merge(chain("0123"))
    assert len(walk(alone, rows("0000123")).path) == 1  # 1 was not wanted, and 23 agrees: but see below
    order = [alone.tokens[node] for node in range(len(alone))]
    assert order == [ROOT_TOKEN, 0, 4, 1, 2, 3]
    verdict = walk(alone, rows("030234"))  # behind 0 the target wants 3, the draft has 1; then both go on with 2, 3
    assert [alone.tokens[node] for node in verdict.path] == [0, 1, 2, 3]
    branching = alone.merge(chain("014"))
    assert [branching.tokens[node] for node in walk(branching, rows("0302340")).path] == [0]


@given(trees(), st.data())
def test_it_extends_the_strict_path_by_whole_windows(tree, data):
    logits = torch.tensor(
        data.draw(
            st.lists(
                st.lists(st.integers(0, 2), min_size=WORDS, max_size=WORDS), min_size=len(tree), max_size=len(tree)
            )
        ),
        dtype=torch.float32,
    )
    strict, fly = walk(tree, logits, rule="strict"), walk(tree, logits)
    assert fly.path[: len(strict.path)] == strict.path
    assert fly.extra == int(logits[fly.path[-1] if fly.path else 0].argmax())
    assert walk(tree, logits, fly_entropy=3.0).path == strict.path
    for node in fly.wishes:
        at = fly.path.index(node)
        assert all(after in fly.path and after not in fly.wishes for after in fly.path[at + 1 : at + 3])
        assert len(fly.path) >= at + 3


def test_a_run_with_the_rule_says_so_and_stands_every_check():
    run, strict = counted(**OPEN), counted()
    assert 0 < run.summary.relaxed_accepts < run.summary.tokens
    assert run.summary.mat > strict.summary.mat
    assert {t.outcome for t in run.tokens if t.wish} == {"fly_accept"}
    assert {(t.wish.token, t.id) for t in run.tokens if t.wish} == {(13, 6)}
    for one in (run, strict):
        assert violations(parse_trace(one.to_json())) == []


@pytest.mark.parametrize("values", [OPEN, RELAXED, RELAXED | {"relax_digits": False}, RELAXED | {"relax_h_min": 2.0}])
def test_the_estimate_from_a_strict_run_is_the_run_up_to_its_first_divergence(values):
    """Every round for itself: the same until a token passed that the target did not want, that round included."""
    strict, lossy = counted(budget=4), counted(budget=4, **values)
    verify = VerifySettings(**values)
    same = list(
        takewhile(
            lambda pair: pair[0].start == pair[1].start, zip(placed_rounds(strict), placed_rounds(lossy), strict=False)
        )
    )
    compared = 0
    for before, now in same:
        found = chain_of(before.step, before.tokens)
        if found is None:
            continue
        compared += 1
        assert taken(found, verify).length == now.step.commit.n_accepted
        if now.step.commit.n_relaxed:
            break
    assert compared > 1
    guessed = RecordedRounds.of(strict).by(verify)
    assert guessed.certain
    assert (guessed.mismatches > 0) == (lossy.summary.relaxed_accepts > 0)
    assert RecordedRounds.of(strict).by(VerifySettings()).mismatches == 0


def test_a_run_by_a_rule_estimates_itself():
    run = counted(**OPEN)
    found = RecordedRounds.of(run).by(VerifySettings(**OPEN))
    cut = run.steps[-1].commit
    whole = run.summary.tokens - (len(cut.emitted_ids) if cut.extra is None else 0)
    assert (found.tokens, found.mismatches) == (
        whole,
        run.summary.relaxed_accepts - (cut.n_relaxed if cut.extra is None else 0),
    )


def test_what_lies_ahead_is_recorded_down_to_the_third_mismatch():
    tree = chain("012340123")
    ahead = walk(tree, rows("3333340123"), rule="strict", look_ahead=True).ahead
    assert [ahead[node].agrees for node in sorted(ahead)] == [False] * MISSES_AHEAD
    assert [ahead[node].miss is None for node in sorted(ahead)] == [True, False, False]
    assert ahead[2].miss.token == 3
    assert ahead[2].miss.p == pytest.approx(0.125)
    whole = walk(chain("0123"), rows("31234"), rule="strict", look_ahead=True).ahead
    assert [whole[node].agrees for node in sorted(whole)] == [False, True, True, True]
    assert walk(chain("0123").merge(chain("4")), rows("312343"), rule="strict", look_ahead=True).ahead == {}
    assert walk(chain("0123"), rows("31234"), rule="strict").ahead == {}, "nobody asked"


@pytest.mark.parametrize(("drafted", "p"), [("4", 0.05), ("5", None)])
def test_behind_a_rejection_only_what_a_rule_may_let_pass_has_its_probability(drafted, p):
    """Five are named, 0 to 4; the target wants 0 everywhere."""
    logits = torch.tensor([[0.58, 0.2, 0.1, 0.06, 0.05, 0.01]]).log().repeat(3, 1)
    miss = walk(chain("1" + drafted), logits).ahead[2].miss
    assert miss.best == pytest.approx((0.58, 0.2, 0.1, 0.06, 0.05))
    assert miss.p == (None if p is None else pytest.approx(p))


def test_samples_are_refused_in_one_sentence():
    with pytest.raises(ReSpecError, match="temperature 0"):
        counted(**OPEN, temperature=0.5)
