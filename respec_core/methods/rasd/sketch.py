"""How much the drafter and the retrieved continuations may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.parts.model_sketch import model_parts
from respec_core.methods.rasd.settings import RASDSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch


def sketch(config: RunConfig) -> Sketch:
    """Both in one tree; a level of the trie is as wide as continuations may be retrieved."""
    settings = RASDSettings(**config.params)
    most = settings.max_retrieval_nodes
    copies = Portion("copies", "dynamic", (most,) * settings.cont_len, most)
    return Sketch((*model_parts(settings.drafter, settings.head), copies), settings.max_nodes, together=True)
