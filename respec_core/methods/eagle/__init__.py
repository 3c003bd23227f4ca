"""EAGLE-2 (arXiv 2406.16858). Imports no torch."""

from __future__ import annotations

from respec_core.methods.eagle.serving import served
from respec_core.methods.eagle.settings import Eagle2Settings
from respec_core.methods.family import Family, Method
from respec_core.methods.needs import Resource
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.sketch import Sketch

HEAD = Resource(
    "head",
    "give --head NAME, an EAGLE head made for this target, or train one with `python -m respec_core train`.",
    kind="respec_core.methods.eagle.growing:Head",
    opener="respec_core.methods.eagle.loading:open_head",
    help="an EAGLE head for this model, if not its own: folder or hub id",
    fits="respec_core.methods.eagle.loading:fit",
    recording="respec_core.methods.eagle.recorded:RECORDING",
)
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
            (HEAD,),
            presets=(AUTO, paper_preset(), tuned_preset(total_tokens=32, top_k=8)),
            served=served,
            front=("total_tokens", "depth", "top_k", "max_new_tokens"),
            sketch=lambda config: Sketch((Eagle2Settings(**config.params).tree.part(),)),
        ),
    ),
    resources=(HEAD,),
)
