"""Opening the datastore that a choice names."""

from __future__ import annotations

from respec_core.methods.opening import ModelChoice
from respec_core.methods.parts.shared import DEMO_DATASTORE
from respec_core.methods.resources import Models
from respec_core.models.assets import ASSETS
from respec_core.models.checkpoints import Progress
from respec_core.models.encoding import TextEncoder
from respec_core.retrieval.datastore import Datastore

DEMO_CORPUS = ASSETS / "corpus"


def open_datastore(choice: ModelChoice, models: Models, progress: Progress) -> Datastore | None:
    """The folder that ``choice`` names, or for ``demo`` the studio's own small corpus in memory; None without a name.

    Raises:
        ReSpecError: if it is no datastore, is damaged, or was built with another tokenizer.
    """
    name, target = choice.beside.get("datastore"), models.target
    if not name:
        return None
    if name != DEMO_DATASTORE:
        return Datastore.open(name, target.tokenizer_fingerprint())
    return Datastore.from_files([DEMO_CORPUS], TextEncoder(target.tokenizer, target.tokenizer_fingerprint()))
