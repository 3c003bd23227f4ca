"""SAM-Decoding (arXiv 2411.10666). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.parts.checks import LONGEST_MATCH
from respec_core.methods.parts.learning import recycles
from respec_core.methods.sam.match_margin import match_margin
from respec_core.methods.sam.serving import served
from respec_core.methods.sam.settings import EMBEDDED_EAGLE2, EMBEDDED_RECYCLING, SAMSettings
from respec_core.methods.sam.sketch import sketch
from respec_core.settings.presets import AUTO, own_sizes, paper_preset, tuned_preset
from respec_core.trace.traits import Traits

PAPER = paper_preset(auxiliary="recycling", auxiliary_nodes=1 + sum(EMBEDDED_RECYCLING), occurrence="first")
PAPER_EAGLE2 = own_sizes(
    "paper-eagle2",
    "the authors' headline form, SAM[EAGLE2]",
    auxiliary="eagle2",
    auxiliary_nodes=EMBEDDED_EAGLE2.nodes,
    occurrence="first",
)
TUNED = tuned_preset(auxiliary="eagle2", auxiliary_nodes=32)

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
            presets=(AUTO, PAPER, PAPER_EAGLE2, TUNED),
            learns_from_rejected=recycles("auxiliary"),
            served=served,
            front=("len_threshold", "auxiliary", "n_predicts", "max_new_tokens"),
            sketch=sketch,
            margins={"len_threshold": match_margin},
            traits=Traits(
                rule="match_len",
                reads=lambda params: int(params["n_predicts"]) - 1,  # the root counts
                first_with=lambda params: int(params["n_predicts"]) if params.get("occurrence") == "first" else None,
            ),
        ),
    ),
    checks=(("match", "respec_core.methods.sam.match_check:match_problems"), LONGEST_MATCH),
)
