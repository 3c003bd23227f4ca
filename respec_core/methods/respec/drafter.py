"""ReSpec (arXiv 2511.01282): when to retrieve, what to verify; how is the verifier's business.

*When*: entropies of the newest confirmed tokens, averaged over the window that looks calmest after a penalty for short
windows. *What*: every earlier occurrence of the suffix, scored by how its source position did before; the best few as
branches of one tree. *Otherwise*: the model drafter's tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from respec_core.engine.drafting import Context, Draft, Drafter, Part, Round, credit
from respec_core.engine.resources import Models
from respec_core.engine.routing import Kind, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.eagle.settings import Eagle2Settings
from respec_core.methods.parts.hits import HitMaker
from respec_core.methods.parts.model_drafter import model_drafter
from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.methods.respec.settings import ReSpecSettings
from respec_core.retrieval.retriever import Candidate, Retriever
from respec_core.trace.schema import Decision, Hit

OCCURRENCES = 24  # looked at and shown; the newest of the run's own text, an even sample of the store's


def build(settings: ReSpecSettings, models: Models) -> Router:
    """Retrieval by entropy, the fallback drafter otherwise."""
    retrieval = ScoredRetrieval(settings, Retriever(models.datastore, models.target.vocab_size))
    tree = Eagle2Settings(
        total_tokens=settings.fallback_nodes, depth=settings.fallback_depth, top_k=settings.fallback_top_k
    )
    fallback = model_drafter(settings.fallback, models, tree, "respec's fallback")
    return EntropyTrigger(settings, retrieval, fallback, math.log(models.target.vocab_size))


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


def branch_length(score: float, longest: int) -> int:
    """Tokens drafted from a candidate of this score (ours): ``clip(round(longest · score), 2, longest)``."""
    return min(max(round(longest * score), 2), longest)


@dataclass
class ScoredRetrieval:
    """Candidates with feedback: an exponential average of accepted ÷ proposed for every source position of the run."""

    settings: TriggerSettings
    retriever: Retriever
    scores: dict[tuple[str, int], float] = field(default_factory=dict)

    def look_up(self, context: Context) -> tuple[DraftTree, tuple[Hit, ...]]:
        """The tree of surviving branches, and every occurrence considered with what became of it."""
        settings = self.settings
        length = settings.max_draft
        found = [
            *self.retriever.dynamic(length, OCCURRENCES),
            *self.retriever.static(context.ids, length, OCCURRENCES),
        ]
        found = [c for c in found if c.match_len >= settings.min_match]
        # best score first, then the longer match, then the run's own text, then the newest
        ranked = sorted(found, key=lambda c: (-self.score(c), -c.match_len, c.source != "dynamic", -c.position))
        maker = HitMaker(self.retriever.datastore)
        tree, hits, branches = DraftTree.root(context.root), [], set[tuple[int, ...]]()
        for i, candidate in enumerate(ranked):
            score = self.score(candidate)
            tokens = candidate.continuation[: min(branch_length(score, length), context.room)]
            status, why = "kept", f"match of {candidate.match_len} tokens, branch of {len(tokens)}"
            if score < settings.theta_score:
                status, why = "score_filtered", f"score {score:.2f} is below {settings.theta_score:g}"
            elif tokens in branches:
                status, why = "cap_filtered", "the same tokens as a better candidate"
            elif len(branches) == settings.k_cand:
                status, why = "cap_filtered", f"{settings.k_cand} candidates are better"
            elif tokens:
                branches.add(tokens)
                p = candidate.match_len / (candidate.match_len + 1)
                path = [p ** (d + 1) for d in range(len(tokens))]
                tree = tree.merge(DraftTree.chain(context.root, tokens, candidate.source, scores=path, hits=(i,)))
            hits.append(maker.hit(context, i, candidate, score_before=score, status=status, why=why))
        return tree, tuple(hits)

    def score(self, candidate: Candidate) -> float:
        """The position's score, ``s0`` if it was never tried."""
        return self.scores.get((candidate.source, candidate.position), self.settings.s0)

    def feed_back(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """``S ← (1−α)·S + α·accepted/proposed`` for every hit that was verified."""
        updated = []
        for hit in hits:
            if hit.proposed and hit.score_before is not None:
                source = "dynamic" if hit.corpus in ("prompt", "generated") else "static"
                alpha = self.settings.alpha
                after = (1 - alpha) * hit.score_before + alpha * hit.accepted / hit.proposed
                self.scores[source, hit.end_pos] = after
                hit = hit.model_copy(update={"score_after": after})
            updated.append(hit)
        return tuple(updated)


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
        fallback_kind: Kind = "model",
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
        chosen: Kind = "retrieval" if retrieve else self.fallback_kind if draft.size else "none"
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
