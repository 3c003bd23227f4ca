"""Prompt lookup's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from respec_core.settings.declaring import Settings, knob


class PLDSettings(Settings):
    """Prompt lookup decoding (no paper; repository apoorvumang/prompt-lookup-decoding)."""

    max_ngram: int = knob(
        3,
        "Longest n-gram",
        "Look for the last n tokens, n from this down to 1.",
        line="how many of the last words are looked for",
        provenance="code",
        ge=1,
        le=16,
        step=1,
        unit="tokens",
    )
    num_pred: int = knob(
        10,
        "Draft length",
        "Tokens copied from behind the match.",
        line="how much is copied from there",
        provenance="code",
        ge=1,
        le=64,
        step=1,
        unit="tokens",
    )
