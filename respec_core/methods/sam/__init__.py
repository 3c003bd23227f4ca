"""SAM-Decoding (arXiv 2411.10666). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.parts.checks import LONGEST_MATCH
from respec_core.methods.parts.learning import recycles
from respec_core.methods.sam.settings import SAMSettings
from respec_core.trace.traits import Traits

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
            traits=Traits(rule="match_len", reads=lambda params: int(params["n_predicts"]) - 1),  # the root counts
        ),
    ),
    checks=(("match", "respec_core.methods.sam.match_check:match_problems"), LONGEST_MATCH),
)
