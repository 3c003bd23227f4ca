"""ReSpec (arXiv 2511.01282): when to retrieve, what to verify; how is the verifier's business.

*When*: entropies of the newest confirmed tokens, averaged over the window that looks calmest after a penalty for short
windows. *What*: every earlier occurrence of the suffix, scored by how its source position did before; the best few as
branches of one tree. *Otherwise*: the model drafter's tree.
"""

from __future__ import annotations

import math

from respec_core.engine.routing import Router
from respec_core.methods.parts.copies import copies
from respec_core.methods.parts.model_drafter import drafter_or_none
from respec_core.methods.parts.switching import Switch
from respec_core.methods.resources import Models
from respec_core.methods.respec.settings import ReSpecSettings
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Retriever


def build(settings: ReSpecSettings, models: Models) -> Router:
    """Retrieval by entropy, the fallback drafter otherwise."""
    retrieval = copies(settings, Retriever(models.get(Datastore), models.target.vocab_size, models.cursor))
    fallback = drafter_or_none(settings.fallback, models, settings.head, "respec's fallback")
    return Switch(settings, retrieval, fallback, math.log(models.target.vocab_size))
