"""Settings of ReSpec's trigger and scored retrieval (arXiv 2511.01282), for every family that uses them. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.settings.declaring import Settings, knob

UNGATED = {"switch": ("adaptive",)}
BY_CLOCK = {"budget_rule": ("auto",)}
BY_POSITION = ("position",)
OCCURRENCES = 24  # looked at and shown; the newest of the run's own text, an even sample of the store's


class TriggerSettings(Settings):
    """ReSpec's decisions (arXiv 2511.01282): when to retrieve, what to verify."""

    switch: Literal["adaptive", "gate"] = knob(
        "adaptive",
        "Copies, model or both",
        "adaptive: by the tokens each is expected to bring, by this run's own record, over what it costs. gate: copies "
        "where the entropy is at most θ (the paper's).",
        line="by what pays, or by the paper's entropy gate",
    )
    lookback: int = knob(
        3,
        "Look-back",
        "Longest window of confirmed tokens whose entropies are averaged.",
        provenance="reported",
        ge=1,
        le=16,
        step=1,
        unit="tokens",
    )
    theta_entropy: float = knob(
        1.5,
        "Entropy threshold θ",
        "With the gate: retrieve when the chosen window's mean entropy is at most this.",
        idle=UNGATED,
        provenance="reported",
        ge=0.0,
        le=12.0,
        step=0.05,
        unit="nats",
    )
    lambda_e: float = knob(
        1.0,
        "Window penalty λₑ",
        "Added as λ/k: short windows must be clearly calmer.",
        ge=0.0,
        le=4.0,
        step=0.05,
        unit="nats",
    )
    normalised: bool = knob(
        False, "Normalise entropy", "Divide entropies by ln V; θ and λₑ are then shares of the maximum."
    )
    when_triggered: Literal["both", "retrieval"] = knob(
        "both",
        "When triggered",
        "With the gate: verify the copies and the model's draft in one tree, or the copies alone (the paper's).",
        idle=UNGATED,
    )
    all_nodes: int = knob(
        32,
        "Tree size",
        "Nodes verified at once, the root, copies and the model's draft included. With the draft size auto the clock decides.",
        idle=BY_CLOCK,
        ge=2,
        le=129,
        step=1,
        unit="nodes",
    )
    sure: float = knob(
        0.3,
        "Beyond the tree size",
        "Tokens held to be likelier than this are sent even beyond it: a copy that goes on is not cut. 1 keeps the size.",
        idle=BY_CLOCK,
        gt=0.0,
        le=1.0,
        step=0.05,
    )
    feedback: bool = knob(
        True,
        "Feedback",
        "What was accepted moves scores and how likely copies are held to be, and says which copy to resume. Off, nothing "
        "is learnt of it.",
    )
    scored_by: Literal["lineage", "position"] = knob(
        "lineage",
        "Scores belong to",
        "lineage: how far back a copy reads, which lasts as long as it goes on. position: the exact place it read on from, "
        "which it leaves in every round (the paper's).",
    )
    suffix_levels: int = knob(
        12,
        "Suffix lengths",
        "The longest match and so many shorter ones are looked for.",
        idle={"scored_by": BY_POSITION},
        ge=1,
        le=64,
        step=1,
    )
    min_match: int = knob(2, "Shortest match", "Ignore suffix matches below this.", ge=1, le=16, step=1, unit="tokens")
    resume_window: int = knob(
        32,
        "Resume window",
        "A copy that deviated is offered again, a few places around where it would stand, for so many tokens.",
        idle={"feedback": (False,), "scored_by": BY_POSITION},
        ge=0,
        le=256,
        step=1,
        unit="tokens",
    )
    s0: float = knob(0.25, "First score", "Score of what was never tried.", ge=0.0, le=1.0, step=0.05)
    theta_score: float = knob(
        0.25,
        "Score threshold",
        "Candidates below are dropped; scored by lineage, only those that no match of two tokens speaks for.",
        ge=0.0,
        le=1.0,
        step=0.05,
    )
    alpha: float = knob(
        0.3,
        "Score rate α",
        "Weight of the newest acceptance in a score.",
        idle={"feedback": (False,)},
        ge=0.0,
        le=1.0,
        step=0.05,
    )
    k_cand: int = knob(3, "Candidates", "Branches verified together.", provenance="reported", ge=1, le=16, step=1)
    max_draft: int = knob(
        64,
        "Longest branch",
        "A branch has this many tokens times its score; scored by lineage, at least 24 and its match.",
        ge=2,
        le=64,
        step=1,
        unit="tokens",
    )
