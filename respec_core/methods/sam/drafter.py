"""SAM-Decoding (arXiv 2411.10666): copy what followed the longest earlier match.

The match in the run's own text competes with the one in a static corpus, which is handicapped by a bias; behind a
match that is too short an auxiliary drafter takes over, or nothing is drafted.
"""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.engine.drafting import Context, Draft, Drafter, Round, credit
from respec_core.engine.routing import Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.hits import HitMaker
from respec_core.methods.parts.model_drafter import drafter_or_none
from respec_core.methods.resources import Models
from respec_core.methods.sam.settings import EMBEDDED_RECYCLING, SAMSettings
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Occurrence, Retriever
from respec_core.trace.round import Decision, Hit, Match


def build(settings: SAMSettings, models: Models) -> Router:
    """Copy behind a long match, else the auxiliary drafter or nothing."""
    sam = SAMDrafter(settings, Retriever(models.get(Datastore), models.target.vocab_size, models.cursor))
    auxiliary = drafter_or_none(
        settings.auxiliary, models, settings.head, "sam's auxiliary drafter", EMBEDDED_RECYCLING
    )
    return MatchLength(sam, auxiliary)


class MatchLength(Router):
    """The switch: copy behind a long match, else ask the auxiliary."""

    def __init__(self, sam: SAMDrafter, auxiliary: Drafter | None = None) -> None:
        self.sam = sam
        self.auxiliary = auxiliary
        self.drafters = (sam,) if auxiliary is None else (sam, auxiliary)

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Copy if the better match reaches the threshold."""
        match = self.sam.match(context)
        best = max(match.dyn, (match.static or 0) - match.bias)
        lengths = f"{match.dyn}" if match.static is None else f"{match.dyn} here, {match.static} − {match.bias} static"
        if best >= match.threshold:
            draft = self.sam.propose(context)
            reason = f"match of {lengths} tokens reaches the threshold {match.threshold}: {draft.reason}"
            return Decision(chosen="retrieval", rule="match_len", reason=reason, triggered=True, match=match), draft
        below = f"longest match {lengths} is below the threshold {match.threshold}"
        if self.auxiliary is None:
            decision = Decision(chosen="none", rule="match_len", reason=f"{below}: abstain", match=match)
            return decision, Draft(DraftTree.root(context.root))
        draft = self.auxiliary.propose(context)
        decision = Decision(
            chosen="model" if draft.size else "none", rule="match_len", reason=f"{below}: {draft.reason}", match=match
        )
        return decision, draft


class SAMDrafter(Drafter):
    """One occurrence is copied: the newest of the longest match, or the first with enough behind it."""

    def __init__(self, settings: SAMSettings, retriever: Retriever) -> None:
        self.settings = settings
        self.retriever = retriever
        self.hits = HitMaker(retriever.datastore)

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        self.retriever.begin(prompt)

    def match(self, context: Context) -> Match:
        """Both match lengths with bias and threshold."""
        with context.clock.phase("retrieve"):
            dyn, static = self.retriever.match_lengths(context.ids)
        return Match(dyn=dyn, static=static, bias=self.settings.len_bias, threshold=self.settings.len_threshold)

    def propose(self, context: Context) -> Draft:
        """The tokens behind the better match (dynamic on ties); only the root without one."""
        match = self.match(context)
        with context.clock.phase("retrieve"):
            length = self.settings.n_predicts - 1
            if match.dyn >= (match.static or 0) - match.bias:
                newest = self.settings.occurrence == "newest"
                found = self.retriever.dynamic(length, limit=1) if newest else self.retriever.earliest(length)
            else:
                found = self.retriever.static(context.ids, length, limit=1)
            return self._draft(context, found)

    def _draft(self, context: Context, found: list[Occurrence]) -> Draft:
        if not found:
            return Draft(DraftTree.root(context.root), reason="no earlier occurrence")
        (candidate,) = found
        # a longer match makes each further copied token likelier; the run's own acceptance calibrates it
        p = candidate.match_len / (candidate.match_len + 1)
        tokens = candidate.continuation[: context.room]
        scores = [p ** (i + 1) for i in range(len(tokens))]
        tree = DraftTree.chain(context.root, tokens, candidate.source, scores=scores, hits=(0,))
        return Draft(tree, (self.hits.hit(context, 0, candidate),), reason=f"{len(tokens)} tokens copied")

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Read what was committed."""
        self.retriever.read(round.emitted)
        return credit(round)
