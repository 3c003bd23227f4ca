"""A trace written by hand: small, and with every kind of part there is."""

from __future__ import annotations

import json
from typing import Any


def small() -> dict[str, Any]:
    """One round of every kind of part, written by hand."""
    top = {"token": 2, "text": "b", "p": 1.0}
    root = {"id": 0, "parent": -1, "depth": 0, "token": 1, "text": "a"}
    child = {
        "id": 1,
        "parent": 0,
        "depth": 1,
        "token": 2,
        "text": "b",
        "sources": ["dynamic"],
        "hit_ids": [0],
        "draft_p": 0.5,
        "path_score": 0.5,
        "target_p": 1.0,
        "target_rank": 0,
        "target_entropy": 0.0,
        "target_top": [top],
    }
    candidate = {"token": 2, "text": "b", "logp_dlm": -0.1, "kept": True}
    step = {
        "i": 0,
        "ctx_len": 1,
        "phase_ms": {"verify": 1.0},
        "decision": {
            "chosen": "retrieval", "rule": "entropy", "reason": "", "H": [1.0], "C": [2.0], "k_star": 1, "theta": 1.5,
            "triggered": True, "entropies": [1.0], "match": {"dyn": 1, "threshold": 2}, "budget": 8,
            "sizing": {"rule": "auto", "proposed": 2, "kept": 1, "expected_tokens": 1.5, "forward_ms": 2.0,
                       "plain_ms": 1.0, "rate": 0.5},
        },
        "retrieval": [
            {"id": 0, "corpus": "prompt", "end_pos": 1, "match_len": 1, "snippet": "a", "continuation": "b",
             "snippet_ids": [1], "cont_ids": [2]}
        ],
        "trees": {
            "final": [root, child | {"outcome": "strict_accept"}],
            "drafter": [root, child],
            "retrieval": [root, child],
        },
        "lattice": {
            "k": 1,
            "positions": [{"i": 0, "cand": [candidate], "mass_at_cut": 0.9, "M_i": 1}],
            "beams": [{"tokens": [2], "score": -0.1, "dlm_sum": -0.1, "alive": True}],
            "chosen": 0,
            "top1_path": [2],
            "lambda_dlm": 0.5,
            "tau": 0.8,
            "passes": [{"cand": [[{"token": 2, "text": "b", "p": 0.9}]], "decided": [0]}],
        },
        "adl": {"k_t": 1, "L_gen": 1, "L_acc": 0, "ema_gen": 1.0, "ema_acc": 0.0, "grew": False, "k_next": 1,
                "k_min": 1, "k_max": 1},
        "commit": {"path_node_ids": [1], "n_accepted": 1, "n_strict": 1, "n_relaxed": 0,
                   "extra": {"token": 3, "kind": "bonus", "p": 0.5}, "emitted_ids": [2, 3]},
    }  # fmt: skip
    token = {"id": 2, "text": "b", "piece": "b", "p": 1.0, "rank": 0, "entropy": 0.0, "source": "dynamic", "top": [top], "wish": top,
             "outcome": "strict_accept", "round": 0}  # fmt: skip
    trace: dict[str, Any] = {
        "schema_version": 1,
        "run_id": "x",
        "method": "respec",
        "config": {"sampling": {"temperature": 0.0}, "params": {"theta_entropy": 1.5}},
        "models": {"target": {"name": "m"}},
        "seed": 0,
        "prompt_text": "a",
        "prompt_ids": [1],
        "steps": [step],
        "tokens": [token, token | {"id": 3, "source": "target", "outcome": "bonus"}],
        "output_ids": [2, 3],
        "output_text": "bb",
        "prompt_pieces": ["a"],
        "finish_reason": "length",
        "summary": {
            "tokens": 2, "steps": 1, "target_passes": 1, "mat": 2.0, "accepted_per_step": 1.0, "drafted": 1,
            "acceptance_rate": 1.0, "trigger_rate": 1.0, "hit_rate": 1.0,
            "acceptance_by_source": {"dynamic": {"drafted": 1, "accepted": 1, "rate": 1.0}},
            "acceptance_by_depth": [1.0], "relaxed_accepts": 0, "relaxed_share": 0.0, "wall_s": 0.1, "prefill_s": 0.1,
            "tok_s": 20.0, "phase_share": {"verify": 1.0}, "speedup_measured": 1.5,
        },
        "reference_ar": {"output_ids": [2, 3], "wall_s": 0.15},
    }  # fmt: skip
    copy: dict[str, Any] = json.loads(json.dumps(trace))  # no part shares another's objects
    return copy
