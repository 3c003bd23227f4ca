"""A draft as it goes to the target: nothing that could not be committed, and of the size asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from respec_core.engine.drafting import Draft
from respec_core.engine.routing import Router
from respec_core.engine.sizing import Sizer
from respec_core.settings.run_config import DraftingSettings
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import MODEL_DRAFTS, Decision

UNSIZED = DraftingSettings(budget_rule="own")  # where nothing is drafted
LAST_TOKEN = "one token is left, which is the target's own"  # why nothing of a draft was sent


def sizer_for(drafting: DraftingSettings, router: Router, costs: Callable[[], CostCurve]) -> Sizer:
    """A run's sizer; ``costs`` are asked for where sizes follow the clock."""
    settings = drafting if router.drafts else UNSIZED
    return Sizer(settings, costs() if settings.budget_rule == "auto" else None)


def fitted(
    decision: Decision, draft: Draft, router: Router, sizer: Sizer, *, room: int, vocab: int, written: int
) -> tuple[Decision, Draft]:
    """Drafts never reach beyond the token limit or the vocabulary, whatever the drafter did, and have the size asked for.

    Args:
        room: tokens that may still be committed.
        vocab: token ids are below.
        written: tokens committed, the prompt included.
    """
    trained = router.trained_context
    if decision.chosen in MODEL_DRAFTS and trained is not None and written > trained:
        decision = decision.model_copy(update={"trained_context": trained})
    if router.drafts and room == 1:
        decision = decision.model_copy(update={"reason": f"{decision.reason}; {LAST_TOKEN}"})
    sayable = draft.tree.within(vocab).limit_depth(room - 1)
    tree, sizing = sizer.fit(sayable, draft.hits, sampled=draft.sampled)
    if sizing is not None:
        decision = decision.model_copy(update={"sizing": sizing, "budget": sizing.kept})
    if tree is draft.tree:
        return decision, draft
    kept = {node: q for node, q in draft.distributions.items() if node < len(tree) - 1}
    return decision, replace(draft, tree=tree, distributions=kept)
