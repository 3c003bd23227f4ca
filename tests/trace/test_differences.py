"""Where two outputs part."""

from __future__ import annotations

import pytest

from respec_core.trace.differences import first_difference


@pytest.mark.parametrize(
    ("ours", "theirs", "at"), [((1, 2), (1, 2), None), ((1, 2), (1, 3), 1), ((1, 2), (1, 2, 3), 2), ((), (1,), 0)]
)
def test_first_difference(ours, theirs, at):
    assert first_difference(ours, theirs) == first_difference(theirs, ours) == at
