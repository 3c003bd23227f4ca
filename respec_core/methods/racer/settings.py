"""RACER's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from respec_core.settings.declaring import Settings, knob


class RacerSettings(Settings):
    """RACER (arXiv 2604.14885): n-grams of the text and remembered successors share one tree."""

    total_nodes: int = knob(
        64,
        "Draft nodes",
        "Nodes of the draft, the last written token included: n-grams first, remembered successors for the rest.",
        line="how many guesses the target checks at once",
        provenance="code",
        ge=2,
        le=129,
        step=1,
    )
    max_breadth: int = knob(
        8,
        "Breadth of the successors' tree",
        "So many children below the root, and ever fewer further on; 0: n-grams alone.",
        line="what the target nearly said fills the rest",
        provenance="code",
        ge=0,
        le=8,
        step=1,
    )
    ngram: int = knob(
        10,
        "n-gram length",
        "Tokens of every remembered n-gram, match and continuation together.",
        line="how far a remembered text reaches",
        provenance="code",
        ge=2,
        le=32,
        step=1,
        unit="tokens",
    )
    min_depth: int = knob(
        2,
        "Shortest match",
        "Shorter ends of the text are no borders.",
        line="how little must match",
        provenance="code",
        ge=1,
        le=8,
        step=1,
        unit="tokens",
    )
    max_states: int = knob(
        10_000,
        "Memory",
        "States of the automaton; where there is no room the least recently used leaf goes.",
        provenance="code",
        ge=64,
        le=100_000,
        step=64,
    )
