"""What a datastore asks of a tokenizer; the one that models have is in ``models.encoding``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Encoded:
    """Tokens of one text.

    Attributes:
        ids: uint32 ``[tokens]``.
        offsets: uint32 ``[tokens]``, the character each token begins at.
    """

    ids: NDArray[np.uint32]
    offsets: NDArray[np.uint32]


class Encoder(Protocol):
    """Text to token ids.

    Attributes:
        vocabulary: one more than the largest token id; any size.
        fingerprint: equal fingerprints mean token ids can be exchanged (``LanguageModel.tokenizer_fingerprint``).
    """

    vocabulary: int
    fingerprint: str

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Tokens of every text."""
        ...
