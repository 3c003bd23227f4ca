"""How much the drafter that thinks may draft, for methods that need one beside retrieval. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.methods.draft_model.settings import DraftModelSettings
from respec_core.methods.parts.head_tree import HeadTree
from respec_core.methods.recycling.settings import LEVELS, recycled, scaled
from respec_core.settings.sketch import Portion


def model_parts(name: str, tree: HeadTree, levels: Sequence[int] = ()) -> tuple[Portion, ...]:
    """Of the drafter called ``name``, as ``model_drafter.py`` makes it; of ``auto`` the head's, the best there can be."""
    match name:
        case "none":
            return ()
        case "draft-model":
            return (DraftModelSettings(shape="tree").part(),)
        case "recycling":
            return (recycled(scaled(tree.nodes - 1, levels) if levels else LEVELS),)
        case "auto":
            return (tree.part("the head, where there is one"),)
        case _:
            return (tree.part(),)
