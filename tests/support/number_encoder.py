"""An encoder for tests whose tokens are written as numbers."""

from __future__ import annotations

import numpy as np

from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.encoding import Encoded


class Numbers:
    """An encoder whose tokens are written as numbers: ``"3 1 4"``. Any vocabulary size, no tokenizer."""

    def __init__(self, vocabulary: int = 100) -> None:
        self.vocabulary, self.fingerprint = vocabulary, f"numbers-{vocabulary}"

    def encode(self, texts):
        encoded = []
        for text in texts:
            words = text.split()
            starts = np.cumsum([0, *(len(word) + 1 for word in words)])[: len(words)]
            encoded.append(Encoded(np.array([int(w) for w in words], np.uint32), starts.astype(np.uint32)))
        return encoded


def store_of(documents: list[list[int]], vocabulary: int = 100) -> Datastore:
    texts = {f"doc{i}": " ".join(map(str, ids)) for i, ids in enumerate(documents)}
    return Datastore.from_texts(texts, Numbers(vocabulary))
