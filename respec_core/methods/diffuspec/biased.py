"""What DiffuSpec's ratio test loses (arXiv 2510.02358). Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.loss import Loss
from respec_core.settings.run_config import RunConfig

BIASED = Loss(
    "biased sampling · p/q",
    "The ratio test takes the drafted path for a random draw, but it was searched: likely drafts come out too often.",
    "Both were sampled, and this run by the biased ratio test.",
)


def compares(params: Mapping[str, Any]) -> bool:
    """Whether a sampled draft is accepted by comparing p with q."""
    return params.get("sampling_rule") == "p/q"


def biased(config: RunConfig) -> Loss | None:
    """The bias of sampling by the rule p/q; greedy decoding samples nothing."""
    return BIASED if not config.greedy and compares(config.params) else None
