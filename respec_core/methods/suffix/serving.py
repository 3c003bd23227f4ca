"""SuffixDecoding in serving engines. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.serving import VLLM_CACHED, VLLM_LONGEST, WARM, Equivalent, Equivalents

NOT_THERE = "It has no drafts weighed by how often they followed."


def served(params: Mapping[str, Any], beside: Mapping[str, str]) -> Equivalents:
    """vLLM has it, as a path and without an offset."""
    corpus = [WARM] if "datastore" in beside else []
    told = [
        note
        for holds, note in (
            (params["form"] == "tree", "vLLM drafts the path, not the tree."),
            (params["spec_offset"] != 0, f"vLLM has no offset; here it is {params['spec_offset']:g}."),
            (params["max_spec"] > VLLM_LONGEST, f"vLLM proposes {VLLM_LONGEST} tokens at most."),
        )
        if holds
    ]
    values = {
        "method": "suffix",
        "num_speculative_tokens": min(params["max_spec"], VLLM_LONGEST),
        "suffix_decoding_max_tree_depth": params["max_depth"],
        "suffix_decoding_max_cached_requests": VLLM_CACHED if corpus else 0,
        "suffix_decoding_max_spec_factor": params["spec_factor"],
        "suffix_decoding_min_token_prob": params["min_prob"],
    }
    return {
        "vllm": Equivalent("near" if told or corpus else "same", values, (*told, *corpus)),
        "sglang": Equivalent("none", notes=(NOT_THERE,)),
        "transformers": Equivalent("none", notes=(NOT_THERE,)),
    }
