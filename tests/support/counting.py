"""Runs of a scripted target whose copies differ from its text in one token and then agree again."""

from __future__ import annotations

import torch
from tiny import StubModel

from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.schema import Run

PROMPT = tuple([*range(12)] * 2)


def counting(ids) -> torch.Tensor:
    """Counts 0 … 11 round and round, but likes 13 a little more than 6."""
    p = torch.full((16,), 1e-3)
    p[(ids[-1] + 1) % 12 if ids[-1] != 13 else 7] = 0.4
    if ids[-1] == 5:
        p[13] = 0.5
    return p.log()


def counted(method: str = "pld", **values) -> Run:
    """A run of ``method`` on it, which records what other rules would go by."""
    config = find_method(method).configure({"max_new_tokens": 60, "budget": "own", "look_ahead": True} | values)
    return complete(Request(config, PROMPT), Models(StubModel(counting)))
