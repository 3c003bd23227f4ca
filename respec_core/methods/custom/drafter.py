"""One's own method: a router, drafters and a fusion of the studio's parts. What decides is traced, whoever drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from respec_core.boundary.limits import MAX_DRAFT
from respec_core.engine.drafting import Context, Draft, Drafter, Round, credit
from respec_core.engine.pieces import Pieces
from respec_core.engine.routing import Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.custom.bandit import Bandit, reward
from respec_core.methods.custom.drafters import drafter_called
from respec_core.methods.custom.joining import joined
from respec_core.methods.custom.plan import Groups, arms_of, plan
from respec_core.methods.custom.record import Arm, AskedDrafter, Composition
from respec_core.methods.custom.settings import KINDS, CustomSettings
from respec_core.methods.parts.entropy_trigger import entropy_trigger
from respec_core.methods.resources import Models
from respec_core.retrieval.suffix_automaton import SuffixCursor
from respec_core.trace.record import MethodRecord
from respec_core.trace.round import Chosen, Decision, Hit, Match


def build(settings: CustomSettings, models: Models) -> Router:
    """Compose the named parts.

    Raises:
        ReSpecError: when a drafter needs what is not loaded.
    """
    return Composed(settings, {name: drafter_called(name, settings, models) for name in settings.names})


@dataclass
class OpenComposition:
    """A round until the target has spoken; the extension of its draft."""

    context: Context
    arms: tuple[Arm, ...] = ()
    arm: str | None = None
    asked: list[AskedDrafter] = field(default_factory=list)
    reward: float | None = None

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """The trace's ``composition``."""
        record = Composition.model_construct(asked=tuple(self.asked), arms=self.arms, arm=self.arm, reward=self.reward)
        return {"composition": record}


class Composed(Router):
    """Asks whom its router names. One a run."""

    def __init__(self, settings: CustomSettings, drafters: Mapping[str, Drafter]) -> None:
        self.settings = settings
        self.named = drafters
        self.drafters = tuple(drafters.values())
        self.cursor = SuffixCursor()
        self.bandit = Bandit(arms_of(settings), settings.explore, settings.warm_rounds)
        self._open: OpenComposition | None = None

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        super().begin(prompt)
        if self.settings.router == "match":
            self.cursor = SuffixCursor.behind(prompt)

    def _read(self, tokens: Sequence[int]) -> None:
        if self.settings.router == "match":
            for token in tokens:
                self.cursor.read(token)

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Decide, ask, join."""
        self._open = OpenComposition(context)
        decision, groups = self._decided(context, self._open)
        drafts = [draft for group in groups if (draft := self._ask(group, context, self._open)) is not None]
        draft = self._joined(context, drafts)
        chosen = self._chosen(draft)
        because = decision.reason
        reason = f"{because}; {draft.reason}" if because else draft.reason
        fires = decision.triggered if decision.rule == "entropy" else chosen in ("retrieval", "fused")
        update = {"chosen": chosen, "reason": reason, "triggered": fires}
        return decision.model_copy(update=update), replace(draft, extension=self._open)

    def _decided(self, context: Context, opened: OpenComposition) -> tuple[Decision, Groups]:
        match self.settings.router:
            case "bandit":
                return self._by_bandit(opened)
            case "match":
                return self._by_match()
            case "entropy":
                return self._by_entropy(context)
            case _:
                return Decision(chosen="none", rule="always", reason=""), plan(self.settings)

    def _by_bandit(self, opened: OpenComposition) -> tuple[Decision, Groups]:
        opened.arms = self.bandit.arms()
        best = self.bandit.best(opened.arms)
        opened.arm = best.name
        if best.count < self.settings.warm_rounds:
            reason = f"{best.name} had {best.count} of {self.settings.warm_rounds} rounds to begin with"
        else:
            reason = f"{best.name} has the highest bound, {best.bound:.2f} with a mean of {best.mean:.2f}"
        return Decision(chosen="none", rule="bandit", reason=reason), plan(self.settings, arm=best.name)

    def _by_match(self) -> tuple[Decision, Groups]:
        match = Match(dyn=self.cursor.length, threshold=self.settings.match_threshold)
        copies = match.dyn >= match.threshold
        said = "reaches" if copies else "is below"
        reason = f"the longest match of {match.dyn} tokens {said} the threshold {match.threshold}"
        return Decision(chosen="none", rule="match_len", reason=reason, match=match), plan(self.settings, copies=copies)

    def _by_entropy(self, context: Context) -> tuple[Decision, Groups]:
        s = self.settings
        entropies = tuple(context.entropies[: s.lookback])
        trigger = entropy_trigger(entropies, s.lookback, s.lambda_e, s.theta_entropy)
        if trigger.calmest is None:
            reason = "no token confirmed yet, so no entropy to judge by"
        else:
            compared = f"{'≤' if trigger.fires else '>'} θ = {s.theta_entropy:g}"
            reason = f"H{trigger.k_star} = {trigger.calmest:.2f} {compared}"
        decision = Decision(
            chosen="none",
            rule="entropy",
            reason=reason,
            triggered=trigger.fires,
            entropies=entropies,
            H=trigger.H,
            C=trigger.C,
            k_star=trigger.k_star,
            theta=s.theta_entropy,
        )
        return decision, plan(s, copies=trigger.fires)

    def _ask(self, group: Sequence[str], context: Context, opened: OpenComposition) -> Draft | None:
        """The draft of the first that has one."""
        for name in group:
            draft = self.named[name].propose(context)
            opened.asked.append(AskedDrafter.model_construct(drafter=name, nodes=draft.size))
            if draft.size:
                return replace(draft, reason=f"{name}: {draft.reason}")
        return None

    def _joined(self, context: Context, drafts: Sequence[Draft]) -> Draft:
        most = (
            MAX_DRAFT if context.worth else self.settings.nodes - 1
        )  # or no limit but the engine's, where the clock decides
        match drafts:
            case []:
                return Draft(DraftTree.root(context.root), reason="nobody has anything to draft")
            case [draft]:
                return replace(draft, tree=draft.tree.prune(most), distributions={})
            case [copied, drafted]:
                with context.clock.phase("fuse"):
                    top_k = self.settings.prune_first if self.settings.fusion == "foreseen" else None
                    return joined(copied, drafted, most, top_k)
            case _:
                raise AssertionError("a plan has two groups at most")

    def _chosen(self, draft: Draft) -> Chosen:
        """What the draft is, by who made it."""
        assert self._open is not None
        kinds = [KINDS[asked.drafter] for asked in self._open.asked if asked.nodes]
        if not kinds:
            return "none"
        if len(kinds) > 1:
            copies = draft.parts.get("retrieval")
            return "fused" if copies and len(copies.pruned) < len(copies.tree) - 1 else kinds[-1]
        return kinds[0]

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Every drafter learns, and the bandit what its arm brought."""
        super().observe(round)
        self._read(round.emitted)
        opened = self._open
        if opened is not None and opened.arm is not None:
            worth = opened.context.worth
            costs = worth.costs if worth else None
            opened.reward = reward(len(round.emitted), len(round.tree), opened.context.clock.ms, costs)
            self.bandit.learn(opened.arm, opened.reward)
        return credit(round)
