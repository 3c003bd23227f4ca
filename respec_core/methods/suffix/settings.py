"""SuffixDecoding's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.settings.declaring import Settings, knob


class SuffixSettings(Settings):
    """SuffixDecoding (arXiv 2411.04975): drafts weighed by how often each token followed."""

    form: Literal["path", "tree"] = knob(
        "path",
        "Form",
        "path: behind every token the one that followed most often. tree: the likeliest tokens of all branches.",
        line="one line of guesses, or branches",
        provenance="code",
    )
    max_spec: int = knob(
        64,
        "Most tokens",
        "A draft holds no more, however long the match.",
        line="how many guesses the target checks at once",
        provenance="code",
        ge=1,
        le=128,
        step=1,
        unit="tokens",
    )
    spec_factor: float = knob(
        1.0,
        "Tokens per matched token",
        "Behind a match of m tokens at most ⌊α·m + offset⌋ are drafted.",
        line="longer matches are trusted with longer drafts",
        provenance="code",
        ge=0.0,
        le=8.0,
        step=0.1,
    )
    spec_offset: float = knob(
        0.0, "Offset", "… and so many more.", provenance="code", ge=-64.0, le=64.0, step=1.0, unit="tokens"
    )
    min_prob: float = knob(
        0.1,
        "Least probability",
        "A token is drafted only where at least this share of the matches goes on that way.",
        line="how sure a guess must be",
        provenance="code",
        ge=0.0,
        le=1.0,
        step=0.05,
    )
    max_depth: int = knob(
        64,
        "Depth of the suffix tree",
        "Match and draft together are no longer.",
        provenance="code",
        ge=2,
        le=128,
        step=1,
        unit="tokens",
    )
