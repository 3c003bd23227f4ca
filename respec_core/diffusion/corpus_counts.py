"""n-gram counts of a whole corpus, looked up in sorted arrays: the paper's KenLM 3-gram without KenLM. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LONGEST_ORDER = 3
KEY_BITS = 63


@dataclass(frozen=True)
class Grams:
    """All n-grams of one order, packed into ascending integer keys ``[n]``, the last token in the lowest bits.

    Attributes:
        before: occurrences of all earlier keys ``[n + 1]``; differences are counts.
    """

    keys: np.ndarray
    before: np.ndarray


@dataclass(frozen=True)
class CorpusCounts:
    """Interpolated n-grams with Witten–Bell backoff, as :class:`~respec_core.diffusion.proxy.NGramProxy`, but fixed.

    Attributes:
        unigrams: count of every token ``[vocab]``.
        orders: bigrams, then trigrams.
        bits: width of a token in a key.
    """

    unigrams: np.ndarray
    orders: tuple[Grams, ...]
    bits: int

    @classmethod
    def fit(cls, tokens: Sequence[int] | np.ndarray, vocab_size: int) -> CorpusCounts:
        """Count a corpus of at least one token, its texts one behind the other (the few n-grams across their borders do no harm)."""
        flat = np.asarray(tokens, dtype=np.int64)
        bits = max(1, (vocab_size - 1).bit_length())
        orders, keys = [], flat
        for order in range(2, min(LONGEST_ORDER, KEY_BITS // bits) + 1):
            keys = keys[:-1] << bits | flat[order - 1 :]
            kinds, counts = np.unique(keys, return_counts=True)
            orders.append(Grams(kinds, np.concatenate(([0], np.cumsum(counts)))))
        return cls(np.bincount(flat, minlength=vocab_size), tuple(orders), bits)

    def p(self, context: Sequence[int], tokens: np.ndarray, order: int) -> np.ndarray:
        """Probabilities ``[n]`` of ``tokens [n]`` behind ``context`` with n-grams of at most ``order`` tokens."""
        kinds, total = int(np.count_nonzero(self.unigrams)), int(self.unigrams.sum())
        p = (self.unigrams[tokens] + kinds / len(self.unigrams)) / (total + kinds)
        history = 0
        for n, grams in enumerate(self.orders[: order - 1], 1):
            if len(context) < n:
                break
            history |= int(context[-n]) << self.bits * (n - 1)
            low, high = np.searchsorted(grams.keys, (history << self.bits, (history + 1) << self.bits)).tolist()
            if low == high:
                break  # a longer context was never seen either
            wanted = history << self.bits | tokens
            at = low + np.searchsorted(grams.keys[low:high], wanted)
            found = grams.keys[np.minimum(at, high - 1)] == wanted
            counts = np.where(found, grams.before[np.minimum(at + 1, high)] - grams.before[at], 0)
            seen = grams.before[high] - grams.before[low]
            p = (counts + (high - low) * p) / (seen + high - low)
        return p
