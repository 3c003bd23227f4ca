"""SAM-Decoding's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.settings.run_config import Settings, knob


class SAMSettings(Settings):
    """SAM-Decoding (arXiv 2411.10666): suffix automaton over prompt and output, and a static corpus if loaded."""

    n_predicts: int = knob(
        40,
        "Draft length",
        "Nodes of a copied draft, the root included.",
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
    auxiliary: Literal["none", "recycling", "eagle2"] = knob(
        "none", "Below the threshold", "Who drafts when no match is long enough; none abstains."
    )
