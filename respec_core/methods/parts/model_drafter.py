"""The drafter that thinks, for methods that need one beside retrieval: the target's head, a draft model, or memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from respec_core.engine.drafting import Drafter
from respec_core.methods.draft_model.settings import DraftModelSettings
from respec_core.methods.eagle.drafter import Eagle2Drafter
from respec_core.methods.eagle.growing import Head
from respec_core.methods.eagle.settings import Eagle2Settings
from respec_core.methods.parts.draft_model import DraftModel, Smaller
from respec_core.methods.parts.head_tree import HeadTree
from respec_core.methods.recycling.drafter import RecyclingDrafter
from respec_core.methods.recycling.settings import LEVELS, scaled
from respec_core.methods.resources import Models

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel


def chain_of(model: LanguageModel, depth: int, confidence_stop: float) -> Drafter:
    """``model`` drafting a chain of at most ``depth`` tokens, ended behind one below ``confidence_stop``; sampled when the run is."""
    return DraftModel(model).drafter(DraftModelSettings(depth=depth, confidence_stop=confidence_stop))


def drafter_or_none(
    name: str, models: Models, tree: HeadTree, who: str, recycled: Sequence[int] = ()
) -> Drafter | None:
    """As :func:`model_drafter`; nobody for ``none``."""
    return None if name == "none" else model_drafter(name, models, tree, who, recycled)


def model_drafter(name: str, models: Models, tree: HeadTree, who: str, recycled: Sequence[int] = ()) -> Drafter:
    """The drafter called ``name``: ``eagle2``, ``draft-model``, ``recycling``, or ``auto``, the best there is.

    Args:
        tree: size of the head's tree; the others have their own.
        who: the method that asks, for the message when the models lack it.
        recycled: nodes a level of Token Recycling's tree, scaled to ``tree.nodes``; its authors' tree where there are none.

    Raises:
        ReSpecError: when what ``name`` needs was not loaded.
    """
    if name == "auto":
        name = "eagle2" if models.get(Head) else "draft-model" if models.get(Smaller) else "recycling"
    if name == "eagle2":
        settings = Eagle2Settings(total_tokens=tree.nodes, depth=tree.depth, top_k=tree.top_k)
        return Eagle2Drafter(settings, models.require(Head, who))
    if name == "draft-model":
        return models.require(Smaller, who).drafter(DraftModelSettings(shape="tree"))
    levels = scaled(tree.nodes - 1, recycled) if recycled else LEVELS
    return RecyclingDrafter(models.target.vocab_size, levels)
