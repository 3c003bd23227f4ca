"""Settings of a method that the reader composes himself. Imports no torch."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import field_validator, model_validator

from respec_core.methods.parts.head_tree import HeadTree, depth_knob, nodes_knob, width_knob
from respec_core.settings.declaring import Settings, knob
from respec_core.settings.several import names_in, several
from respec_core.trace.round import Chosen

KINDS: dict[str, Chosen] = {  # what each drafter's drafts are
    "pld": "retrieval",
    "sam": "retrieval",
    "suffix": "retrieval",
    "rest": "retrieval",
    "auto": "model",
    "eagle2": "model",
    "draft-model": "model",
    "recycling": "model",
}
GUESSES_FIRST = frozenset({"auto", "eagle2", "draft-model"})  # say how likely every first token is
BY_TREE = frozenset({"auto", "eagle2", "draft-model", "recycling"})  # made with a tree of the settings' size
BY_OTHERS = {"router": ("always", "match", "entropy")}
UNMATCHED = {"router": ("always", "entropy", "bandit")}
WITHOUT_ENTROPY = {"router": ("always", "match", "bandit")}


class CustomSettings(Settings):
    """One's own composition: who decides, who drafts, how drafts are joined."""

    router: Literal["always", "match", "entropy", "bandit"] = knob(
        "bandit",
        "Router",
        "always: the first drafter that has anything. match: copies behind a long match (SAM-Decoding's switch). entropy: "
        "copies where the target was sure (ReSpec's gate). bandit: whichever drafter has paid best so far, by UCB.",
        line="who decides which drafter is asked",
    )
    drafters: str = knob(
        "sam+auto",
        "Drafters",
        "Those named first are asked first. auto: the target's EAGLE head, else a draft model, else Token Recycling. Each "
        "has the settings that its own method starts with; the drafters that think have the tree below.",
        line="who may draft, in this order",
        of=tuple(KINDS),
    )
    fusion: Literal["off", "merge", "foreseen"] = knob(
        "off",
        "Fusion",
        "off: one drafter a round. merge: copies and a model's draft in one tree, the likeliest nodes of both. foreseen: the "
        "same, without copies that the model's first guess does not foresee (RASD). A bandit gets an arm for both together.",
        line="one drafter at a time, or two in one tree",
    )
    nodes: int = nodes_knob(
        32, "Tree size", "Nodes verified at once, the root included; with the draft size auto, of the head's own tree."
    )
    tree_depth: int = depth_knob(5, "Head's depth")
    tree_top_k: int = width_knob(8, "Head's width")
    match_threshold: int = knob(
        5,
        "Match threshold",
        "With the router match: copy only behind a match at least this long.",
        provenance="paper",
        idle=UNMATCHED,
        ge=1,
        le=64,
        step=1,
        unit="tokens",
    )
    lookback: int = knob(
        3,
        "Look-back",
        "With the router entropy: longest window of confirmed tokens whose entropies are averaged.",
        provenance="reported",
        idle=WITHOUT_ENTROPY,
        ge=1,
        le=16,
        step=1,
        unit="tokens",
    )
    theta_entropy: float = knob(
        1.5,
        "Entropy threshold θ",
        "With the router entropy: copy when the chosen window's mean entropy is at most this.",
        provenance="reported",
        idle=WITHOUT_ENTROPY,
        ge=0.0,
        le=12.0,
        step=0.05,
        unit="nats",
    )
    lambda_e: float = knob(
        1.0,
        "Window penalty λₑ",
        "Added as λ/k: short windows must be clearly calmer.",
        idle=WITHOUT_ENTROPY,
        ge=0.0,
        le=4.0,
        step=0.05,
        unit="nats",
    )
    explore: float = knob(
        2.0,
        "Exploration c",
        "An arm's bound is its mean reward + √(c · ln t / n): more tries arms longer that look worse.",
        idle=BY_OTHERS,
        ge=0.0,
        le=16.0,
        step=0.1,
    )
    warm_rounds: int = knob(
        2,
        "Warm-up",
        "Every arm has so many rounds before bounds decide.",
        provenance="code",
        idle=BY_OTHERS,
        ge=1,
        le=16,
        step=1,
        unit="rounds",
    )
    prune_first: int = knob(
        10,
        "First-token rank",
        "With the fusion foreseen: copies stay only if their first token is within the model's top k.",
        idle={"fusion": ("off", "merge")},
        ge=1,
        le=1000,
        step=1,
    )

    @field_validator("drafters", mode="before")
    @classmethod
    def _spelt(cls, value: Any) -> str:
        return several(value, tuple(KINDS), "drafter")

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.router == "bandit" and len(self.names) < 2:
            raise ValueError(
                f"a bandit chooses among drafters, and {self.drafters} is only one; add another, as in {self.drafters}+…"
            )
        if self.router in ("match", "entropy") and not self.copying:
            raise ValueError(
                f"router = {self.router} says when to copy, and nobody in {self.drafters} copies; add sam, pld, suffix or rest"
            )
        if self.fusion != "off" and not (self.copying and self.thinking):
            raise ValueError(
                f"fusion = {self.fusion} joins copies and a model's draft; {self.drafters} has no {'drafter that copies' if self.thinking else 'model'}"
            )
        if self.fusion == "foreseen" and (blind := [name for name in self.thinking if name not in GUESSES_FIRST]):
            raise ValueError(
                f"fusion = foreseen needs a model that says how likely every first token is, which {blind[0]} does not; take fusion = merge"
            )
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The drafters, in their order."""
        return names_in(self.drafters)

    @property
    def copying(self) -> tuple[str, ...]:
        """Those that copy."""
        return tuple(name for name in self.names if KINDS[name] == "retrieval")

    @property
    def thinking(self) -> tuple[str, ...]:
        """Those that ask a model, or what the target said."""
        return tuple(name for name in self.names if KINDS[name] != "retrieval")

    @property
    def head(self) -> HeadTree:
        """The size of the thinking drafters' trees."""
        return HeadTree(self.nodes, self.tree_depth, self.tree_top_k)
