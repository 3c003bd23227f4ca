"""What stands for a transformers network whose int8 form was kept."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class KeptNetwork(nn.Module):
    """All that is asked of a network but its forward: what it is, and the layers that drafters borrow.

    Making it loads no network class of transformers, which would take longer and more memory than the weights.
    """

    def __init__(self, config: Any, generation_config: Any, embedding: Tensor, output: Tensor | None) -> None:
        """``embedding`` and ``output [rows, width]`` in fp32; no ``output`` where the embedding reads out."""
        super().__init__()
        self.config, self.generation_config = config, generation_config
        self.embed_tokens = _frozen(embedding)
        self.output = _frozen(embedding if output is None else output)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.embed_tokens.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """Of the weights."""
        return self.embed_tokens.weight.dtype

    def get_input_embeddings(self) -> nn.Embedding:
        """As of a transformers network."""
        return self.embed_tokens

    def get_output_embeddings(self) -> nn.Embedding:
        """As of a transformers network, as far as its weight goes."""
        return self.output


def _frozen(weight: Tensor) -> nn.Embedding:
    rows, width = weight.shape
    return nn.Embedding(rows, width, _weight=weight, _freeze=True)
