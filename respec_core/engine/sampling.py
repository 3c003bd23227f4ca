"""From the target's logits to the distribution that is decoded from, and to a token.

One class serves plain decoding, verification and drafting, so that a reported probability is the one sampled from.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import torch

from respec_core.engine.likeliest import highest
from respec_core.errors import ReSpecError
from respec_core.settings.run_config import SamplingSettings


class Sampler:
    """Temperature, top-k, top-p and repetition penalty, in the order transformers applies them; seeded per run."""

    def __init__(self, settings: SamplingSettings) -> None:
        self.settings = settings
        self.rng = random.Random(settings.seed)

    @property
    def greedy(self) -> bool:
        """Temperature 0: the distribution is a point mass on the argmax."""
        return self.settings.greedy

    @property
    def reshapes(self) -> bool:
        """Whether the decided distribution differs from the plain softmax."""
        s = self.settings
        return (not self.greedy and (s.temperature != 1 or s.top_k > 0 or s.top_p < 1)) or s.repetition_penalty != 1

    def penalised(self, logits: torch.Tensor, prefix: Sequence[int]) -> torch.Tensor:
        """``logits`` ``[vocab]`` with the repetition penalty for every token in ``prefix``; a copy if anything changes."""
        penalty = self.settings.repetition_penalty
        if penalty == 1:
            return logits
        seen = torch.tensor(sorted(set(prefix)), device=logits.device)
        scores = logits[seen]
        logits = logits.clone()
        largest = torch.finfo(logits.dtype).max  # a penalty below 1 raises scores
        logits[seen] = torch.where(scores < 0, scores * penalty, scores / penalty).clamp(max=largest)
        return logits

    def distribution(self, logits: torch.Tensor, prefix: Sequence[int]) -> torch.Tensor:
        """Probabilities ``[vocab]`` after penalty, temperature, top-k and top-p; needs a temperature above 0.

        Raises:
            ReSpecError: if the scores hold a NaN or +∞, or nothing else than −∞ (a token that must not be chosen).
        """
        settings = self.settings
        scores = self.penalised(logits, prefix)
        scores = (scores - finite(scores.max())) / settings.temperature  # at most 0: a cold row cannot overflow
        if 0 < settings.top_k < scores.shape[-1]:
            scores = scores.masked_fill(scores < scores.topk(settings.top_k).values[-1], -torch.inf)
        if settings.top_p < 1:
            ranked, order = scores.softmax(-1).sort(descending=True)
            beyond = ranked.cumsum(-1) - ranked >= settings.top_p  # mass before the token already suffices
            beyond[0] = False  # however small the mass asked for
            scores = scores.index_fill(0, order[beyond], -torch.inf)
        return scores.softmax(-1)

    def draw(self, probabilities: torch.Tensor) -> int:
        """A token from ``probabilities`` ``[vocab]`` (need not sum to 1 exactly)."""
        cdf = probabilities.double().cumsum(-1)
        threshold = self.rng.random() * finite(cdf[-1])
        index = int(torch.searchsorted(cdf, torch.tensor([threshold], dtype=cdf.dtype, device=cdf.device), right=True))
        return min(index, int(torch.searchsorted(cdf, cdf[-1])))  # rounding must not reach entries without mass

    def choose(self, logits: torch.Tensor, prefix: Sequence[int]) -> tuple[int, torch.Tensor | None]:
        """The token after ``prefix``, and the distribution it was drawn from (None when greedy).

        Raises:
            ReSpecError: if the scores are not numbers, see :func:`finite`.
        """
        if self.greedy:
            best, token = highest(self.penalised(logits, prefix)[None])
            finite(best)
            return int(token), None
        probabilities = self.distribution(logits, prefix)
        return self.draw(probabilities), probabilities


def finite(best: float | torch.Tensor) -> float:
    """``best``, the highest score of a row; it tells of a NaN or +∞ anywhere in the row, and of a row of −∞.

    Raises:
        ReSpecError: if it is not a finite number, since any token chosen from such a row would be arbitrary.
    """
    best = float(best)
    if not math.isfinite(best):
        raise ReSpecError(
            f"The model's scores for the next token are not finite numbers (the highest is {best}): nothing can be chosen "
            "from them. The weights are damaged or overflow in this precision; try --dtype fp32."
        )
    return best
