"""SuffixDecoding in serving engines. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.serving import Equivalent, Equivalents


def served(params: Mapping[str, Any], beside: Mapping[str, str]) -> Equivalents:
    """vLLM has it, as a path and without an offset."""
    told = [
        note
        for holds, note in (
            (params["form"] == "tree", "vLLM drafts the path, not the tree."),
            (params["spec_offset"] != 0, f"vLLM has no offset; here it is {params['spec_offset']:g}."),
        )
        if holds
    ]
    values = {
        "method": "suffix",
        "num_speculative_tokens": params["max_spec"],
        "suffix_decoding_max_tree_depth": params["max_depth"],
        "suffix_decoding_max_spec_factor": params["spec_factor"],
        "suffix_decoding_min_token_prob": params["min_prob"],
    }
    if not told:
        told = [
            "vLLM also counts in earlier requests' answers; suffix_decoding_max_cached_requests = 0 keeps to one request."
        ]
    return {"vllm": Equivalent("near", values, tuple(told))}
