"""How often copies go on, by the length of their match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respec_core.engine.copy_record import SUREST, CopyRecord, first_guess
from respec_core.trace.round import Hit


def hit(match: int, tokens: tuple[int, ...], corpus: str = "prompt") -> Hit:
    return Hit(
        id=0, corpus=corpus, end_pos=1, match_len=match, snippet="", continuation="", snippet_ids=(), cont_ids=tokens
    )


@given(st.integers(1, 30), st.integers(1, 20))
def test_without_a_record_every_token_is_likelier_behind_a_longer_match(match, length):
    chances = CopyRecord().chances(hit(match, ()), length)
    assert chances == sorted(chances, reverse=True) and len(chances) == length
    assert chances[0] == first_guess(match) <= first_guess(match + 1) <= SUREST
    longer = CopyRecord().chances(hit(match + 1, ()), length)
    assert all(a < b for a, b in zip(chances, longer, strict=True)) or first_guess(match) == SUREST


def test_what_was_written_judges_up_to_the_first_wrong_token():
    record, own = CopyRecord(), hit(3, (5, 6, 7, 8))
    before = record.chances(own, 2)
    record.judge([own], [5, 6, 9, 8])
    after = record.chances(own, 2)
    assert after[0] == pytest.approx(
        (4 * first_guess(3) + 2) / 6
    )  # behind 3 and 4 tokens, one kind: right; behind 5, wrong
    assert after[1] / after[0] == pytest.approx((4 * first_guess(4) + 2) / 6)
    assert record.chances(hit(5, ()), 1)[0] == pytest.approx(4 * first_guess(5) / 5)
    assert after > before


def test_own_text_and_others_and_short_and_long_matches_are_apart():
    record = CopyRecord()
    record.judge([hit(1, (5,))] * 5, [6])
    assert record.chances(hit(1, ()), 1)[0] < first_guess(1)
    assert record.chances(hit(2, ()), 1)[0] == first_guess(2)
    assert record.chances(hit(1, (), "static"), 1)[0] == first_guess(1)


@pytest.mark.parametrize(("corpus", "match"), [("tool_memory", 3), ("logits", 3), ("prompt", 0)])
def test_what_no_match_of_tokens_speaks_for_has_no_record(corpus, match):
    record = CopyRecord()
    record.judge([hit(match, (5,), corpus)], [5])
    assert record.chances(hit(match, (5,), corpus), 3) == []
