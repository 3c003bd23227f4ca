"""What several families draft with and none owns: a draft model, a datastore. Imports no torch."""

from __future__ import annotations

from respec_core.methods.needs import OneOf, Resource

DEMO_DATASTORE = "demo"

DRAFT_MODEL = Resource(
    "draft-model",
    "give --draft-model NAME, a smaller model with the same tokenizer.",
    kind="respec_core.methods.parts.draft_model:Smaller",
    opener="respec_core.methods.parts.draft_model:open_draft_model",
    help="a smaller model with the same tokenizer",
    fits="respec_core.methods.parts.draft_model:same_vocabulary",
    in_trace="draft",
    recording="respec_core.methods.draft_model.recorded:RECORDING",
)
DATASTORE = Resource(
    "datastore",
    "build one with `python -m respec_core datastore build` and give --datastore DIR.",
    kind="respec_core.retrieval.datastore:Datastore",
    opener="respec_core.methods.parts.opened_datastore:open_datastore",
    help=f"a datastore to retrieve from; {DEMO_DATASTORE}: the studio's own texts",
    metavar="DIR",
)
SHARED = (DRAFT_MODEL, DATASTORE)
MODEL_DRAFTER = OneOf(
    "model-drafter",
    "give --head NAME (an EAGLE head for this target) or --draft-model NAME (a smaller model).",
    ("head", "draft-model"),
)
