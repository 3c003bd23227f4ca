"""Stops and text: stop strings across tokens and rounds, characters split over tokens."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

from respec_core.engine.pieces import Detokenizer, Pieces, byte_alphabet
from respec_core.engine.stopping import Stopper
from respec_core.settings.run_config import StopSettings

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


class Counting:
    """A tokenizer that notes how many ids it was asked to decode at once."""

    def __init__(self, tokenizer) -> None:
        self.tokenizer, self.most = tokenizer, 0

    def decode(self, ids, **options) -> str:
        self.most = max(self.most, len(ids))
        return self.tokenizer.decode(ids, **options)

    def __getattr__(self, name):
        return getattr(self.tokenizer, name)


BYTES = st.one_of(  # any bytes, U+FFFD itself, and what looks like the beginning of a character
    st.binary(max_size=4),
    st.sampled_from(["\ufffd", "🙂", "漢", "a"]).map(str.encode),
    st.just(b"\xf0\x9f"),
    st.just(b"\xef"),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(BYTES, max_size=40).map(b"".join))
def test_any_bytes_give_their_text_and_hold_a_few_characters_at_most(byte_tokenizer, data):
    """A run of real U+FFFD must neither be held to the end nor decoded again and again."""
    counting = Counting(byte_tokenizer)
    pieces = Pieces(counting)
    detokenizer, alphabet = Detokenizer(pieces), {pieces.bytes_of(token): token for token in range(256)}
    shown = ""
    for i, byte in enumerate(data, 1):
        shown += detokenizer.add(alphabet[bytes([byte])])
        whole = data[:i].decode("utf-8", "replace")
        assert whole.startswith(shown) and len(whole) - len(shown) <= 3
    assert shown + detokenizer.flush() == data.decode("utf-8", "replace")
    assert counting.most <= 8


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([b"\xa2\xe6\xbc", b"\x9f\xf0", b"\xbd\xef\xbf", b"\xe6\xbc", b"\xef", b"a"]), max_size=40)
)
def test_tokens_that_always_end_inside_a_character(parts):
    alphabet = byte_alphabet()
    vocab = {alphabet[byte]: byte for byte in range(256)}
    spelled = ["".join(alphabet[byte] for byte in part) for part in parts]
    vocab |= {token: 256 + i for i, token in enumerate(sorted({t for t in spelled if t not in vocab}))}
    core = Tokenizer(models.WordLevel(vocab, unk_token=alphabet[0]))
    core.decoder = decoders.ByteLevel()
    counting = Counting(PreTrainedTokenizerFast(tokenizer_object=core))
    detokenizer = Detokenizer(Pieces(counting))
    text = "".join(detokenizer.add(vocab[token]) for token in spelled)
    assert text + detokenizer.flush() == b"".join(parts).decode("utf-8", "replace")
    assert counting.most <= 8


def test_replacement_characters_in_the_text_are_shown_at_once(byte_tokenizer):
    detokenizer = Detokenizer(Pieces(byte_tokenizer))
    parts = [detokenizer.add(token) for token in ids_of(byte_tokenizer, "\ufffd" * 50)]
    assert parts == ["", "", "\ufffd"] * 50


def test_characters_cut_by_byte_fallback_are_held_too():
    vocab = {"<unk>": 0, "▁a": 1} | {f"<0x{byte:02X}>": 2 + byte for byte in range(256)}
    core = Tokenizer(models.BPE(vocab=vocab, merges=[], byte_fallback=True, unk_token="<unk>"))
    core.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    detokenizer = Detokenizer(Pieces(PreTrainedTokenizerFast(tokenizer_object=core)))
    text = "漢\ufffd\ufffd🙂"
    ids = [1, *(2 + byte for byte in text.encode()), 1]
    assert [part for token in ids if (part := detokenizer.add(token))] == ["a", "漢", "\ufffd", "\ufffd", "🙂", " a"]


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


def test_special_tokens_without_a_name_add_no_text_either(byte_tokenizer):
    """Like SmolLM2's ``<repo_name>``, which ``all_special_ids`` does not list."""
    tokenizer = deepcopy(byte_tokenizer)
    tokenizer.add_tokens([AddedToken("<repo>", special=True)])
    repo = tokenizer.convert_tokens_to_ids("<repo>")
    ids = [*ids_of(tokenizer, "a"), repo, *ids_of(tokenizer, "b")]
    detokenizer = Detokenizer(Pieces(tokenizer))
    assert "".join(map(detokenizer.add, ids)) == tokenizer.decode(ids, skip_special_tokens=True) == "ab"


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


@pytest.mark.parametrize(
    ("stop", "output", "kept"),
    [
        ("<|call|>", "so <|call|> yes", "so <|call|>"),
        (".<|call|>", "so.<|call|> yes", "so.<|call|>"),
        ("<|call|>\n\n", "a<|call|>\nb<|call|>\n\nc", "a<|call|>\nb<|call|>\n\n"),
        ("<|call|><|bos|>", "a<|call|>b<|call|><|bos|>c", "a<|call|>b<|call|><|bos|>"),
        ("call|>", "so <|call|> yes", "so <|call|>"),
        ("ab", "xa<|call|>b yes", "xa<|call|>b"),  # the text itself is "xab"
    ],
)
def test_special_tokens_in_stop_strings(byte_tokenizer, stop, output, kept):
    ids = ids_of(byte_tokenizer, output)
    for size in (1, 2, len(ids)):  # in rounds of any length
        s, taken, reason = stopper(byte_tokenizer, stop=(stop,)), [], None
        for start in range(0, len(ids), size):
            block = ids[start : start + size]
            cut = s.take(block)
            taken += block[: len(cut.texts)]
            if reason := cut.reason:
                break
        assert (byte_tokenizer.decode(taken), reason) == (kept, "stop")


def test_end_of_text_as_a_stop_string_works_where_end_of_text_is_ignored(byte_tokenizer):
    ids = ids_of(byte_tokenizer, "a<|eot|>b")
    assert stopper(byte_tokenizer, stop=("<|eot|>",)).take(ids).reason == "eos"
    cut = stopper(byte_tokenizer, stop=("<|eot|>",), ignore_eos=True).take(ids)
    assert (len(cut.texts), cut.reason) == (2, "stop")


def test_the_tighter_limit_is_named(byte_tokenizer):
    ids = ids_of(byte_tokenizer, "abcdef")
    reasons = [
        Stopper(StopSettings(max_new_tokens=4), frozenset(), Pieces(byte_tokenizer), room).take(ids).reason
        for room in (3, 4, 5)
    ]
    assert reasons == ["context", "length", "length"]


def test_stop_string_longer_than_everything_seen(byte_tokenizer):
    s = stopper(byte_tokenizer, stop=("a" * 50,))
    assert s.take(ids_of(byte_tokenizer, "a" * 49)).reason is None
    assert s.take(ids_of(byte_tokenizer, "a")).reason == "stop"


def test_text_held_at_the_end_is_flushed_into_the_last_token(byte_tokenizer):
    half = ids_of(byte_tokenizer, "🙂")[:2]
    cut = stopper(byte_tokenizer, max_new_tokens=2).take(half)
    assert "".join(cut.texts) == byte_tokenizer.decode(half)
