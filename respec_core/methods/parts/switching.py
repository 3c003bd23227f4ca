"""Who drafts: copies, the model, or both in one tree; by the paper's entropy gate or by what each is expected to bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from respec_core.boundary.limits import MAX_DRAFT
from respec_core.engine.drafting import Context, Draft, Drafter, Round, credit
from respec_core.engine.routing import Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.copies import Copies
from respec_core.methods.parts.entropy_trigger import Trigger, entropy_trigger
from respec_core.methods.parts.one_tree import likeliest, side_by_side
from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.methods.parts.weighing import Seen, Way, Weighing, best
from respec_core.trace.round import Chosen, Decision, Hit, Option

WORDS: dict[Way, str] = {"copies": "copies", "model": "the model", "both": "both"}


@dataclass(frozen=True)
class Open:
    """A round until the target has spoken."""

    context: Context
    entropy: float | None
    options: Sequence[Option]
    way: Way
    drafted: Draft | None


class Switch(Router):
    """Copies where they pay, the fallback drafter elsewhere, or both at once. One a run."""

    def __init__(
        self,
        settings: TriggerSettings,
        copies: Copies,
        fallback: Drafter | None,
        log_vocab: float,
        fallback_kind: Chosen = "model",
    ) -> None:
        self.settings = settings
        self.copies = copies
        self.fallback = fallback
        self.log_vocab = log_vocab
        self.fallback_kind = fallback_kind
        self.drafters = () if fallback is None else (fallback,)
        self.weighing = Weighing()
        self._open: Open | None = None

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        super().begin(prompt)
        self.copies.retriever.begin(prompt)

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Decide and draft; the look-up is made either way, to show what it would have offered."""
        s, scale = self.settings, self.log_vocab if self.settings.normalised else 1.0
        entropies = [h / scale for h in context.entropies[: s.lookback]]
        trigger = entropy_trigger(entropies, s.lookback, s.lambda_e, s.theta_entropy)
        with context.clock.phase("retrieve"):
            tree, hits = self.copies.look_up(context)
        nodes = MAX_DRAFT if context.worth else s.all_nodes - 1  # or no limit but the engine's, where the clock decides
        entropy = None if trigger.calmest is None else trigger.calmest * scale
        options = self._options(context, entropy, tree, nodes)
        way, because = self._weighed(options, context) if options else self._gated(trigger, len(tree) > 1)
        draft, drafted = self._draft(way, context, tree, hits, nodes)
        if way == "both" and "retrieval" not in draft.parts:  # the model had nothing
            way, drafted = "copies", None
        self._open = Open(context, entropy, options, way, drafted)
        decision = Decision.trusted(
            chosen=self._chosen(way, draft),
            rule="entropy",
            reason=f"{because}; {draft.reason}",
            triggered=way != "model" if s.switch == "adaptive" else trigger.fires,
            entropies=tuple(entropies),
            H=trigger.H,
            C=trigger.C,
            k_star=trigger.k_star,
            theta=s.theta_entropy if s.switch == "gate" else None,
            unit="ln V" if s.normalised else "nats",
            options=options,
        )
        return decision, draft

    def _options(self, context: Context, entropy: float | None, tree: DraftTree, nodes: int) -> tuple[Option, ...]:
        if self.settings.switch == "gate" or self.fallback is None or len(tree) == 1:
            return ()
        worth = context.worth
        return self.weighing.options(
            entropy, tree, nodes, worth.costs if worth else None, worth.rate if worth and worth.costs else None
        )

    def _weighed(self, options: Sequence[Option], context: Context) -> tuple[Way, str]:
        way = best(options, context.worth.rate if context.worth else None)
        told = ", ".join(_told(option) for option in reversed(options))
        return way, f"{told}: {WORDS[way]}"

    def _gated(self, trigger: Trigger, offered: bool) -> tuple[Way, str]:
        """The paper's gate; also where there is nothing to weigh."""
        s = self.settings
        if s.switch == "adaptive":
            return ("copies", "copies or nothing") if offered else ("model", "nothing matched or survived")
        if trigger.calmest is None:
            return "model", "no token confirmed yet, so no entropy to judge by"
        compared = f"H{trigger.k_star} = {trigger.calmest:.2f} {'≤' if trigger.fires else '>'} θ = {s.theta_entropy:g}"
        if not trigger.fires:
            return "model", f"not triggered: {compared}"
        if not offered:
            return "model", f"retrieval triggered: {compared}, but nothing matched or survived"
        return "both" if s.when_triggered == "both" and self.fallback else "copies", f"retrieval triggered: {compared}"

    def _draft(
        self, way: Way, context: Context, tree: DraftTree, hits: tuple[Hit, ...], nodes: int
    ) -> tuple[Draft, Draft | None]:
        """The draft, and what the model proposed where it was asked."""
        drafted = self.fallback.propose(context) if self.fallback is not None and way != "copies" else None
        branches = len(tree) + 1 - len({*tree.parents})
        plural = "branch" if branches == 1 else "branches"
        told = f"{len(tree) - 1} tokens copied in {branches} {plural}"
        sure = self.settings.sure
        if way == "copies":
            return Draft(likeliest(tree, nodes, sure), hits, reason=told), None
        if drafted is None:
            return Draft(DraftTree.root(context.root), hits, reason="no fallback drafter: abstain"), None
        if way == "both":
            return side_by_side(Draft(tree, hits, reason=told), drafted, nodes, sure), drafted
        return replace(drafted, hits=hits), drafted

    def _chosen(self, way: Way, draft: Draft) -> Chosen:
        if "retrieval" in draft.parts:
            return "fused"
        if not draft.size:
            return "none"
        return self.fallback_kind if way == "model" else "retrieval"

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Scores and records for what was verified; the committed tokens join the automaton."""
        super().observe(round)
        self.copies.retriever.read(round.emitted)
        if self._open is not None and self.settings.switch == "adaptive":
            self._learn(self._open, round)
        return self.copies.feed_back(credit(round), round.emitted)

    def _learn(self, done: Open, round: Round) -> None:
        tree, drafted = None, done.drafted
        if drafted is not None:
            whole = done.way == "both" or "drafter" in drafted.parts  # else only what was verified is on record
            tree = drafted.tree if whole else round.tree
        spent = done.context.clock.ms.get("draft")
        seen = Seen(round.emitted, len(round.tree) - 1, tree if tree is not None and len(tree) > 1 else None, spent)
        self.weighing.learn(done.entropy, done.options, done.way, seen)


def _told(option: Option) -> str:
    cost = "" if option.ms is None else f" in {option.ms:.0f} ms"
    return f"{WORDS[option.way]} {option.tokens:.1f} tokens{cost}"
