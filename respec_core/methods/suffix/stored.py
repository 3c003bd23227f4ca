"""Where the newest tokens of a run stood before in a store, for every length of match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from respec_core.methods.suffix.places import Places
from respec_core.retrieval.datastore import Datastore

MOST_STORED = 512  # places that are counted, evenly sampled where there are more


def stored_places(store: Datastore, ids: Sequence[int], longest: int) -> Iterator[Places]:
    """From the longest match to the shortest; no set of places twice."""
    most = longest
    while most >= 1 and (span := store.longest_suffix(ids, max_span=most, min_span=1)) is not None:
        shortest = span.length
        while shortest > 1 and (wider := store.longest_suffix(ids, max_span=shortest - 1, min_span=1)) is not None:
            if wider.count != span.count:
                break
            shortest = wider.length
        ends = store.positions(span, MOST_STORED).tolist()
        yield Places("static", span.length, shortest, tuple(ends), len(ends))
        most = shortest - 1
