"""What training takes of the self-written texts, and the tokens that are frequent in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from respec_core.methods.parts.written_texts import Text


def distinct(texts: Iterable[Text], shortest: int = 4) -> Iterator[Text]:
    """Without answers shorter than ``shortest`` tokens, and without repetitions of a whole text."""
    seen: set[tuple[int, ...]] = set()
    for text in texts:
        if len(text.answer) >= shortest and text.tokens not in seen:
            seen.add(text.tokens)
            yield text


def frequent_tokens(texts: Iterable[Text], vocab: int, size: int) -> torch.Tensor:
    """The ``size`` most frequent answer tokens, ascending."""
    return _counts(texts, vocab).argsort(descending=True, stable=True)[:size].sort().values


def coverage(texts: Iterable[Text], vocab: int, tokens: torch.Tensor) -> float:
    """Share of the answer tokens that are among ``tokens``."""
    counts = _counts(texts, vocab)
    return float(counts[tokens].sum() / counts.sum())


def _counts(texts: Iterable[Text], vocab: int) -> torch.Tensor:
    return torch.bincount(torch.tensor([token for t in texts for token in t.answer]), minlength=vocab)
