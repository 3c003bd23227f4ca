"""Token Recycling (arXiv 2408.08696). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.recycling.settings import RecyclingSettings

FAMILY = Family(
    "recycling",
    (
        Method(
            "recycling",
            "Token Recycling",
            "arXiv 2408.08696",
            "Every token remembers the successors the target last ranked best; they fill a static tree.",
            RecyclingSettings,
            "respec_core.methods.recycling.drafter:build",
            learns_from_rejected=lambda params, has: True,
        ),
    ),
)
