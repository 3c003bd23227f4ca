"""Which draft nodes the target accepts. The only code that decides about tokens.

Rules:

* strict, greedy: descend to the child that carries the argmax.
* strict, sampling, deterministic drafts: draw ``y ~ p`` once a node and descend to the child that carries ``y``; else
  emit ``y``. Exact for any tree.
* strict, sampling, sampled drafts: accept ``x ~ q`` with probability ``min(1, p(x)/q(x))``, else draw from the
  normalised ``max(p − q, 0)`` (Leviathan et al., arXiv 2211.17192 §2.3).
* relaxed (ReSpec, arXiv 2511.01282; thresholds are ours): where no child carries the strict token, a *retrieved* child
  that the target ranks high passes. Lossy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from respec_core.engine.sampling import Sampler, finite
from respec_core.engine.tree import DraftTree
from respec_core.settings.run_config import VerifySettings
from respec_core.trace.round import RETRIEVED_SOURCES, NodeOutcome

SMALL_TREE = 16  # up to here one argmax over all rows beats one for every row visited


@dataclass(frozen=True)
class Wish:
    """What the strict rule would have taken in place of a relaxed accept, with its probability."""

    token: int
    p: float


@dataclass(frozen=True)
class Verdict:
    """The outcome of a round before stops are applied.

    Attributes:
        path: accepted nodes, top to bottom.
        extra: the target's own token after the path.
        decided_p: probability of each emitted token under the distribution decided by; None where that is the argmax.
        wishes: for each relaxed node what strict wanted.
        judged_p: when sampling, probability of every judged node under the distribution decided by.
    """

    path: tuple[int, ...]
    extra: int
    decided_p: tuple[float | None, ...]
    wishes: Mapping[int, Wish]
    judged_p: Mapping[int, float] = field(default_factory=dict)


def verify(
    tree: DraftTree,
    logits: torch.Tensor,
    prefix: Sequence[int],
    sampler: Sampler,
    settings: VerifySettings,
    draft_distributions: Mapping[int, torch.Tensor] | None = None,
    never_relax: Callable[[int], bool] = lambda _: False,
) -> Verdict:
    """Walk ``tree`` from the root for as long as the target agrees.

    Args:
        logits: float32 ``[nodes, vocab]``; row i is the target's opinion after node i.
        prefix: committed ids, the root last.
        draft_distributions: for nodes whose one child was *sampled*, the distribution ``q`` ``[vocab]`` it came from.
        never_relax: tokens that only the strict rule may pass (end of text, special tokens, digits).
    """
    distributions = draft_distributions or {}
    path: list[int] = []
    decided: list[float | None] = []
    wishes: dict[int, Wish] = {}
    judged: dict[int, float] = {}
    plain = sampler.greedy and sampler.settings.repetition_penalty == 1
    wanted = [x.tolist() for x in logits.max(-1)] if plain and len(tree) <= SMALL_TREE else None
    node = 0
    while True:
        row = logits[node]
        seen = [*prefix, *(tree.tokens[i] for i in path)] if sampler.settings.repetition_penalty != 1 else prefix
        p_token: float | None
        if not sampler.greedy and node in distributions:
            probabilities = sampler.distribution(row, seen)
            token, child = _rejection(tree, node, probabilities, distributions[node], sampler)
            p_token = float(probabilities[token])
        else:
            if wanted:
                best, tokens = wanted
                finite(best[node])
                token, probabilities = tokens[node], None
            else:
                token, probabilities = sampler.choose(row, seen)
            child = tree.child(node, token)
            p_token = None if probabilities is None else float(probabilities[token])
            if child is None and not settings.strict and len(wishes) < settings.relax_max:
                if probabilities is None:
                    probabilities = sampler.penalised(row, seen).softmax(-1)
                passed = _relaxed(tree, node, token, probabilities, settings, never_relax)
                if passed is not None:
                    child = passed
                    wishes[child] = Wish(token, float(probabilities[token]))
                    p_token = None if sampler.greedy else float(probabilities[tree.tokens[child]])
        decided.append(p_token)
        if not sampler.greedy and probabilities is not None and (kids := tree.children[node]):
            judged |= zip(kids, probabilities[[tree.tokens[kid] for kid in kids]].tolist(), strict=True)
        if child is None:
            return Verdict(tuple(path), token, tuple(decided), wishes, judged)
        path.append(child)
        node = child


def _rejection(
    tree: DraftTree, node: int, p: torch.Tensor, q: torch.Tensor, sampler: Sampler
) -> tuple[int, int | None]:
    """The draft's token and its node if accepted, else a token of the residual and None."""
    (child,) = tree.children[node]
    x = tree.tokens[child]
    if sampler.rng.random() * float(q[x]) < float(p[x]):
        return x, child
    residual = (p - q).clamp(min=0)
    if float(residual.sum()) <= 0:  # p equals q up to rounding
        residual = p
    return sampler.draw(residual), None


def _relaxed(
    tree: DraftTree,
    node: int,
    wanted: int,
    p: torch.Tensor,
    settings: VerifySettings,
    never: Callable[[int], bool],
) -> int | None:
    """The retrieved child with the largest p that the relaxed rule lets pass, else None."""
    if never(wanted):
        return None
    floor = settings.relax_eps * float(p.max())
    best, best_p = None, 0.0  # what sampling forbids never passes
    for child in tree.children[node]:
        token = tree.tokens[child]
        p_token = float(p[token])
        if not tree.sources[child] & RETRIEVED_SOURCES or never(token) or p_token < floor or p_token <= best_p:
            continue
        if int((p > p_token).sum()) < settings.relax_k:
            best, best_p = child, p_token
    return best


def outcomes(tree: DraftTree, path: Sequence[int], wishes: Mapping[int, Wish]) -> tuple[NodeOutcome | None, ...]:
    """One outcome a node: siblings that lost are rejected, everything below them unreached; None for the root."""
    on_path = {0, *path}
    result: list[NodeOutcome | None] = [None]
    for i in range(1, len(tree)):
        if i in on_path:
            result.append("relaxed_accept" if i in wishes else "strict_accept")
        else:
            result.append("rejected" if tree.parents[i] in on_path else "unreached")
    return tuple(result)
