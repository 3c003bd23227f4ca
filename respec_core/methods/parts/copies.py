"""Which rule finds and scores copies: by lineage (ours), or by exact source position (the paper's)."""

from __future__ import annotations

from respec_core.methods.parts.lineage_retrieval import LineageRetrieval
from respec_core.methods.parts.scored_retrieval import ScoredRetrieval
from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.retrieval.retriever import Retriever

Copies = LineageRetrieval | ScoredRetrieval


def copies(settings: TriggerSettings, retriever: Retriever) -> Copies:
    """A run's candidates, by the settings' rule."""
    kind = LineageRetrieval if settings.scored_by == "lineage" else ScoredRetrieval
    return kind(settings, retriever)
