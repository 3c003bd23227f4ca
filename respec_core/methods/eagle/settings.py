"""EAGLE-2's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from respec_core.methods.parts.head_tree import EAGLE2_CODE, HeadTree, depth_knob, nodes_knob, width_knob
from respec_core.settings.declaring import Settings


class Eagle2Settings(Settings):
    """EAGLE-2 (arXiv 2406.16858): a feature head's dynamic tree, expanded and reranked by path probability."""

    total_tokens: int = nodes_knob(EAGLE2_CODE.nodes, provenance="code")
    depth: int = depth_knob(EAGLE2_CODE.depth, "Tree depth", "code")
    top_k: int = width_knob(EAGLE2_CODE.top_k, "Width", "code")

    @property
    def tree(self) -> HeadTree:
        """The three together."""
        return HeadTree(self.total_tokens, self.depth, self.top_k)

    @property
    def levels(self) -> int:
        """Levels below the root: the root's children cost no further pass of the head."""
        return self.depth + 1
