"""Look-up time as the store grows; the table itself is slow."""

from __future__ import annotations

import pytest

from respec_core.retrieval import growth


def test_look_ups_at_a_hundred_thousand_tokens(tmp_path, encoder):
    row = growth.measure(100_000, encoder, tmp_path, queries=200)
    assert row.median_ms < 1 and row.worst_ms < 2


@pytest.mark.slow
def test_look_ups_stay_under_a_millisecond_at_ten_million_tokens(tmp_path, encoder, request):
    if "slow" not in (request.config.getoption("markexpr") or ""):
        pytest.skip("takes about a minute: run with -m slow")
    rows = [growth.measure(tokens, encoder, tmp_path) for tokens in (100_000, 1_000_000, 10_000_000)]
    print(growth.table(rows))
    assert rows[-1].tokens > 9_000_000
    assert all(row.median_ms < 1 and row.p99_ms < 1 and row.worst_ms < 1 for row in rows)
    assert rows[-1].bytes / rows[-1].tokens < 11
