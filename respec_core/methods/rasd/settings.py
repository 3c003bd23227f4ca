"""RASD's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.methods.parts.head_tree import EAGLE2_CODE, HeadTree, depth_knob, nodes_knob, width_knob
from respec_core.settings.declaring import Settings, knob

NGRAM = 3  # prompt lookup's longest
SPAN = 16  # REST's longest suffix
HEADLESS = {"drafter": ("draft-model",)}


class RASDSettings(Settings):
    """RASD (arXiv 2503.03434): a model drafter's tree fused with a retrieval trie that its first step prunes."""

    drafter: Literal["auto", "eagle2", "draft-model"] = knob(
        "auto",
        "Model drafter",
        "auto: the target's EAGLE head, else the draft model.",
        line="who guesses beside the copies",
    )
    retrieval: Literal["suffix", "pld", "rest"] = knob(
        "suffix",
        "Retrieval",
        "pld: where the last three tokens or fewer stood in the run's own text (the paper's RASD(PLD)). rest: where the last 16 "
        "or fewer stand in the datastore (RASD(REST)). suffix: the longest match in both, however long.",
        line="where copies are looked for",
    )
    prune_top_k: int = knob(
        10,
        "First-token rank",
        "Retrieved continuations stay only if their first token is within the drafter's top k.",
        line="copies stay only where the drafter could foresee them",
        ge=1,
        le=1000,
        step=1,
    )
    max_nodes: int = nodes_knob(
        EAGLE2_CODE.nodes, help="Nodes of the fused tree below its root; of the head's own tree, its root included."
    )
    max_retrieval_nodes: int = knob(
        32,
        "Retrieved nodes",
        "Most of them from retrieval.",
        line="how much of the tree may be copied",
        ge=0,
        le=128,
        step=1,
        unit="nodes",
    )
    min_match: int = knob(2, "Shortest match", "Ignore suffix matches below this.", ge=1, le=16, step=1, unit="tokens")
    cont_len: int = knob(10, "Continuation", "Tokens read behind each match.", ge=1, le=32, step=1, unit="tokens")
    tree_depth: int = depth_knob(EAGLE2_CODE.depth, "Head's depth", idle=HEADLESS)
    tree_top_k: int = width_knob(EAGLE2_CODE.top_k, "Head's width", idle=HEADLESS)

    @property
    def head(self) -> HeadTree:
        """The size of the drafter's tree, if it is the head's."""
        return HeadTree(self.max_nodes, self.tree_depth, self.tree_top_k)
