"""Greedy chain acceptance of a drafter by depth, on texts that the target wrote.

Along a text that the target decoded greedily, a drafted token is right when it is the target's next token; depth k
counts only positions whose depths 1 … k - 1 were right, for which feeding the true tokens equals feeding the drafts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.written_texts import Text
from respec_core.training.batches import Batch, collate
from respec_core.training.lean import LeanLlama, fast_attention
from respec_core.training.unroll import guesses_exist, pick, unroll

Guess = Callable[[Tensor, Batch], Tensor]


@dataclass(frozen=True)
class Acceptance:
    """Counts by kind of text: positions asked at each depth, and those that were right.

    Attributes:
        opening: the same for each answer's first draft alone.
    """

    asked: dict[str, list[int]]
    right: dict[str, list[int]]
    opening: Acceptance | None = None

    @classmethod
    def none(cls, kinds: Iterable[str], depth: int, opening: Acceptance | None = None) -> Acceptance:
        """Nothing asked yet."""
        asked, right = ({kind: [0] * depth for kind in kinds} for _ in range(2))
        return cls(asked, right, opening)

    def add(self, kinds: Sequence[str], step: int, asked: Tensor, right: Tensor) -> None:
        """Count positions ``asked`` and ``right`` at a depth, bool ``[rows, n]``, by the kinds of the rows."""
        for kind, a, r in zip(kinds, asked.sum(1).tolist(), right.sum(1).tolist(), strict=True):
            self.asked[kind][step] += a
            self.right[kind][step] += r

    def of(self, kind: str) -> list[float]:
        """Acceptance by depth, each given that the depths before were accepted."""
        return [r / max(1, a) for r, a in zip(self.right[kind], self.asked[kind], strict=True)]

    @property
    def overall(self) -> list[float]:
        """Acceptance by depth over all positions of all kinds."""
        columns = [list(zip(*table.values(), strict=True)) for table in (self.asked, self.right)]
        return [sum(r) / max(1, sum(a)) for a, r in zip(*columns, strict=True)]

    def accepted(self, kind: str | None = None) -> float:
        """Mean drafted tokens accepted a round by a chain as deep as was measured (every position a round)."""
        total, product = 0.0, 1.0
        for rate in self.overall if kind is None else self.of(kind):
            product *= rate
            total += product
        return total


def measure(target: LeanLlama, head: EagleHead, texts: Sequence[Text], depth: int, tokens: int) -> Acceptance:
    """Chain acceptance of an EAGLE head."""

    def guess(features: Tensor, batch: Batch) -> Tensor:
        states = unroll(head, features, batch, depth)
        return torch.stack([head.draft_to_target[head.logits(s).argmax(-1)] for s in states], dim=-1)

    return measure_guesses(target, guess, texts, head.config.feature_layers, depth, tokens)


@torch.no_grad()
def measure_guesses(
    target: LeanLlama, guess: Guess, texts: Sequence[Text], layers: Sequence[int], depth: int, tokens: int
) -> Acceptance:
    """Chain acceptance of anything that guesses ``depth`` tokens, ``[rows, w, depth]`` ids, from features."""
    kinds = sorted({t.kind for t in texts})
    opening = Acceptance.none(kinds, depth)
    found = Acceptance.none(kinds, depth, opening)
    for batch in in_order(texts, tokens):
        batch = batch.to(target.device)
        with fast_attention(target.device):
            hidden, features = target.forward(batch.tokens, features=layers)
        with torch.autocast(target.device.type, target.dtype, enabled=target.dtype != torch.float32):
            guessed = guess(features, batch)
        going = batch.valid
        for step in range(depth):
            asked = going & guesses_exist(batch, step)
            at = (batch.base + 1 + step).clamp(max=hidden.shape[1] - 1)
            truth = torch.full_like(batch.base, -1)
            truth[asked] = target.logits(pick(hidden, at)[asked]).argmax(-1)
            going = asked & (guessed[..., step] == truth)
            found.add(batch.kinds, step, asked, going)
            opening.add(batch.kinds, step, asked[:, :1], going[:, :1])
            following = batch.tokens.gather(1, (at + 1).clamp(max=hidden.shape[1] - 1))
            going = going & (truth == following)  # a sampled text left the greedy path here
    return found


def in_order(texts: Sequence[Text], tokens: int) -> Iterator[Batch]:
    """All texts once, in batches of at most ``tokens`` tokens, sorted by length."""
    group: list[Text] = []
    for text in sorted(texts, key=lambda t: len(t.tokens)):
        if group and (len(group) + 1) * len(text.tokens) > tokens:
            yield collate(group)
            group = []
        group.append(text)
    if group:
        yield collate(group)
