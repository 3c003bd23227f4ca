"""Documents brought by a visitor: theirs alone, limited, gone when they leave."""

from __future__ import annotations

import json

import pytest

from app.documents import MAX_FILES, Documents
from respec_core.errors import ReSpecError
from respec_core.retrieval.datastore import Datastore


@pytest.fixture
def files(tmp_path) -> list[str]:
    (tmp_path / "harbour.txt").write_text("The harbour master counts the boats every evening.")
    (tmp_path / "notes.jsonl").write_text("\n".join(json.dumps({"text": f"note number {i}"}) for i in range(50)))
    return [str(tmp_path / "harbour.txt"), str(tmp_path / "notes.jsonl")]


def test_a_session_retrieves_from_its_own_documents_only(tiny_loader, files):
    documents, models = Documents(), tiny_loader.models
    said = documents.index("ann", files, models)
    assert said.startswith("51 documents")
    mine, other = documents.models_for("ann", models), documents.models_for("ben", models)
    ids = models.target.tokenizer("harbour master")["input_ids"]
    store = mine.require(Datastore, "ann")
    assert store.occurrences(store.longest_suffix(ids))[0].doc == "harbour.txt"
    assert other is models
    assert models.get(Datastore) is None
    documents.forget("ann")
    assert documents.models_for("ann", models) is models


def test_refused_files_leave_what_was_there(tiny_loader, files, tmp_path):
    documents, models = Documents(), tiny_loader.models
    documents.index("ann", files, models)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(ReSpecError, match=r"broken\.pdf"):
        documents.index("ann", [str(tmp_path / "broken.pdf")], models)
    with pytest.raises(ReSpecError, match=f"at most {MAX_FILES}"):
        documents.index("ann", files * MAX_FILES, models)
    with pytest.raises(ReSpecError, match="takes longer than -1 seconds"):
        documents.index("ann", files, models, seconds=-1)
    assert documents.note("ann", models).startswith("51 documents")
