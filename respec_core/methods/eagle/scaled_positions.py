"""Rotary frequencies of heads that were trained for longer texts: scaled linearly, or as Llama 3.1 does. Imports no transformers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, PositiveFloat
from torch import Tensor

from respec_core.errors import ReSpecError

DEFAULT = "default"


class LinearScaling(BaseModel):
    """All frequencies divided by ``factor``."""

    model_config = ConfigDict(frozen=True)
    factor: PositiveFloat

    def of(self, inv_freq: Tensor) -> Tensor:
        """See the class."""
        return inv_freq / self.factor


class Llama3Scaling(LinearScaling):
    """Waves longer than a share of the original context are slowed down, short ones not, those between partly."""

    low_freq_factor: PositiveFloat
    high_freq_factor: PositiveFloat
    original_max_position_embeddings: PositiveFloat

    def of(self, inv_freq: Tensor) -> Tensor:
        """See the class."""
        turns = self.original_max_position_embeddings * inv_freq / (2 * math.pi)
        kept = (turns - self.low_freq_factor) / (self.high_freq_factor - self.low_freq_factor)
        kept = kept.clamp(0, 1)
        return (1 - kept) * inv_freq / self.factor + kept * inv_freq


KINDS: Mapping[str, type[LinearScaling]] = {"linear": LinearScaling, "llama3": Llama3Scaling}


def scaled(inv_freq: Tensor, rope: Mapping[str, Any], where: str) -> Tensor:
    """``inv_freq [head_dim / 2]`` as a config's ``rope_scaling`` says.

    Raises:
        ReSpecError: for a kind that depends on the length of the text, or values that are none.
    """
    kind = rope.get("rope_type", rope.get("type", DEFAULT))
    if kind == DEFAULT:
        return inv_freq
    if kind not in KINDS:
        raise ReSpecError(
            f"The head in {where} uses rotary positions scaled by {str(kind)[:40]!r}; {', '.join(KINDS)} are known."
        )
    try:
        return KINDS[kind].model_validate(dict(rope)).of(inv_freq)
    except ValueError as error:
        raise ReSpecError(
            f"The head in {where} scales its rotary positions by values that are none: {dict(rope)!r:.200}."
        ) from error
