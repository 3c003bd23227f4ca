"""Prompt lookup. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.pld.serving import served
from respec_core.methods.pld.settings import PLDSettings
from respec_core.settings.sketch import Sketch, branches
from respec_core.trace.traits import Traits

FAMILY = Family(
    "pld",
    (
        Method(
            "pld",
            "Prompt lookup",
            "apoorvumang/prompt-lookup-decoding",
            "Copy what followed an earlier occurrence of the last few tokens.",
            PLDSettings,
            "respec_core.methods.pld.drafter:build",
            traits=Traits(
                ngram=lambda params: int(params["max_ngram"]),
                reads=lambda params: int(params["num_pred"]),
                score=lambda match, depth: 1 / (depth + 1),
            ),
            served=served,
            front=("max_ngram", "num_pred", "budget_rule", "max_new_tokens"),
            sketch=lambda config: Sketch((branches("the copy", "dynamic", config.params["num_pred"]),)),
        ),
    ),
)
