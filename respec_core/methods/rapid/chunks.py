"""Which pieces of a long prompt the drafter reads: ranked by BM25 against its last tokens. Imports no torch.

RAPID (arXiv 2502.20330) ranks by embeddings; BM25 over token ids (Robertson and Zaragoza 2009, k₁ = 1.2, b = 0.75) needs no
model beside the target (ours).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from respec_core.methods.rapid.record import Chunk
from respec_core.methods.rapid.settings import RapidSettings

K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Shortened:
    """A prompt's pieces, and the ids that the drafter reads in its place."""

    chunks: tuple[Chunk, ...]
    ids: tuple[int, ...]


def shortened(prompt: Sequence[int], settings: RapidSettings) -> Shortened:
    """The beginning, the best pieces in their order, and the question."""
    end = max(len(prompt) - settings.query, 0)
    lead = min(settings.lead, end)
    spans = [(start, min(start + settings.chunk, end)) for start in range(lead, end, settings.chunk)]
    scores = bm25([prompt[start:stop] for start, stop in spans], prompt[end:])
    most = math.ceil(settings.kept_tokens / settings.chunk)
    best = sorted(range(len(spans)), key=lambda i: (-scores[i], i))[:most]
    kept = {i for i in best if scores[i] > 0}
    chunks = tuple(
        Chunk.model_construct(start=start, end=stop, score=scores[i], kept=i in kept)
        for i, (start, stop) in enumerate(spans)
    )
    read = (token for chunk in chunks if chunk.kept for token in prompt[chunk.start : chunk.end])
    return Shortened(chunks, (*prompt[:lead], *read, *prompt[end:]))


def bm25(texts: Sequence[Sequence[int]], query: Sequence[int]) -> list[float]:
    """The score of each text for the distinct tokens of ``query``; 0 where they share none."""
    if not texts:
        return []
    counts = [Counter(text) for text in texts]
    mean = sum(map(len, texts)) / len(texts)
    weights = {
        token: math.log(1 + (len(texts) - held + 0.5) / (held + 0.5))
        for token in set(query)
        if (held := sum(token in count for count in counts))
    }
    return [
        sum(
            weight * count[token] * (K1 + 1) / (count[token] + K1 * (1 - B + B * len(text) / mean))
            for token, weight in sorted(weights.items())
        )
        for text, count in zip(texts, counts, strict=True)
    ]
