"""Acceptance rules on scripted targets (arXiv 2211.17192, 2511.01282)."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from respec_core.engine.sampling import Sampler
from respec_core.engine.tree import DraftTree
from respec_core.engine.verification import outcomes, verify
from respec_core.settings.run_config import SamplingSettings
from respec_core.settings.verifying import VerifySettings

P = np.array([0.5, 0.3, 0.15, 0.05])
LOGITS = torch.tensor(np.log(P), dtype=torch.float32)
STRICT = VerifySettings()
DRAWS = 20_000


def sampler(seed: int = 0, temperature: float = 1.0, **values) -> Sampler:
    return Sampler(SamplingSettings(temperature=temperature, seed=seed, **values))


def fits(counts: collections.Counter, p: np.ndarray) -> bool:
    total = sum(counts.values())
    return chisquare([counts[i] for i in range(len(p))], p / p.sum() * total).pvalue > 1e-4


def first_token(tree: DraftTree, verdict) -> int:
    return tree.tokens[verdict.path[0]] if verdict.path else verdict.extra


@pytest.mark.parametrize("children", [[0], [3], [1, 2], [0, 1, 2, 3]])
def test_point_mass_drafts_leave_the_distribution_alone(children):
    """Whatever was drafted, emitted tokens follow p, and a child is accepted with its p."""
    tree = DraftTree.root(9)
    for child in children:
        tree = tree.merge(DraftTree.chain(9, [child], "dynamic"))
    rows, s = LOGITS.repeat(len(tree), 1), sampler()
    seen: collections.Counter = collections.Counter()
    accepted = 0
    for _ in range(DRAWS):
        verdict = verify(tree, rows, [9], s, STRICT)
        seen[first_token(tree, verdict)] += 1
        accepted += bool(verdict.path)
    assert fits(seen, P)
    assert accepted / DRAWS == pytest.approx(P[children].sum(), abs=0.015)


@pytest.mark.parametrize("q", [[0.1, 0.2, 0.3, 0.4], [0.5, 0.3, 0.15, 0.05], [0.0, 0.0, 0.0, 1.0]])
def test_rejection_rule_is_exact_and_accepts_the_overlap(q):
    """min(1, p/q), residual on rejection; accepts Σ min(p, q)."""
    q_tensor, s = torch.tensor(q), sampler()
    seen: collections.Counter = collections.Counter()
    accepted = 0
    for _ in range(DRAWS):
        x = s.draw(q_tensor)
        tree = DraftTree.chain(9, [x], "model")
        verdict = verify(tree, LOGITS.repeat(2, 1), [9], s, STRICT, {0: q_tensor})
        seen[first_token(tree, verdict)] += 1
        accepted += bool(verdict.path)
    assert fits(seen, P)
    assert accepted / DRAWS == pytest.approx(np.minimum(P, q).sum(), abs=0.015)


def test_mixing_the_rules_would_be_biased():
    """The test above can tell a wrong rule from a right one."""
    s, q = sampler(), np.array([0.1, 0.2, 0.3, 0.4])
    seen: collections.Counter = collections.Counter()
    for _ in range(DRAWS):
        x, y = s.draw(torch.tensor(q)), s.draw(torch.tensor(P))
        seen[x if x == y or s.rng.random() < P[x] / q[x] else y] += 1
    assert not fits(seen, P)


def test_temperature_zero_is_one_hot():
    """After temperature p is a point mass, so the less likely token is never accepted."""
    tree = DraftTree.chain(9, [1], "dynamic")
    verdict = verify(tree, LOGITS.repeat(2, 1), [9], sampler(temperature=0.0), STRICT)
    assert (verdict.path, verdict.extra) == ((), 0)


def test_drafted_distribution_is_the_one_sampled_from():
    """One function gives token and q."""
    s = sampler(temperature=0.7, top_k=3, top_p=0.95)
    seen: collections.Counter = collections.Counter()
    q = s.distribution(LOGITS, [])
    for _ in range(DRAWS):
        token, p = s.choose(LOGITS, [])
        assert torch.equal(p, q)
        seen[token] += 1
    assert float(q.sum()) == pytest.approx(1)
    assert float(q[3]) == 0
    assert seen[3] == 0
    assert fits(collections.Counter({t: c for t, c in seen.items() if t < 3}), q[:3].numpy().astype(float))


@pytest.mark.parametrize(("top_p", "kept"), [(0.4, 1), (0.5, 1), (0.51, 2), (0.81, 3), (1.0, 4)])
def test_top_p_keeps_the_smallest_set_that_reaches_the_mass(top_p, kept):
    assert int((sampler(top_p=top_p).distribution(LOGITS, []) > 0).sum()) == kept


def relaxed(**values) -> VerifySettings:
    return VerifySettings(rule="relaxed", **values)


def greedy_walk(tree: DraftTree, settings: VerifySettings, never=lambda _: False):
    return verify(tree, LOGITS.repeat(len(tree), 1), [9], sampler(temperature=0.0), settings, never_relax=never)


def test_relaxed_accepts_a_ranked_retrieved_token_and_says_what_strict_wanted():
    tree = DraftTree.chain(9, [1, 0], "dynamic")
    verdict = greedy_walk(tree, relaxed())
    assert verdict.path == (1, 2)
    wish = verdict.wishes[1]
    assert (wish.token, round(wish.p, 3)) == (0, 0.5)
    assert outcomes(tree, verdict.path, verdict.wishes) == (None, "relaxed_accept", "strict_accept")


@pytest.mark.parametrize(
    ("token", "source", "settings"),
    [
        (1, "model", {}),  # a model's draft is always held to the strict rule
        (2, "dynamic", {"relax_k": 2}),  # rank
        (3, "dynamic", {"relax_k": 4, "relax_eps": 0.2}),  # ratio
        (1, "dynamic", {"relax_max": 0}),  # cap
    ],
)
def test_relaxed_guards(token, source, settings):
    assert greedy_walk(DraftTree.chain(9, [token], source), relaxed(**settings)).path == ()


@pytest.mark.parametrize("protected", [0, 1])
def test_protected_tokens_are_neither_taken_nor_replaced(protected):
    verdict = greedy_walk(DraftTree.chain(9, [1], "dynamic"), relaxed(), lambda token: token == protected)
    assert verdict.path == ()


def test_relaxed_cap_counts_per_round():
    tree = DraftTree.chain(9, [1, 1, 1, 1], "static")
    assert len(greedy_walk(tree, relaxed(relax_max=3)).path) == 3


def test_relaxed_prefers_the_strict_token_then_the_likeliest():
    both = DraftTree.chain(9, [2], "dynamic").merge(DraftTree.chain(9, [1], "dynamic"))
    assert greedy_walk(both, relaxed()).path == (2,)
    with_strict = both.merge(DraftTree.chain(9, [0], "model"))
    verdict = greedy_walk(with_strict, relaxed())
    assert with_strict.tokens[verdict.path[0]] == 0
    assert not verdict.wishes


def test_losing_siblings_are_rejected_and_their_descendants_unreached():
    tree = DraftTree.chain(9, [0, 1], "x").merge(DraftTree.chain(9, [2, 3], "x"))
    verdict = greedy_walk(tree, STRICT)
    assert outcomes(tree, verdict.path, {}) == (None, "strict_accept", "rejected", "rejected", "unreached")
