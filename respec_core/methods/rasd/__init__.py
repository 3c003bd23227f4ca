"""RASD (arXiv 2503.03434). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.parts.checks import LONGEST_MATCH
from respec_core.methods.parts.learning import recycles
from respec_core.methods.parts.shared import MODEL_DRAFTER
from respec_core.methods.rasd.settings import NGRAM, RASDSettings
from respec_core.methods.rasd.sketch import sketch
from respec_core.settings.presets import AUTO, own_sizes, paper_preset, tuned_preset
from respec_core.settings.serving import nowhere
from respec_core.trace.traits import Traits

FAMILY = Family(
    "rasd",
    (
        Method(
            "rasd",
            "RASD",
            "arXiv 2503.03434",
            "The drafter's tree and retrieved continuations that it could foresee, fused and verified at once.",
            RASDSettings,
            "respec_core.methods.rasd.drafter:build",
            (MODEL_DRAFTER,),
            presets=(
                AUTO,
                paper_preset(),
                own_sizes("paper-pld", "the paper's RASD(PLD): copies from the run's own text", retrieval="pld"),
                own_sizes("paper-rest", "the paper's RASD(REST): copies from a datastore", retrieval="rest"),
                tuned_preset(max_nodes=32, max_retrieval_nodes=16, tree_top_k=8),
            ),
            learns_from_rejected=recycles("drafter"),
            served=lambda params, beside: nowhere("None fuses a drafter's tree with a retrieved one."),
            traits=Traits(
                ngram=lambda params: NGRAM if params["retrieval"] == "pld" else None,
                reads=lambda params: int(params["cont_len"]),
                within_room=True,
                score=None,
                one_size=True,
            ),
            front=("drafter", "retrieval", "prune_top_k", "max_retrieval_nodes"),
            sketch=sketch,
        ),
    ),
    checks=(("trie", "respec_core.methods.rasd.trie_check:trie_problems"), LONGEST_MATCH),
    panels=("app.panels.fusion:PANEL",),
)
