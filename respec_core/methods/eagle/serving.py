"""EAGLE-2 in serving engines. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.serving import Equivalent, Equivalents, nowhere

OURS = "The head that comes with the studio is no checkpoint of theirs; give --head NAME, a public EAGLE head."


def served(params: Mapping[str, Any], beside: Mapping[str, str]) -> Equivalents:
    """With a public head: SGLang grows the same tree, vLLM a chain."""
    head, levels, width = beside.get("head"), params["depth"] + 1, params["top_k"]
    if head is None:
        return nowhere(OURS)
    return {
        "vllm": Equivalent(
            "near",
            {"method": "eagle", "model": head, "num_speculative_tokens": levels},
            ("It drafts a chain of this depth, no tree.",),
        ),
        "sglang": Equivalent(
            "same",
            {
                "speculative-algorithm": "EAGLE",
                "speculative-draft-model-path": head,
                "speculative-num-steps": levels,
                "speculative-eagle-topk": width,
                "speculative-num-draft-tokens": levels + 1 if width == 1 else params["total_tokens"],
            },
        ),
        "transformers": Equivalent("none", notes=("It has no EAGLE heads.",)),
    }
