"""What to verify as the paper has it (ReSpec, arXiv 2511.01282): occurrences of the suffix, scored by source position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from respec_core.engine.drafting import Context
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.branches import branch_length, copied_chain, match_chance
from respec_core.methods.parts.hits import HitMaker
from respec_core.methods.parts.trigger_settings import OCCURRENCES, TriggerSettings
from respec_core.retrieval.retriever import Occurrence, Retriever
from respec_core.trace.round import Hit


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
                p = match_chance(candidate.match_len)
                chances = [p ** (d + 1) for d in range(len(tokens))]
                tree = tree.merge(copied_chain(context.root, tokens, candidate.source, chances, i))
            hits.append(maker.hit(context, i, candidate, score_before=score, status=status, why=why))
        return tree, tuple(hits)

    def score(self, candidate: Occurrence) -> float:
        """The position's score, ``s0`` if it was never tried."""
        return self.scores.get((candidate.source, candidate.position), self.settings.s0)

    def feed_back(self, hits: Sequence[Hit], emitted: Sequence[int]) -> tuple[Hit, ...]:
        """``S ← (1−α)·S + α·accepted/proposed`` for every hit that was verified; with feedback off nothing moves."""
        if not self.settings.feedback:
            return tuple(hits)
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
