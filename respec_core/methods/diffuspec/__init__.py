"""DiffuSpec (arXiv 2510.02358), alone and beside retrieval. Imports no torch."""

from __future__ import annotations

from respec_core.methods.diffuspec.biased import biased, compares
from respec_core.methods.diffuspec.record import ADL, Lattice
from respec_core.methods.diffuspec.settings import DiffuSpecRetrievalSettings, DiffuSpecSettings
from respec_core.methods.diffuspec.sketch import alone, beside_copies
from respec_core.methods.family import Family, Method
from respec_core.methods.needs import Resource
from respec_core.methods.parts.checks import FEEDBACK, LONGEST_MATCH, SWITCH, TRIGGER
from respec_core.methods.parts.learning import recycles
from respec_core.methods.parts.trigger_margin import entropy_margin
from respec_core.methods.parts.trigger_traits import triggered
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.serving import nowhere
from respec_core.trace.traits import Traits

DIFFUSION = Resource(
    "diffusion",
    "give --diffusion NAME, a masked diffusion model with the target's tokenizer, or train one with `python -m respec_core train diffusion`.",
    kind="respec_core.methods.diffuspec.denoiser:DiffusionModel",
    opener="respec_core.methods.diffuspec.loading:open_diffusion",
    help="a masked diffusion model with the same tokenizer",
    after=("head",),  # which the block drafter stands on
    recording="respec_core.methods.diffuspec.recorded:RECORDING",
)
NO_LATTICE = "Their block drafters need a DFlash checkpoint, and none searches a lattice."
FAMILY = Family(
    "diffuspec",
    (
        Method(
            "diffuspec",
            "DiffuSpec",
            "arXiv 2510.02358",
            "A diffusion model fills many positions at once; a search finds paths that read as text; the length adapts.",
            DiffuSpecSettings,
            "respec_core.methods.diffuspec.drafter:build",
            (DIFFUSION,),
            traits=Traits(samples=compares),
            presets=(AUTO, paper_preset(shape="chain"), tuned_preset(markov=True, tau=1.0, lambda_dlm=0.7)),
            learns_from_rejected=recycles("proxy"),
            served=lambda params, beside: nowhere(NO_LATTICE),
            lossy=biased,
            front=("shape", "k_max", "tau", "max_new_tokens"),
            sketch=alone,
        ),
        Method(
            "diffuspec-retrieval",
            "DiffuSpec + retrieval",
            "arXiv 2510.02358, 2511.01282",
            "Where ReSpec's entropy trigger fires, copies from the past join the diffusion model's draft, or replace it.",
            DiffuSpecRetrievalSettings,
            "respec_core.methods.diffuspec.drafter:build_hybrid",
            (DIFFUSION,),
            traits=triggered(samples=compares),
            presets=(AUTO, paper_preset(shape="chain"), tuned_preset(markov=True, tau=1.0, lambda_dlm=0.7)),
            learns_from_rejected=recycles("proxy"),
            served=lambda params, beside: nowhere(NO_LATTICE),
            lossy=biased,
            front=("switch", "shape", "k_max", "max_new_tokens"),
            sketch=beside_copies,
            margins={"theta_entropy": entropy_margin},
        ),
    ),
    resources=(DIFFUSION,),
    records={"lattice": Lattice, "adl": ADL},
    checks=(
        ("lattice", "respec_core.methods.diffuspec.lattice_check:lattice_problems"),
        ("adl", "respec_core.methods.diffuspec.length_check:length_problems"),
        FEEDBACK,
        TRIGGER,
        LONGEST_MATCH,
        SWITCH,
    ),
    panels=(
        "app.panels.fusion:PANEL",
        "app.panels.lineages:PANEL",
        "app.panels.lattice:PANEL",
        "app.panels.adl:PANEL",
        "app.panels.depth_ranks:PANEL",
    ),
)
