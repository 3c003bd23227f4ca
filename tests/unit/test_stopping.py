"""Stops and text: stop strings across tokens and rounds, characters split over tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respec_core.config import StopSettings
from respec_core.detokenize import Detokenizer, Pieces
from respec_core.stopping import Stopper

HOSTILE = "<script>alert(1)</script> ${x} {{7*7}} `"
SAMPLES = ["🙂🙂", "héllo wörld", "漢字かな交じり", "tab\there\nand\r\nlines", HOSTILE, "e\u0301 👩‍👩‍👧", "\ufffd kept"]


def ids_of(tokenizer, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("text", SAMPLES)
def test_pieces_join_to_the_whole_text(byte_tokenizer, text):
    detokenizer = Detokenizer(Pieces(byte_tokenizer))
    parts = [detokenizer.add(token) for token in ids_of(byte_tokenizer, text)]
    assert "".join(parts) + detokenizer.flush() == text
    assert all("\ufffd" not in part for part in parts) or "\ufffd" in text


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 261), max_size=30))
def test_any_ids_give_the_tokenizers_own_text(byte_tokenizer, ids):
    detokenizer = Detokenizer(Pieces(byte_tokenizer))
    text = "".join(detokenizer.add(token) for token in ids) + detokenizer.flush()
    assert text == byte_tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def test_incomplete_characters_are_held_and_shown_as_bytes(byte_tokenizer):
    pieces = Pieces(byte_tokenizer)
    detokenizer = Detokenizer(pieces)
    ids = ids_of(byte_tokenizer, "🙂")
    assert [detokenizer.add(token) for token in ids] == ["", "", "", "🙂"]
    assert [pieces.piece(token) for token in ids] == ["⟨F0⟩", "⟨9F⟩", "⟨99⟩", "⟨82⟩"]


def test_special_tokens_are_shown_but_add_no_text(byte_tokenizer):
    pieces = Pieces(byte_tokenizer)
    eot = byte_tokenizer.eos_token_id
    assert (pieces.piece(eot), Detokenizer(pieces).add(eot)) == ("<|eot|>", "")


def stopper(tokenizer, **values) -> Stopper:
    return Stopper(StopSettings(**values), frozenset([tokenizer.eos_token_id]), Pieces(tokenizer), 1000)


def test_stop_string_inside_a_block_cuts_the_rest(byte_tokenizer):
    ids = ids_of(byte_tokenizer, "so ha ha ha yes")
    cut = stopper(byte_tokenizer, stop=(" ha ha",)).take(ids)
    assert ("".join(cut.texts), cut.reason) == ("so ha ha", "stop")
    assert byte_tokenizer.decode(ids[: len(cut.texts)]) == "so ha ha"


def test_stop_string_across_rounds(byte_tokenizer):
    s = stopper(byte_tokenizer, stop=("abc",))
    assert s.take(ids_of(byte_tokenizer, "xa")).reason is None
    assert s.take(ids_of(byte_tokenizer, "b")).reason is None
    cut = s.take(ids_of(byte_tokenizer, "cde"))
    assert (cut.texts, cut.reason) == (("c",), "stop")


def test_the_earliest_stop_wins(byte_tokenizer):
    eot = byte_tokenizer.eos_token_id
    ids = [*ids_of(byte_tokenizer, "ab"), eot, *ids_of(byte_tokenizer, "stop")]
    assert stopper(byte_tokenizer, stop=("stop",)).take(ids).reason == "eos"
    assert stopper(byte_tokenizer, stop=("b",)).take(ids).reason == "stop"
    assert stopper(byte_tokenizer, max_new_tokens=1).take(ids).reason == "length"
    assert stopper(byte_tokenizer, max_new_tokens=3).take(ids).reason == "eos"


def test_stop_string_longer_than_everything_seen(byte_tokenizer):
    s = stopper(byte_tokenizer, stop=("a" * 50,))
    assert s.take(ids_of(byte_tokenizer, "a" * 49)).reason is None
    assert s.take(ids_of(byte_tokenizer, "a")).reason == "stop"


def test_text_held_at_the_end_is_flushed_into_the_last_token(byte_tokenizer):
    half = ids_of(byte_tokenizer, "🙂")[:2]
    cut = stopper(byte_tokenizer, max_new_tokens=2).take(half)
    assert "".join(cut.texts) == byte_tokenizer.decode(half)
