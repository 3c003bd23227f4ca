"""The target writes: batched continuation of many prompts, greedy and sampled rows side by side.

All rows of a batch have the same length at every step: prompts are sorted by length, the part that all have is
prefilled, and a row that is still inside its prompt takes the next prompt token instead of its own. So attention
needs no mask. Finished rows are dropped from the cache every few steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respec_core.training.lean import LeanCache, LeanLlama, fast_attention

COMPACT_EVERY = 16
PREFILL_TOKENS = 131_072
LOOP_TOKENS, LOOP_PERIOD = 32, 24


@dataclass(frozen=True)
class WritingRequest:
    """One prompt and how to go on: ``temperature`` 0 is greedy."""

    prompt: tuple[int, ...]
    temperature: float
    max_new: int


@dataclass(frozen=True)
class Limits:
    """How much to hold at once, and until when to write.

    Attributes:
        rows: most rows of a batch.
        cache_tokens: most tokens of all rows together.
        min_p: sampled tokens need this share of the best one's probability.
        deadline: ``time.monotonic()`` after which no further batch is begun (the first always is).
    """

    rows: int = 64
    cache_tokens: int = 32_768
    min_p: float = 0.02
    deadline: float = float("inf")


def write(
    model: LeanLlama, requests: Sequence[WritingRequest], stop: frozenset[int], limits: Limits, seed: int
) -> list[list[int] | None]:
    """Continue every request up to a stop token (kept), a loop (cut), or its limit; None where time ran out."""
    generator = torch.Generator(model.device).manual_seed(seed)
    order = sorted(range(len(requests)), key=lambda i: len(requests[i].prompt))
    batches = _batches(requests, order, limits)
    shuffle = torch.randperm(len(batches), generator=torch.Generator().manual_seed(seed)).tolist()
    written: list[list[int] | None] = [None] * len(requests)
    stops = torch.tensor(sorted(stop), device=model.device)
    with fast_attention(model.device):
        for done, b in enumerate(shuffle):
            if done and time.monotonic() > limits.deadline:
                break
            rows = [requests[i] for i in batches[b]]
            for i, answer in zip(batches[b], _write(model, rows, stops, limits, generator), strict=True):
                written[i] = answer
    return written


def _batches(requests: Sequence[WritingRequest], order: list[int], limits: Limits) -> list[list[int]]:
    batches: list[list[int]] = [[]]
    longest = 0
    for i in order:
        r = requests[i]
        longest = max(longest, len(r.prompt) + r.max_new)
        full = len(batches[-1]) >= limits.rows or longest * (len(batches[-1]) + 1) > limits.cache_tokens
        if batches[-1] and full:
            batches.append([])
            longest = len(r.prompt) + r.max_new
        batches[-1].append(i)
    return [b for b in batches if b]


@torch.no_grad()
def _write(
    model: LeanLlama, rows: list[WritingRequest], stops: Tensor, limits: Limits, generator: torch.Generator
) -> list[list[int]]:
    device = model.device
    lengths = torch.tensor([len(r.prompt) for r in rows])
    ends = lengths + torch.tensor([r.max_new for r in rows])
    total, shortest = int(ends.max()), int(lengths.min())
    tokens = torch.zeros((len(rows), total), dtype=torch.long)
    for i, r in enumerate(rows):
        tokens[i, : len(r.prompt)] = torch.tensor(r.prompt)
    tokens, lengths, ends = tokens.to(device), lengths.to(device), ends.to(device)
    heat = torch.tensor([r.temperature for r in rows], device=device)
    final = ends.clone()
    alive = torch.arange(len(rows), device=device)
    cache = LeanCache(model, len(rows), total)
    hidden = _prefill(model, tokens[:, :shortest], cache)
    for t in range(shortest, total):
        drawn = _draw(model.logits(hidden), heat[alive], limits.min_p, generator)
        inside = t < lengths[alive]
        drawn = torch.where(inside, tokens[alive, t], drawn)
        tokens[alive, t] = drawn
        over = (~inside & torch.isin(drawn, stops)) | (t + 1 >= ends[alive])
        final[alive] = torch.where(over & (final[alive] > t + 1), t + 1, final[alive])
        if (t - shortest) % COMPACT_EVERY == COMPACT_EVERY - 1:
            going = torch.nonzero(final[alive] > t + 1).flatten()
            if not len(going):
                break
            if len(going) < 0.8 * len(alive):
                alive, drawn = alive[going], drawn[going]
                cache.keep(going)
        hidden = model.forward(drawn[:, None], cache.layers, t)[0][:, -1]
    final = torch.minimum(final, loop_start(tokens, lengths, final))
    kept = tokens.cpu().tolist()
    return [k[a:b] for k, a, b in zip(kept, lengths.tolist(), final.tolist(), strict=True)]


def _prefill(model: LeanLlama, tokens: Tensor, cache: LeanCache) -> Tensor:
    step = max(1, PREFILL_TOKENS // tokens.shape[1])
    parts = [
        model.forward(tokens[i : i + step], cache.rows(i, i + step))[0][:, -1] for i in range(0, len(tokens), step)
    ]
    return torch.cat(parts)


def _draw(logits: Tensor, heat: Tensor, min_p: float, generator: torch.Generator) -> Tensor:
    """Argmax where ``heat`` is 0, else a Gumbel draw from the tokens with ``min_p`` of the best one's probability."""
    drawn = logits.argmax(-1)
    hot = torch.nonzero(heat > 0).flatten()
    if len(hot):
        scores = logits[hot].float() / heat[hot, None]
        low = scores < scores.amax(-1, keepdim=True) + math.log(min_p)
        noise = torch.empty_like(scores).exponential_(generator=generator).log_()
        drawn[hot] = scores.sub_(noise).masked_fill_(low, float("-inf")).argmax(-1)
    return drawn


def loop_start(tokens: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """Where each row has gone round a loop for ``LOOP_TOKENS`` tokens, else its end; ``tokens [rows, n]``."""
    rows, n = tokens.shape
    first = ends.clone()
    column = torch.arange(n, device=tokens.device)
    for period in range(1, min(LOOP_PERIOD, n - 1) + 1):
        same = torch.zeros((rows, n), dtype=torch.bool, device=tokens.device)
        same[:, period:] = tokens[:, period:] == tokens[:, :-period]
        same &= (column >= starts[:, None] + period) & (column < ends[:, None])
        broken = torch.where(same, -1, column).cummax(dim=1).values
        looping = column - broken >= LOOP_TOKENS
        at = torch.where(looping, column, n).amin(dim=1)
        first = torch.minimum(first, torch.where(at < n, at + 1, first))
    return first
