"""REST in serving engines. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.serving import VLLM_CACHED, WARM, Equivalent, Equivalents


def served(params: Mapping[str, Any], beside: Mapping[str, str]) -> Equivalents:
    """Engines keep what they have written; a datastore of documents has to be told to them."""
    length, nodes = params["cont_len"], params["choices"]
    return {
        "vllm": Equivalent(
            "near",
            {
                "method": "suffix",
                "num_speculative_tokens": length,
                "suffix_decoding_max_cached_requests": VLLM_CACHED,
                "suffix_decoding_max_tree_depth": params["max_span"] + length,
            },
            (WARM, "vLLM verifies the likeliest continuation only, no tree."),
        ),
        "sglang": Equivalent(
            "near",
            {
                "speculative-algorithm": "NGRAM",
                "speculative-num-draft-tokens": nodes + 1,
                "speculative-ngram-match-type": "PROB",
                "speculative-ngram-max-trie-depth": params["max_span"] + length,
            },
            (WARM,),
        ),
        "transformers": Equivalent("none", notes=("It copies from the request's own text only.",)),
    }
