"""How much the diffusion model may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.diffuspec.settings import DiffuSpecRetrievalSettings, DiffuSpecSettings
from respec_core.methods.parts.trigger_sketch import triggered_sketch
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch, branches


def alone(config: RunConfig) -> Sketch:
    """Of the method without copies."""
    return Sketch((_lattice(DiffuSpecSettings(**config.params)),))


def beside_copies(config: RunConfig) -> Sketch:
    """Of the method with copies."""
    settings = DiffuSpecRetrievalSettings(**config.params)
    return triggered_sketch(config, settings, (_lattice(settings),))


def _lattice(settings: DiffuSpecSettings) -> Portion:
    name, source = "the diffusion model", "dlm"
    if settings.shape != "tree":
        return branches(name, source, settings.k_max, settings.beam if settings.shape == "beams" else 1)
    wide = (settings.m_max ** min(level, 8) for level in range(1, settings.k_max + 1))  # any path of candidates
    return Portion(name, source, tuple(wide), settings.tree_nodes)
