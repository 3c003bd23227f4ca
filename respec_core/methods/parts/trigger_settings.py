"""Settings of ReSpec's trigger and scored retrieval (arXiv 2511.01282), for every family that uses them. Imports no torch."""

from __future__ import annotations

from respec_core.settings.run_config import Settings, knob


class TriggerSettings(Settings):
    """ReSpec's decisions (arXiv 2511.01282): when to retrieve, what to verify."""

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
        "Retrieve when the chosen window's mean entropy is at most this.",
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
    s0: float = knob(
        0.5, "First score", "Score of a source position never tried.", provenance="reported", ge=0.0, le=1.0, step=0.05
    )
    theta_score: float = knob(
        0.5, "Score threshold", "Candidates below are dropped.", provenance="reported", ge=0.0, le=1.0, step=0.05
    )
    alpha: float = knob(0.3, "Score rate α", "Weight of the newest acceptance in a score.", ge=0.0, le=1.0, step=0.05)
    k_cand: int = knob(3, "Candidates", "Branches verified together.", provenance="reported", ge=1, le=16, step=1)
    max_draft: int = knob(
        32, "Longest branch", "A branch has this many tokens times its score.", ge=2, le=64, step=1, unit="tokens"
    )
    min_match: int = knob(2, "Shortest match", "Ignore suffix matches below this.", ge=1, le=16, step=1, unit="tokens")
