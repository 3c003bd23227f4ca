"""Batches of texts of similar length, bounded by tokens, with the window of positions that are trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respec_core.methods.parts.written_texts import Text

ROUND_TO = 16
OPENING_TOKENS = 16


@dataclass(frozen=True)
class Batch:
    """Right-padded texts.

    Attributes:
        tokens: ``[rows, n]``.
        base: ``[rows, w]``: head rows t trained on; row t reads token t + 1 and guesses token t + 2 (padding repeats the last).
        valid: bool ``[rows, w]``, false for padding.
        ends: ``[rows]`` length of each text.
        kinds: recipe of each row.
    """

    tokens: Tensor
    base: Tensor
    valid: Tensor
    ends: Tensor
    kinds: tuple[str, ...]

    def to(self, device: torch.device) -> Batch:
        """The same batch on a device."""
        tokens, base, valid, ends = (
            x.to(device, non_blocking=True) for x in (self.tokens, self.base, self.valid, self.ends)
        )
        return Batch(tokens, base, valid, ends, self.kinds)


def collate(texts: Sequence[Text]) -> Batch:
    """Texts to one batch. The window runs from the row that guesses the answer's first token, as a run's first draft does."""
    longest = -(-max(len(t.tokens) for t in texts) // ROUND_TO) * ROUND_TO
    widest = max(len(t.answer) for t in texts)
    tokens = torch.zeros((len(texts), longest), dtype=torch.long)
    for row, text in enumerate(texts):
        tokens[row, : len(text.tokens)] = torch.tensor(text.tokens)
    ends = torch.tensor([len(t.tokens) for t in texts])
    base = torch.tensor([[t.start - 2] for t in texts]) + torch.arange(widest)
    last = (ends - 3)[:, None]
    return Batch(tokens, torch.minimum(base, last), base <= last, ends, tuple(t.kind for t in texts))


def trainable(texts: Sequence[Text], longest: int) -> list[Text]:
    """Texts with something to guess, short enough for a batch row."""
    return [t for t in texts if t.answer and t.start >= 2 and len(t.tokens) <= longest]


def epochs(
    texts: Sequence[Text], tokens: int, window: int, generator: torch.Generator, pool: int = 32
) -> Iterator[Batch]:
    """Endless batches: shuffled, then sorted by shape within pools, then cut where a batch is full.

    Args:
        tokens: most tokens of a batch, padding included.
        window: most trained positions of a batch, padding included.
        pool: about how many batches are sorted together.
    """
    while True:
        order = torch.randperm(len(texts), generator=generator).tolist()
        mean = sum(len(texts[i].answer) for i in order[:1000]) / min(1000, len(order))
        size = max(1, int(pool * window / mean))
        for at in range(0, len(order), size):
            groups: list[list[Text]] = [[]]
            for text in sorted((texts[i] for i in order[at : at + size]), key=_shape):
                group = [*groups[-1], text]
                longest = len(group) * max(len(t.tokens) for t in group)
                widest = len(group) * max(len(t.answer) for t in group)
                if len(group) > 1 and (longest > tokens or widest > window):
                    groups.append([])
                groups[-1].append(text)
            for i in torch.randperm(len(groups), generator=generator).tolist():
                yield collate(groups[i])


def mixed(
    texts: Sequence[Text], tokens: int, window: int, openings: float, generator: torch.Generator
) -> Iterator[Batch]:
    """Endless batches of whole texts and, in a share ``openings`` of them, of texts cut behind the answer's beginning.

    One row in a hundred or more guesses an answer's first token, from a feature unlike the others (the template's); in
    cut texts it is one in ``OPENING_TOKENS``, at the price of little more than the prompt.
    """
    whole = epochs(texts, tokens, window, generator)
    cut = epochs([t.opening(OPENING_TOKENS) for t in texts], tokens, window, generator)
    while True:
        yield next(cut if torch.rand((), generator=generator) < openings else whole)


def _shape(text: Text) -> tuple[int, int]:
    return len(text.answer) // 32, len(text.tokens)
