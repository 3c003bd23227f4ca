"""ToolSpec's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from respec_core.settings.declaring import Settings, knob

LEVELS = (8, 21, 25, 15, 8, 3)  # nodes a level of Token Recycling's tree
LENGTHS = (32, 16, 8, 8)  # tokens of the first, second … copy


class ToolSpecSettings(Settings):
    """ToolSpec (arXiv 2604.13519): a schema's state machine, earlier calls, and remembered successors behind them."""

    schema_nodes: int = knob(
        64,
        "Schema nodes",
        "Most nodes of what the tools' schemas let follow.",
        line="how much of a call's skeleton is guessed at once",
        provenance="ours",
        ge=1,
        le=128,
        step=1,
    )
    max_ngram: int = knob(
        7,
        "Longest match",
        "Earlier calls and the text are searched for the last n tokens, n from this …",
        line="how much of an earlier call must match",
        provenance="code",
        ge=1,
        le=16,
        step=1,
        unit="tokens",
    )
    min_ngram: int = knob(
        5,
        "Shortest match",
        "… down to this.",
        line="… and how little will do",
        provenance="code",
        ge=1,
        le=16,
        step=1,
        unit="tokens",
    )
    memory_top_k: int = knob(
        10,
        "Earlier answers",
        "So many answers to the most similar earlier questions are searched, where a memory is loaded.",
        provenance="code",
        ge=0,
        le=64,
        step=1,
    )
    fallback_nodes: int = knob(
        80,
        "Successor nodes",
        "Size of Token Recycling's tree, where neither schema nor copies have anything to say.",
        line="how many remembered successors are tried elsewhere",
        provenance="code",
        ge=1,
        le=128,
        step=1,
    )
