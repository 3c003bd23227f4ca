"""SAM-Decoding in serving engines. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.serving import VLLM_CACHED, VLLM_LONGEST, WARM, Equivalent, Equivalents


def served(params: Mapping[str, Any], beside: Mapping[str, str]) -> Equivalents:
    """Engines copy behind a match of any length; none has an auxiliary drafter below a threshold."""
    length = params["n_predicts"] - 1  # the root counts
    notes = [f"It copies behind matches shorter than {params['len_threshold']} tokens too."]
    if params["auxiliary"] != "none":
        notes.append("Below the threshold nobody drafts there: the auxiliary drafter is left out.")
    corpus = [WARM] if "datastore" in beside else []
    return {
        "vllm": Equivalent(
            "near",
            {
                "method": "suffix",
                "num_speculative_tokens": min(length, VLLM_LONGEST),
                "suffix_decoding_max_cached_requests": VLLM_CACHED if corpus else 0,
            },
            (*notes, *corpus),
        ),
        "sglang": Equivalent(
            "near",
            {
                "speculative-algorithm": "NGRAM",
                "speculative-num-draft-tokens": length + 1,
                "speculative-ngram-match-type": "PROB",
            },
            (*notes, "SGLang looks up in a trie that all requests fill.", *corpus),
        ),
        "transformers": Equivalent(
            "near",
            {"prompt_lookup_num_tokens": length, "max_matching_ngram_size": params["len_threshold"]},
            (*notes, *(["A datastore has no place in it."] if corpus else [])),
        ),
    }
