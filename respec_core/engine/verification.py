"""Which draft nodes the target accepts, by the rule asked for. The only place where tokens are decided about.

* strict (``strict_rule.py``): exactly what the target would write itself.
* relaxed (``relaxed_rule.py``): retrieved tokens that the target ranks high pass too. Lossy.
* fly (``fly_rule.py``): single mismatches that the target agrees with again at once pass too. Lossy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from respec_core.engine.fly_rule import FlyRule
from respec_core.engine.look_ahead import Beyond, look_ahead
from respec_core.engine.relaxed_rule import RelaxedRule
from respec_core.engine.sampling import Sampler
from respec_core.engine.strict_rule import StrictRule
from respec_core.engine.transfer import Transfer
from respec_core.engine.tree import DraftTree
from respec_core.engine.way import WayDown, Wish
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.round import LossyOutcome, NodeOutcome


@dataclass(frozen=True)
class Verdict:
    """The outcome of a round before stops are applied.

    Attributes:
        path: accepted nodes, top to bottom.
        extra: the target's own token after the path.
        decided_p: probability of each emitted token under the distribution decided by; None where that is the argmax.
        wishes: for each node that passed by a lossy rule alone, what strict wanted.
        judged_p: when sampling, probability of every judged node under the distribution decided by.
        ahead: where the settings look ahead, greedy and without a penalty, what the target would go on to say down the chain
            below the path.
    """

    path: tuple[int, ...]
    extra: int
    decided_p: tuple[float | None, ...]
    wishes: Mapping[int, Wish]
    judged_p: Mapping[int, float] = field(default_factory=dict)
    ahead: Mapping[int, Beyond] = field(default_factory=dict)


def verify(
    tree: DraftTree,
    logits: torch.Tensor,
    prefix: Sequence[int],
    sampler: Sampler,
    settings: VerifySettings,
    draft_distributions: Mapping[int, torch.Tensor] | None = None,
    never_relax: Callable[[int], bool] = lambda _: False,
    closing: Callable[[int], bool] = lambda _: False,
    transfer: Transfer | None = None,
) -> Verdict:
    """Walk ``tree`` from the root for as long as the rule allows.

    Args:
        logits: float32 ``[nodes, vocab]``; row i is the target's opinion after node i.
        prefix: committed ids, the root last.
        draft_distributions: for nodes whose one child was *sampled*, the distribution ``q`` ``[vocab]`` it came from.
        never_relax: tokens that only the strict rule may pass (end of text, special tokens, digits).
        closing: those among them that end or steer a text.
        transfer: pulls the target towards ``q`` where it accepts sampled tokens; lossy.
    """
    strict = StrictRule(tree, logits, prefix, sampler, draft_distributions or {}, transfer)
    match settings.rule:
        case "strict":
            way = strict.way()
        case "relaxed":
            way = RelaxedRule(strict, settings, never_relax).way()
        case "fly":
            way = FlyRule(strict, settings, closing).way()
    plain = sampler.greedy and not sampler.reshapes
    end = way.path[-1] if way.path else 0
    return _verdict(strict, way, look_ahead(strict, end, closing) if plain and settings.looks_ahead else {})


def _verdict(strict: StrictRule, way: WayDown, ahead: Mapping[int, Beyond]) -> Verdict:
    """What a way down comes to."""
    tree, visited = strict.tree, (0, *way.path)
    extra = strict.at(visited[-1]).token
    emitted = [*(tree.tokens[node] for node in way.path), extra]
    decided: list[float | None] = []
    judged: dict[int, float] = {}
    for node, token in zip(visited, emitted, strict=True):
        p = strict.at(node).p
        decided.append(None if p is None else float(p[token]))
        if p is not None and (kids := tree.children[node]):
            judged |= zip(kids, p[[tree.tokens[kid] for kid in kids]].tolist(), strict=True)
    return Verdict(way.path, extra, tuple(decided), way.wishes, judged, ahead)


def outcomes(
    tree: DraftTree, path: Sequence[int], wishes: Mapping[int, Wish], passed: LossyOutcome = "relaxed_accept"
) -> tuple[NodeOutcome | None, ...]:
    """One outcome a node: siblings that lost are rejected, everything below them unreached; None for the root.

    Args:
        passed: what nodes with a wish are called.
    """
    on_path = {0, *path}
    result: list[NodeOutcome | None] = [None]
    for i in range(1, len(tree)):
        if i in on_path:
            result.append(passed if i in wishes else "strict_accept")
        else:
            result.append("rejected" if tree.parents[i] in on_path else "unreached")
    return tuple(result)
