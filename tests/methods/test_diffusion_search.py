"""Lattice, causal proxy, path search and adaptive length against their formulas (DiffuSpec, arXiv 2510.02358)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respec_core.methods.diffuspec.adl import LengthState
from respec_core.methods.diffuspec.corpus_counts import CorpusCounts
from respec_core.methods.diffuspec.cps import Path, PathWeighing, along, best_first, search
from respec_core.methods.diffuspec.lattice import LatticeColumn, SearchLattice
from respec_core.methods.diffuspec.proxy import MixedProxy, NGramProxy

EOS = 9


def column(probabilities, tokens=None, tau=0.8) -> LatticeColumn:
    tokens = tokens or range(10, 10 + len(probabilities))
    return LatticeColumn.pruned(list(tokens), [math.log(p) for p in probabilities], tau, {EOS})


def test_mass_adaptive_pruning_worked_examples():
    first = column([0.5, 0.2, 0.15, 0.1])
    assert (first.m, first.mass) == (3, pytest.approx(0.85))
    assert column([0.9, 0.05]).m == 1
    assert column([0.3, 0.2, 0.1]).m == 3  # τ never reached: all of M_max


def test_end_of_text_is_kept_whatever_its_mass():
    kept = column([0.7, 0.2, 0.05, 0.01], [1, 2, 3, EOS])
    assert kept.m == 2
    assert kept.kept == (0, 1, 3)
    assert column([0.9, 0.05], [EOS, 2]).kept == (0,)


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=12), st.floats(0.05, 1.0))
def test_m_is_the_smallest_that_reaches_the_mass(weights, tau):
    p = sorted((w / (sum(weights) + 0.01) for w in weights), reverse=True)
    found = column(p, tau=tau)
    assert found.m == len(p) or sum(p[: found.m]) >= tau - 1e-9
    assert found.m == 1 or sum(p[: found.m - 1]) < tau + 1e-9


def test_raw_end_of_text_signal_comes_before_the_search():
    """Eq. 9: ``L_gen = min(s_t − 1, k_t)``."""
    rows = [[1, 2], [EOS, 3], [4, 5]]
    lattice = SearchLattice.of(rows, [[-0.1, -3.0]] * 3, 0.8, {EOS})
    assert (lattice.first_end, lattice.generated, lattice.top1) == (2, 1, (1, EOS, 4))
    assert SearchLattice.of([[1], [2]], [[-0.1]] * 2, 0.8, {EOS}).generated == 2


def test_adaptive_length_worked_examples():
    start = LengthState.start(20, 30, 10, 0.5, 100)
    assert start.k == 30
    shorter = start.after(30, 7)
    assert (shorter.ema_gen, shorter.ema_acc, shorter.k, shorter.grows()) == (15, 3.5, 20, False)
    longer = start.after(30, 30)
    assert (longer.ema_gen, longer.ema_acc, longer.k, longer.grows()) == (15, 15, 25, True)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12),
    st.floats(0.05, 1.0),
    st.floats(0, 20),
    st.integers(1, 40),
)
def test_adaptive_length_against_the_formulas(rounds, rho, delta, longest):
    state = LengthState.start(20, 30, delta, rho, longest)
    gen = acc = 0.0
    for generated, accepted in rounds:
        state = state.after(generated, accepted)
        gen, acc = (1 - rho) * gen + rho * generated, (1 - rho) * acc + rho * accepted
        wanted = round(gen + delta * (1 if acc >= gen else 0))
        high = min(30, longest)  # a short drafter keeps the paper's proportion of the bounds
        low = max(1, round(20 * high / 30))
        assert (state.ema_gen, state.ema_acc) == (gen, acc)
        assert state.k == max(low, min(high, wanted))


def witten_bell(text, order, vocab, context, token) -> float:
    """The definition, counted naively."""
    p = 1 / vocab
    for n in range(order):
        history = tuple(context[len(context) - n :]) if n <= len(context) else None
        grams = [text[i : i + n + 1] for i in range(len(text) - n)] if history is not None else []
        after = [gram[-1] for gram in grams if tuple(gram[:-1]) == history]
        if not after:
            break
        p = (after.count(token) + len(set(after)) * p) / (len(after) + len(set(after)))
    return p


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(1, 4), st.lists(st.integers(0, 4), max_size=4))
def test_ngram_proxy_against_its_definition(text, order, context):
    proxy = NGramProxy(order, 5)
    proxy.read(text[: len(text) // 2])
    proxy.read(text[len(text) // 2 :])
    p = np.exp(proxy.log_p(context, np.arange(5)))
    assert p.sum() == pytest.approx(1)
    for token in range(5):
        assert p[token] == pytest.approx(witten_bell(text, order, 5, context, token))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(1, 3), st.lists(st.integers(0, 4), max_size=4))
def test_corpus_counts_against_their_definition(text, order, context):
    p = CorpusCounts.fit(text, 5).p(context, np.arange(5), order)
    for token in range(5):
        assert p[token] == pytest.approx(witten_bell(text, order, 5, context, token))


def test_mixed_proxy_knows_the_corpus_and_the_session():
    session = NGramProxy(3, 8)
    mixed = MixedProxy(session, CorpusCounts.fit([1, 2, 3] * 20, 8))
    assert mixed.log_p([1, 2], np.arange(8)).argmax() == 3
    mixed.read([1, 5, 6] * 4)
    assert mixed.log_p([1, 5], np.arange(8)).argmax() == 6
    assert np.exp(mixed.log_p([1], np.arange(8))).sum() == pytest.approx(1)


def random_lattice(seed: int, k: int, m: int, vocab: int = 12) -> tuple[SearchLattice, NGramProxy, list[int]]:
    rng = np.random.default_rng(seed)
    prefix = rng.integers(0, vocab, 40).tolist()
    proxy = NGramProxy(3, vocab)
    proxy.read(prefix)
    tokens = [rng.choice(vocab, m, replace=False).tolist() for _ in range(k)]
    p = np.sort(rng.dirichlet(np.full(m + 1, 0.6), k)[:, :m])[:, ::-1] + 1e-9
    return SearchLattice.of(tokens, np.log(p).tolist(), 0.9, {EOS}), proxy, prefix


def every_path(lattice: SearchLattice):
    """Token and rank tuples of all complete paths: to the last position or the first end of text."""

    def walk(ranks):
        if len(ranks) == len(lattice) or (ranks and ranks[-1] in lattice.columns[len(ranks) - 1].ends):
            yield ranks
            return
        for rank in lattice.columns[len(ranks)].kept:
            yield from walk((*ranks, rank))

    return walk(())


def score_of(lattice, weighing: PathWeighing, prefix, ranks) -> tuple[float, float]:
    path = list(prefix)
    dlm = proxy = 0.0
    for col, rank in zip(lattice.columns, ranks, strict=False):
        dlm += col.log_p[rank]
        if weighing.proxy is not None:
            proxy += float(weighing.proxy.log_p(path, np.array([col.tokens[rank]]))[0])
        path.append(col.tokens[rank])
    return dlm, proxy


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 4), st.floats(0, 1), st.booleans(), st.booleans())
def test_search_against_all_paths(seed, k, m, lam, normalised, use_proxy):
    lattice, proxy, prefix = random_lattice(seed, k, m)
    weighing = PathWeighing(lam, proxy if use_proxy else None, normalised)
    lam = lam if use_proxy else 1.0
    truth = {}
    for ranks in every_path(lattice):
        dlm, causal = score_of(lattice, weighing, prefix, ranks)
        truth[ranks] = (lam * dlm + (1 - lam) * causal) / (len(ranks) if normalised else 1)
    wide = search(lattice, weighing, prefix, len(truth)).paths
    assert {path.ranks for path in wide} == set(truth)
    assert [path.score for path in wide] == pytest.approx(sorted(truth.values(), reverse=True))
    for path in search(lattice, weighing, prefix, 2).paths:
        assert path.score == pytest.approx(truth[path.ranks])
        assert path.tokens == tuple(c.tokens[r] for c, r in zip(lattice.columns, path.ranks, strict=False))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 4), st.integers(1, 20))
def test_best_first_takes_the_likeliest_nodes_of_all_paths(seed, k, m, nodes):
    lattice, proxy, prefix = random_lattice(seed, k, m)
    weighing = PathWeighing(0.5, proxy)
    everything = {}
    for ranks in every_path(lattice):
        path = Path(tuple(c.tokens[r] for c, r in zip(lattice.columns, ranks, strict=False)), ranks, 0, 0, 0, False)
        for depth, node in enumerate(along(search(lattice, weighing, prefix, 1), path, prefix), 1):
            everything[path.tokens[:depth]] = node.value
    grown = best_first(lattice, weighing, prefix, nodes)
    found = {}
    for i, node in enumerate(grown):
        assert node.parent < i
        found[i] = (*(found[node.parent] if node.parent >= 0 else ()), node.token)
        assert node.value == pytest.approx(everything[found[i]])
    assert len(set(found.values())) == len(grown) == min(nodes, len(everything))
    best = sorted(everything.values(), reverse=True)[: len(grown)]
    assert [node.value for node in grown] == pytest.approx(best)


def test_the_proxy_decides_between_equal_candidates():
    """Positions filled side by side offer "b" and "c"; only "b" was seen behind "a"."""
    a, b, c = 0, 1, 2
    proxy = NGramProxy(3, 12)
    proxy.read([5, a, b, 6, a, b, c])
    lattice = SearchLattice.of([[a, 4], [c, b]], [[-0.1, -3.0], [-0.7, -0.71]], 0.9, {EOS})
    assert lattice.top1 == (a, c)
    assert search(lattice, PathWeighing(0.5, proxy), [5], 3).paths[0].tokens == (a, b)
    assert search(lattice, PathWeighing(1.0, proxy), [5], 3).paths[0].tokens == (a, c)


def test_a_path_ends_at_its_first_end_of_text():
    lattice = SearchLattice.of([[1, EOS], [EOS, 2], [3, 4]], [[-0.5, -1.2], [-0.4, -1.0], [-5.0, -6.0]], 1.0, {EOS})
    paths = search(lattice, PathWeighing(1.0, None, normalised=False), [], 4).paths
    assert [p.tokens for p in paths[:2]] == [(1, EOS), (EOS,)]
    assert all(p.ended == (p.tokens[-1] == EOS) for p in paths)
    assert search(lattice, PathWeighing(1.0, None, normalised=True), [], 4).paths[0].tokens == (1, EOS)


def test_paths_as_nodes_carry_both_probabilities():
    lattice, proxy, prefix = random_lattice(3, 4, 3)
    searched = search(lattice, PathWeighing(0.5, proxy), prefix, 3)
    nodes = along(searched, searched.paths[0], prefix)
    assert tuple(node.token for node in nodes) == searched.paths[0].tokens
    assert math.log(math.prod(node.p for node in nodes)) == pytest.approx(searched.paths[0].dlm)
    assert len(list(itertools.pairwise(nodes))) == sum(a.value >= b.value for a, b in itertools.pairwise(nodes))
