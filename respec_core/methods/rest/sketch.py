"""How much REST may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.rest.settings import RESTSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch


def sketch(config: RunConfig) -> Sketch:
    """The datastore's continuations as a trie."""
    settings = RESTSettings(**config.params)
    wide = min(settings.k, settings.choices)
    return Sketch(
        (Portion("the datastore's continuations", "datastore", (wide,) * settings.cont_len, settings.choices),)
    )
