"""Causal proxies: how well a token follows the path before it, without a model (arXiv 2510.02358 §4.2, ``ℓ_ng`` in Eq. 8).

The paper fits a KenLM 3-gram on every data set's training split. Ours counts the session itself, prompt and output, as
text is committed, and mixes it with fixed counts of the corpus that the drafter was trained on, where it has one. No torch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from respec_core.methods.diffuspec.corpus_counts import CorpusCounts
from respec_core.methods.diffuspec.witten_bell import witten_bell

if TYPE_CHECKING:
    from respec_core.engine.drafting import Round

SESSION_SHARE = 0.3  # of the session's own counts beside a corpus


class Proxy(ABC):
    """Log-probabilities of candidates behind a path. One a run.

    Attributes:
        span: how many tokens before the candidate it looks at.
    """

    span: int

    @abstractmethod
    def read(self, tokens: Sequence[int]) -> None:
        """Take in committed tokens: the prompt, then every round's."""

    def observe(self, round: Round) -> None:
        """Learn from a verified round."""
        self.read(round.emitted)

    @abstractmethod
    def log_p(self, context: Sequence[int], tokens: np.ndarray) -> np.ndarray:
        """Natural log-probabilities ``[n]`` of ``tokens [n]`` behind ``context`` (its last ``span`` tokens matter)."""


class NGramProxy(Proxy):
    """Interpolated n-gram, smoothed by :func:`witten_bell` down to the uniform distribution.

    A context never seen costs nothing: it has its shorter context's value.
    """

    def __init__(self, order: int, vocab_size: int) -> None:
        self.order, self.span, self.vocab_size = order, order - 1, vocab_size
        self._unigrams = np.zeros(vocab_size)
        self._kinds = self._read = 0
        self._followers: dict[tuple[int, ...], dict[int, int]] = {}
        self._totals: dict[tuple[int, ...], int] = {}
        self._tail: tuple[int, ...] = ()

    def read(self, tokens: Sequence[int]) -> None:
        """Count every n-gram that ends in one of ``tokens``."""
        for token in tokens:
            self._kinds += not self._unigrams[token]
            self._unigrams[token] += 1
            self._read += 1
            for start in range(len(self._tail)):
                context = self._tail[start:]
                followers = self._followers.setdefault(context, {})
                followers[token] = followers.get(token, 0) + 1
                self._totals[context] = self._totals.get(context, 0) + 1
            self._tail = (*self._tail, token)[-self.span :] if self.span else ()

    def log_p(self, context: Sequence[int], tokens: np.ndarray) -> np.ndarray:
        """See the class."""
        log_p: np.ndarray = np.log(self.p(context, tokens))
        return log_p

    def p(self, context: Sequence[int], tokens: np.ndarray) -> np.ndarray:
        """Probabilities ``[n]``; O(order · n)."""
        if not self._read:
            return np.full(len(tokens), 1 / self.vocab_size)
        p = witten_bell(self._unigrams[tokens], self._read, self._kinds, 1 / self.vocab_size)
        known = tuple(context[-self.span :]) if self.span else ()
        for start in range(len(known) - 1, -1, -1):
            history = known[start:]
            followers = self._followers.get(history)
            if followers is None:
                break  # a longer context was never seen either
            counts = np.array([followers.get(token, 0) for token in tokens.tolist()])
            p = witten_bell(counts, self._totals[history], len(followers), p)
        return p


class MixedProxy(Proxy):
    """The session's n-grams and a corpus's: one knows the names at hand, the other the language."""

    def __init__(self, session: NGramProxy, corpus: CorpusCounts) -> None:
        self.session, self.corpus, self.span = session, corpus, session.span

    def read(self, tokens: Sequence[int]) -> None:
        """Only the session's counts grow."""
        self.session.read(tokens)

    def log_p(self, context: Sequence[int], tokens: np.ndarray) -> np.ndarray:
        """See the class."""
        known = context[-self.span :] if self.span else ()
        session, corpus = self.session.p(known, tokens), self.corpus.p(known, tokens, self.session.order)
        return np.log(SESSION_SHARE * session + (1 - SESSION_SHARE) * corpus)
