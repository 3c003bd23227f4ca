"""REST's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from respec_core.settings.declaring import Settings, knob


class RESTSettings(Settings):
    """REST (arXiv 2311.08252): a datastore's continuations as a trie."""

    max_span: int = knob(
        16,
        "Longest suffix",
        "Look for the last n tokens, n from this …",
        line="how many of the last words are looked for",
        provenance="code",
        ge=1,
        le=64,
        step=1,
    )
    min_span: int = knob(2, "Shortest suffix", "… down to this.", provenance="code", ge=1, le=16, step=1)
    k: int = knob(5000, "Occurrences", "Places whose continuations are counted.", provenance="code", ge=1, le=50_000)
    cont_len: int = knob(
        10,
        "Continuation",
        "Tokens read behind each place.",
        line="how far ahead is read there",
        provenance="code",
        ge=1,
        le=32,
        step=1,
    )
    choices: int = knob(
        64,
        "Nodes",
        "Most frequent prefixes kept.",
        line="how many guesses the target checks at once",
        provenance="code",
        ge=1,
        le=128,
        step=1,
    )

    @model_validator(mode="after")
    def _shortest_is_not_longer(self) -> Self:
        if self.min_span > self.max_span:
            raise ValueError(
                f"the shortest suffix, min_span = {self.min_span}, is longer than the longest, max_span = {self.max_span}; "
                "lower one or raise the other"
            )
        return self
