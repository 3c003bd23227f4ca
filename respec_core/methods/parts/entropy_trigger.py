"""When to retrieve (ReSpec, arXiv 2511.01282, Algorithm 1): where the newest confirmed tokens were predictable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from respec_core.engine.drafting import Context, Draft, Drafter, Part, Round, credit
from respec_core.engine.routing import Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.scored_retrieval import ScoredRetrieval
from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.trace.round import Chosen, Decision, Hit


@dataclass(frozen=True)
class Trigger:
    """Algorithm 1: ``H[k-1]`` is the mean of the newest k entropies, ``C[k-1] = H[k-1] + λ/k``, k* minimises C."""

    H: tuple[float, ...]
    C: tuple[float, ...]
    k_star: int | None
    fires: bool


def entropy_trigger(entropies: Sequence[float], lookback: int, lambda_e: float, theta: float) -> Trigger:
    """Whether the newest confirmed tokens (entropies newest first) were predictable enough to copy from the past.

    Without any entropy, before the first round, it does not fire.
    """
    newest = list(entropies[:lookback])
    means = tuple(sum(newest[:k]) / k for k in range(1, len(newest) + 1))
    costs = tuple(mean + lambda_e / k for k, mean in enumerate(means, 1))
    if not costs:
        return Trigger((), (), None, False)
    k_star = min(range(len(costs)), key=costs.__getitem__) + 1
    return Trigger(means, costs, k_star, means[k_star - 1] <= theta)


def side_by_side(copied: Draft, drafted: Draft) -> Draft:
    """A retrieved draft and another drafter's in one tree; what both propose is verified once."""
    if not drafted.size:
        return copied
    with_both = drafted.tree.merge(copied.tree)
    return replace(
        drafted,
        tree=with_both,
        hits=copied.hits,
        distributions={},  # these hold for a lone path
        parts={"drafter": Part(drafted.tree), "retrieval": Part(copied.tree)},
        reason=f"{copied.reason}; beside {drafted.reason}",
    )


class EntropyTrigger(Router):
    """Retrieves where the target was sure, asks the fallback drafter elsewhere; with ``beside``, there as well (ours)."""

    def __init__(
        self,
        settings: TriggerSettings,
        retrieval: ScoredRetrieval,
        fallback: Drafter | None,
        log_vocab: float,
        fallback_kind: Chosen = "model",
        *,
        beside: bool = False,
    ) -> None:
        self.settings = settings
        self.retrieval = retrieval
        self.fallback = fallback
        self.log_vocab = log_vocab
        self.fallback_kind = fallback_kind
        self.beside = beside
        self.drafters = () if fallback is None else (fallback,)

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        super().begin(prompt)
        self.retrieval.retriever.read(prompt)

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Decide from entropies; the look-up is made either way, to show what it would have offered."""
        settings = self.settings
        scale = self.log_vocab if settings.normalised else 1.0
        entropies = [h / scale for h in context.entropies[: settings.lookback]]
        trigger = entropy_trigger(entropies, settings.lookback, settings.lambda_e, settings.theta_entropy)
        with context.clock.phase("retrieve"):
            tree, hits = self.retrieval.look_up(context)
        retrieve = trigger.fires and len(tree) > 1
        if retrieve:
            branches = sum(1 for _ in tree.leaves())
            draft = Draft(
                tree,
                hits,
                reason=f"{len(tree) - 1} tokens copied in {branches} {'branch' if branches == 1 else 'branches'}",
            )
            if self.beside and self.fallback is not None:
                draft = side_by_side(draft, self.fallback.propose(context))
        elif self.fallback is not None:
            draft = replace(self.fallback.propose(context), hits=hits)
        else:
            draft = Draft(DraftTree.root(context.root), hits, reason="no fallback drafter: abstain")
        chosen: Chosen = "retrieval" if retrieve else self.fallback_kind if draft.size else "none"
        if "retrieval" in draft.parts:
            chosen = "fused"
        decision = Decision(
            chosen=chosen,
            rule="entropy",
            reason=f"{self._because(trigger, len(tree) > 1)}; {draft.reason}",
            triggered=trigger.fires,
            entropies=tuple(entropies),
            H=trigger.H,
            C=trigger.C,
            k_star=trigger.k_star,
            theta=settings.theta_entropy,
            unit="ln V" if settings.normalised else "nats",
        )
        return decision, draft

    def _because(self, trigger: Trigger, offered: bool) -> str:
        if trigger.k_star is None:
            return "no token confirmed yet, so no entropy to judge by"
        mean, theta = trigger.H[trigger.k_star - 1], self.settings.theta_entropy
        if not trigger.fires:
            return f"not triggered: H{trigger.k_star} = {mean:.2f} > θ = {theta:g}"
        found = "" if offered else ", but nothing matched or survived"
        return f"retrieval triggered: H{trigger.k_star} = {mean:.2f} ≤ θ = {theta:g}{found}"

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Scores for what was verified; the committed tokens join the automaton."""
        super().observe(round)
        self.retrieval.retriever.read(round.emitted)
        return self.retrieval.feed_back(credit(round))
