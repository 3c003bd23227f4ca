"""SAM-Decoding (arXiv 2411.10666). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.parts.learning import recycles
from respec_core.methods.sam.settings import SAMSettings

FAMILY = Family(
    "sam",
    (
        Method(
            "sam",
            "SAM-Decoding",
            "arXiv 2411.10666",
            "A suffix automaton finds the longest match at once; copy only behind a long one.",
            SAMSettings,
            "respec_core.methods.sam.drafter:build",
            learns_from_rejected=recycles("auxiliary"),
        ),
    ),
)
