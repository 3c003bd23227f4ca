"""The measurement of a growing store: its sizes. Its times are for reading, no machine has to reach them."""

from __future__ import annotations

from respec_core.bench import datastore_growth as growth


def test_a_row_has_the_sizes_and_times_of_a_store(tmp_path, encoder):
    row = growth.measure(100_000, encoder, tmp_path, queries=20)
    assert row.tokens > 90_000
    assert row.bytes / row.tokens < 11
    assert min(row.build_s, row.sort_s, row.median_ms, row.p99_ms, row.worst_ms, row.first_ms) > 0
    assert f"| {row.tokens:,} | {row.documents:,} |" in growth.table([row])
