"""What a diffusion language model must offer to draft: per-position distributions behind a prefix, any positions given.

:func:`fill` turns one or more such passes into the top candidates of every position. With S > 1 passes the surest open
positions are decided after each pass and the rest is looked at again in their light, as masked diffusion decodes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from respec_core.engine.drafting import Round
from respec_core.methods.diffuspec.corpus_counts import CorpusCounts
from respec_core.methods.diffuspec.cps import Known
from respec_core.methods.diffuspec.lattice import Edges, Glance

GLANCED = 8  # candidates a position that a pass is remembered by


class Denoiser(ABC):
    """One run's view of a diffusion model.

    Attributes:
        hidden_layers: hidden states of the target it reads.
        longest: most positions it fills at once.
        tokens: token id of each entry of its distributions ``[n]``; None where entry i is token i.
        trained_context: tokens of context that its model was trained on, if it says.
        steady: whether a pass over fewer positions gives the first rows of one over more.
        links: whether it knows what a token changes behind it, for :meth:`linked`.
    """

    hidden_layers: tuple[int, ...] = ()
    longest: int
    steady: bool = False
    links: bool = False
    tokens: Tensor | None = None
    trained_context: int | None = None

    def begin(self, prompt: Sequence[int]) -> None:  # noqa: B027 - optional
        """The prompt is known."""

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:  # noqa: B027 - optional
        """Hidden states ``[tokens, width]`` of the next prompt chunk, for those who asked."""

    def observe(self, round: Round) -> None:  # noqa: B027 - optional
        """A round was committed."""

    def ready(self) -> bool:
        """Whether it can draft yet."""
        return True

    def sure(self) -> float | None:
        """The probability of its likeliest first token, once :meth:`ready`; None where only a pass tells."""
        return None

    def remembered(self, written: int, proxy: tuple[str, int]) -> Known:
        """What a proxy so called has made of the candidates where ``written`` tokens stand; nothing yet in a run."""
        return {}

    def filled(self, ids: Sequence[int], k: int, passes: int, width: int) -> Filled:
        """The ``width`` best candidates of ``k`` positions behind ``ids``, see :func:`fill`."""
        return fill(self, ids, k, passes, width)

    def linked(self, ids: Sequence[int], k: int, width: int) -> Filled:
        """The candidates of one pass, each with its probability behind every candidate before it; for who ``links``."""
        raise NotImplementedError

    @abstractmethod
    def log_p(self, ids: Sequence[int], k: int, known: Mapping[int, int]) -> Tensor:
        """Log-probabilities ``[k, n]``, float32, of the ``k`` positions behind ``ids``, those in ``known`` given."""


class DiffusionModel(ABC):
    """Loaded weights, shared by all runs and read-only."""

    @abstractmethod
    def denoiser(self) -> Denoiser:
        """A fresh view for one run."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """For the trace: what it is."""

    @abstractmethod
    def corpus_counts(self) -> CorpusCounts | None:
        """n-grams of the text it was trained on, in the target's tokens, if that is at hand."""


@dataclass(frozen=True)
class Filled:
    """What the passes came to.

    Attributes:
        tokens, log_p: the top candidates of every position, likeliest first: ids over the target's vocabulary.
        rows: log-probabilities ``[k, n]``, all of them.
        glances: every pass, where there were several.
        edges, alone: where positions are linked, see :class:`LatticeColumn`, for every position.
        along: then the log-probabilities ``[n, …]`` of the positions that hold ``n`` tokens, each behind those before.
    """

    tokens: tuple[tuple[int, ...], ...]
    log_p: tuple[tuple[float, ...], ...]
    rows: Tensor
    glances: tuple[Glance, ...] = ()
    edges: tuple[Edges, ...] = ()
    alone: tuple[tuple[float, ...], ...] = ()
    along: Callable[[Sequence[int]], Tensor] | None = None

    def claimed(self, path: Sequence[int]) -> Tensor:
        """Log-probabilities ``[len(path), n]`` of the positions that hold these tokens."""
        return self.rows[: len(path)] if self.along is None else self.along(path)


@torch.inference_mode()
def fill(denoiser: Denoiser, ids: Sequence[int], k: int, passes: int, width: int) -> Filled:
    """``passes`` passes over ``k`` positions; a decided position keeps the candidates of the pass that decided it."""
    rows = denoiser.log_p(ids, k, {})
    known: dict[int, int] = {}
    glances: list[Glance] = []
    for left in range(passes - 1, 0, -1):
        tokens, log_p = _top(denoiser, rows, min(width, GLANCED))
        surest = [i for i in sorted(range(k), key=lambda i: -log_p[i][0]) if i not in known]
        decided = sorted(surest[: math.ceil(len(surest) / (left + 1))])
        known |= {i: tokens[i][0] for i in decided}
        glances.append(Glance(tokens, log_p, tuple(decided)))
        if len(known) == k:
            break
        newer = denoiser.log_p(ids, k, known)
        undecided = [i for i in range(k) if i not in known]
        rows[undecided] = newer[undecided]
    tokens, log_p = _top(denoiser, rows, width)
    if glances and len(known) < k:
        open_positions = tuple(i for i in range(k) if i not in known)
        glances.append(Glance(*_top(denoiser, rows, min(width, GLANCED)), open_positions))
    return Filled(tokens, log_p, rows, tuple(glances))


def _top(
    denoiser: Denoiser, rows: Tensor, width: int
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[float, ...], ...]]:
    """Ids and log-probabilities of the ``width`` likeliest entries of every row, likeliest first."""
    log_p, entries = rows.topk(min(width, rows.shape[-1]), dim=-1)
    found = entries if denoiser.tokens is None else denoiser.tokens[entries]
    usable = [[p > -math.inf for p in row] for row in log_p.tolist()]
    return _chosen(found.tolist(), usable), _chosen(log_p.tolist(), usable)


def _chosen(rows: list[list[Any]], usable: list[list[bool]]) -> tuple[tuple[Any, ...], ...]:
    """The entries that are not banned (banned ones have no probability at all)."""
    return tuple(tuple(x for x, ok in zip(row, oks, strict=True) if ok) for row, oks in zip(rows, usable, strict=True))
