"""REST (arXiv 2311.08252). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.parts.shared import DATASTORE
from respec_core.methods.rest.serving import served
from respec_core.methods.rest.settings import RESTSettings
from respec_core.methods.rest.sketch import sketch
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset

FAMILY = Family(
    "rest",
    (
        Method(
            "rest",
            "REST",
            "arXiv 2311.08252",
            "The most frequent continuations of the longest suffix found in a datastore, as one tree.",
            RESTSettings,
            "respec_core.methods.rest.drafter:build",
            (DATASTORE,),
            presets=(AUTO, paper_preset(), tuned_preset(choices=31)),
            served=served,
            front=("max_span", "cont_len", "choices", "max_new_tokens"),
            sketch=sketch,
        ),
    ),
)
