"""What forwards cost in a run: the curve, fitted to what the run has paid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respec_core.engine.prices import STALL, Prices
from respec_core.trace.cost_curve import LEAST_FACTOR, MOST_FACTOR, CostCurve

CURVE = CostCurve(((1, 10.0), (2, 12.0), (8, 18.0), (64, 60.0)))
FLAT = CostCurve(((1, 10.0), (64, 10.0)))
sizes = st.integers(1, 80)


@given(st.lists(sizes, max_size=60))
def test_where_forwards_take_what_the_curve_says_prices_are_its_own_to_the_last_bit(paid):
    prices = Prices(CURVE)
    for tokens in paid:
        assert prices.observe(tokens, CURVE.ms(tokens)) == CURVE.ms(tokens)
    assert prices.factors == (1.0, 1.0)
    assert all(prices.ms(n) == CURVE.ms(n) for n in range(1, 100))


@given(st.floats(0.8, 1.3), st.floats(0.7, 1.7), st.integers(2, 64))
def test_a_runs_own_prices_are_found_within_a_tenth(one, more, size):
    prices, own = Prices(CURVE), CURVE.fitted(one, more)
    for _ in range(60):
        for tokens in (1, size):
            prices.observe(tokens, own.ms(tokens))
    for tokens in (1, size):
        assert prices.ms(tokens) == pytest.approx(own.ms(tokens), rel=0.1)


@given(st.floats(0.8, 1.3), sizes)
def test_where_all_forwards_have_one_size_that_size_is_priced(factor, size):
    prices = Prices(CURVE)
    for _ in range(80):
        prices.observe(size, factor * CURVE.ms(size))
    assert prices.ms(size) == pytest.approx(factor * CURVE.ms(size), rel=0.05)


@given(st.integers(5, 40), sizes, st.floats(2.0, 1e6))
def test_a_stall_is_hardly_a_price(before, size, times):
    prices = Prices(CURVE)
    for i in range(before):
        prices.observe(1 + i % 9, CURVE.ms(1 + i % 9))
    assert prices.observe(size, times * CURVE.ms(size)) == pytest.approx(STALL * CURVE.ms(size))
    assert all(prices.ms(n) < 1.25 * CURVE.ms(n) for n in range(1, 65))
    for i in range(40):
        prices.observe(1 + i % 9, CURVE.ms(1 + i % 9))
    assert prices.ms(1 + size % 9) == pytest.approx(CURVE.ms(1 + size % 9), rel=0.02)


@given(st.lists(st.tuples(sizes, st.floats(-1e9, 1e9)), max_size=80))
def test_whatever_the_clock_says_prices_never_fall_with_tokens_and_stay_within_bounds(paid):
    prices = Prices(CURVE)
    for tokens, ms in paid:
        assert 0 <= prices.observe(tokens, ms) <= STALL * MOST_FACTOR * CURVE.ms(tokens)
        assert all(LEAST_FACTOR <= factor <= MOST_FACTOR for factor in prices.factors)
        own = [prices.ms(n) for n in range(1, 65)]
        assert own[0] > 0 and own == sorted(own)


@given(st.floats(0.8, 1.3))
def test_where_more_tokens_cost_nothing_one_factor_says_all(factor):
    prices = Prices(FLAT)
    for i in range(40):
        prices.observe(1 + i % 5, factor * 10.0)
    assert prices.factors[1] == 1.0
    assert prices.ms(64) == pytest.approx(factor * 10.0, rel=0.06)


def test_where_only_drafts_were_verified_plain_decoding_has_not_become_dearer():
    """Else drafts that are dearer than the curve says would look as good as before."""
    prices, own = Prices(CURVE), CURVE.fitted(1.0, 1.5)
    for _ in range(40):
        prices.observe(8, own.ms(8))
    assert prices.ms(8) == pytest.approx(own.ms(8), rel=0.05)
    assert prices.ms(1) == pytest.approx(CURVE.ms(1), rel=0.05)
