"""EAGLE-2 (arXiv 2406.16858). Imports no torch."""

from __future__ import annotations

from respec_core.methods.eagle.settings import Eagle2Settings
from respec_core.methods.family import Family, Method

FAMILY = Family(
    "eagle",
    (
        Method(
            "eagle2",
            "EAGLE-2",
            "arXiv 2406.16858",
            "A small head guesses from the target's own features and grows its tree where it is sure.",
            Eagle2Settings,
            "respec_core.methods.eagle.drafter:build",
            ("head",),
        ),
    ),
)
