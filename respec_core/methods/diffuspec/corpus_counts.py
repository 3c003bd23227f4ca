"""n-gram counts of a whole corpus, looked up in sorted arrays: the paper's KenLM 3-gram without KenLM. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from respec_core.methods.diffuspec.witten_bell import witten_bell

LONGEST_ORDER = 3
KEY_BITS = 63
KEPT = 50_000  # look-ups that are remembered, about 500 bytes each


@dataclass(frozen=True)
class Grams:
    """All n-grams of one order, packed into ascending integer keys ``[n]``, the last token in the lowest bits.

    Attributes:
        counts: occurrences of each key ``[n]``.
        before: occurrences of all earlier keys ``[n + 1]``.
    """

    keys: np.ndarray
    counts: np.ndarray
    before: np.ndarray


@dataclass(frozen=True)
class CorpusCounts:
    """Interpolated n-grams as in :class:`~respec_core.methods.diffuspec.proxy.NGramProxy`, but fixed.

    Attributes:
        unigrams: count of every token ``[vocab]``.
        orders: bigrams, then trigrams.
        bits: width of a token in a key.
    """

    unigrams: np.ndarray
    orders: tuple[Grams, ...]
    bits: int
    _said: dict[tuple[tuple[int, ...], bytes, int], np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def fit(cls, tokens: Sequence[int] | np.ndarray, vocab_size: int) -> CorpusCounts:
        """Count a corpus of at least one token, its texts one behind the other (the few n-grams across their borders do no harm)."""
        flat = np.asarray(tokens, dtype=np.int64)
        bits = max(1, (vocab_size - 1).bit_length())
        orders, keys = [], flat
        for order in range(2, min(LONGEST_ORDER, KEY_BITS // bits) + 1):
            keys = keys[:-1] << bits | flat[order - 1 :]
            found = np.sort(keys)
            starts = np.flatnonzero(np.diff(found, prepend=-1))
            before = np.append(starts, len(found))
            orders.append(Grams(found[starts], np.diff(before), before))
        return cls(np.bincount(flat, minlength=vocab_size), tuple(orders), bits)

    @cached_property
    def _unigram_p(self) -> np.ndarray:
        """The last resort of every look-up: unigrams over the uniform distribution ``[vocab]``."""
        kinds, total = int(np.count_nonzero(self.unigrams)), int(self.unigrams.sum())
        return witten_bell(self.unigrams, total, kinds, 1 / len(self.unigrams))

    def p(self, context: Sequence[int], tokens: np.ndarray, order: int) -> np.ndarray:
        """Probabilities ``[n]`` of ``tokens [n]`` behind ``context`` with n-grams of at most ``order`` tokens; looked up once."""
        key = tuple(context[-LONGEST_ORDER:]), tokens.tobytes(), order
        if key not in self._said:
            if len(self._said) >= KEPT:
                self._said.clear()
            self._said[key] = self._looked_up(context, tokens, order)
        return self._said[key]

    def _looked_up(self, context: Sequence[int], tokens: np.ndarray, order: int) -> np.ndarray:
        p: np.ndarray = self._unigram_p[tokens]
        history = 0
        for n, grams in enumerate(self.orders[: order - 1], 1):
            if len(context) < n:
                break
            history |= int(context[-n]) << self.bits * (n - 1)
            low, high = grams.keys.searchsorted((history << self.bits, (history + 1) << self.bits)).tolist()
            if low == high:
                break  # a longer context was never seen either
            wanted = history << self.bits | tokens
            followers = grams.keys[low:high]
            at = np.minimum(followers.searchsorted(wanted), high - low - 1)
            counts = (followers[at] == wanted) * grams.counts[low:high][at]
            p = witten_bell(counts, int(grams.before[high] - grams.before[low]), high - low, p)
        return p
