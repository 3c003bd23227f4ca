"""SAM-Decoding's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.methods.parts.head_tree import HeadTree, depth_knob, nodes_knob, width_knob
from respec_core.settings.declaring import Settings, knob

HEADLESS = {"auxiliary": ("none", "recycling")}
EMBEDDED_EAGLE2 = HeadTree(nodes=63, depth=5, top_k=8)  # the authors' code
EMBEDDED_RECYCLING = (7, 20, 21, 8, 4)  # nodes a level of the authors' Token Recycling, 61 with the root


class SAMSettings(Settings):
    """SAM-Decoding (arXiv 2411.10666): suffix automaton over prompt and output, and a static corpus if loaded."""

    n_predicts: int = knob(
        40,
        "Draft length",
        "Nodes of a copied draft, the root included.",
        line="how much is copied at once",
        provenance="code",
        ge=2,
        le=128,
        step=1,
        unit="tokens",
    )
    len_threshold: int = knob(
        5,
        "Match threshold",
        "Copy only behind a match at least this long; otherwise abstain.",
        line="how long a match must be to be copied",
        provenance="paper",
        ge=1,
        le=64,
        step=1,
        unit="tokens",
    )
    len_bias: int = knob(
        5,
        "Static bias",
        "Tokens taken off a match in the static corpus.",
        provenance="code",
        ge=0,
        le=64,
        step=1,
        unit="tokens",
    )
    occurrence: Literal["newest", "first"] = knob(
        "newest",
        "Occurrence copied",
        "newest: the last earlier place of the longest match. first: the first one, or that of a shorter match where "
        "too few tokens follow (the authors').",
    )
    auxiliary: Literal["none", "recycling", "eagle2"] = knob(
        "none",
        "Below the threshold",
        "Who drafts when no match is long enough; none abstains.",
        line="who guesses where nothing is copied",
    )
    auxiliary_nodes: int = nodes_knob(
        EMBEDDED_EAGLE2.nodes,
        "Auxiliary tree",
        "Nodes of the auxiliary drafter's tree, the root included.",
        "code",
        {"auxiliary": ("none",)},
    )
    auxiliary_depth: int = depth_knob(EMBEDDED_EAGLE2.depth, "Auxiliary depth", "code", HEADLESS)
    auxiliary_top_k: int = width_knob(EMBEDDED_EAGLE2.top_k, "Auxiliary width", "code", HEADLESS)

    @property
    def head(self) -> HeadTree:
        """The size of the auxiliary drafter's tree."""
        return HeadTree(self.auxiliary_nodes, self.auxiliary_depth, self.auxiliary_top_k)
