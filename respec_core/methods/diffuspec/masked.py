"""Public masked diffusion language models through transformers: one bidirectional pass over prefix and masks.

Two conventions of where a position's logits stand: Dream-type models, made from causal ones, keep the shift by one
(row j predicts position j + 1); LLaDA-type models do not (row j predicts position j). Every pass reads the whole prefix
again, since a bidirectional model has no cache that stays exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.corpus_counts import CorpusCounts
from respec_core.methods.diffuspec.denoiser import Denoiser, DiffusionModel

LONGEST = 256  # positions asked for at once, at most


@dataclass(frozen=True)
class MaskedDiffusion(DiffusionModel):
    """A network and how to read it.

    Attributes:
        network: maps ids ``[1, n]`` to an output with ``logits [1, n, vocab]``, every position seeing all others.
        shifted: whether row j predicts position j + 1.
        sayable: bool ``[vocab]``: ids that mean the same token in the target; all others are banned, the mask too.
        window: most positions the network reads at once, prefix and masks.
    """

    network: nn.Module
    mask_id: int
    shifted: bool
    sayable: Tensor
    window: int
    name: str = "diffusion"

    def denoiser(self) -> MaskedDenoiser:
        """A fresh view for one run."""
        return MaskedDenoiser(self)

    def describe(self) -> dict[str, Any]:
        """For the trace: what it is."""
        shape = {"shifted": self.shifted, "vocab_size": len(self.sayable), "markov": False}
        return {"kind": "masked", "name": self.name, **shape}

    def corpus_counts(self) -> CorpusCounts | None:
        """Nobody ships the text that a public model was trained on."""
        return None


class MaskedDenoiser(Denoiser):
    """Stateless: the ids say everything."""

    def __init__(self, model: MaskedDiffusion) -> None:
        self.model = model
        self.longest = min(LONGEST, model.window // 2)
        self.trained_context = model.window
        self.device = next(model.network.parameters()).device
        self.sayable = model.sayable.to(self.device)

    @torch.inference_mode()
    def log_p(self, ids: Sequence[int], k: int, known: Mapping[int, int]) -> Tensor:
        """Log-probabilities over the model's vocabulary ``[k, vocab]``; banned ids have −∞ and no share."""
        model = self.model
        prefix = torch.tensor(ids[-(model.window - k) :], device=self.device)
        # a token that the model lacks is as good as hidden: it reads a mask there
        in_range = prefix < len(self.sayable)
        readable = in_range & self.sayable[prefix.where(in_range, torch.zeros_like(prefix))]
        masks = torch.full((k,), model.mask_id, device=self.device)
        for position, token in known.items():
            masks[position] = token
        text = torch.cat((prefix.where(readable, torch.full_like(prefix, model.mask_id)), masks))
        logits = model.network(text[None]).logits[0]
        first = len(prefix) - model.shifted
        rows = logits[first : first + k, : len(self.sayable)].float()
        return rows.masked_fill(~self.sayable[: rows.shape[-1]], float("-inf")).log_softmax(-1)


def sayable_ids(
    ours: Mapping[str, int], theirs: Mapping[str, int], added: frozenset[int], rows: int, name: str, target: str
) -> Tensor:
    """Which of the model's ids mean the same token in the target, bool ``[rows]``.

    Args:
        ours, theirs: the target's and the model's vocabularies.
        added: ids of tokens added to either (turn marks, tool tags, the mask), which may differ and are then banned.

    Raises:
        ReSpecError: if an ordinary token differs; then the two do not share a tokenizer.
    """
    target_token = {i: token for token, i in ours.items()}
    same = torch.zeros(rows, dtype=torch.bool)
    for token, i in theirs.items():
        if target_token.get(i) == token:
            same[i : i + 1] = True  # an id beyond the rows of either network is banned
        elif i not in added and i in target_token:
            raise ReSpecError(
                f"{name} cannot draft for {target}: token {i} is {token!r} there and {target_token[i]!r} here; "
                "choose a diffusion model with the target's tokenizer."
            )
    if not same.any():
        raise ReSpecError(f"{name} cannot draft for {target}: they have no token in common.")
    return same
