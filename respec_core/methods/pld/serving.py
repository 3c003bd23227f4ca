"""Prompt lookup in serving engines. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.serving import Equivalent, Equivalents


def served(params: Mapping[str, Any], beside: Mapping[str, str]) -> Equivalents:
    """vLLM and transformers have it; SGLang's n-grams come from a trie of all requests."""
    ngram, length = params["max_ngram"], params["num_pred"]
    return {
        "vllm": Equivalent(
            "near",
            {
                "method": "ngram",
                "num_speculative_tokens": length,
                "prompt_lookup_max": ngram,
                "prompt_lookup_min": 1,
            },
            ("Of several places with the longest match vLLM chooses by a rule of its own.",),
        ),
        "sglang": Equivalent(
            "near",
            {
                "speculative-algorithm": "NGRAM",
                "speculative-num-draft-tokens": length + 1,
                "speculative-ngram-max-bfs-breadth": 1,
                "speculative-ngram-max-trie-depth": ngram + length,
            },
            ("SGLang looks up in a trie that all requests fill, not in the request's own text.",),
        ),
        "transformers": Equivalent("same", {"prompt_lookup_num_tokens": length, "max_matching_ngram_size": ngram}),
    }
