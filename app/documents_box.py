"""The box in which a visitor brings documents to retrieve from."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import gradio as gr

from app.documents import Documents
from app.events import HEAVY
from app.loading import Loader
from app.notices import warn
from respec_core.errors import ReSpecError

FILE_TYPES = [
    ".txt",
    ".md",
    ".jsonl",
    ".pdf",
    ".py",
    ".js",
    ".ts",
    ".java",
    ".c",
    ".cpp",
    ".go",
    ".rs",
    ".html",
    ".csv",
]


def documents_box(documents: Documents, loader: Loader) -> tuple[gr.HTML, Any]:
    """Build the box inside the current column.

    Returns:
        the line that says what is retrieved from, and a function of the request that fills it.
    """
    with gr.Column(elem_id="rs-documents"):
        gr.HTML("<strong>Documents</strong> <span>to retrieve from, besides prompt and output</span>", padding=False)
        note = gr.HTML(elem_id="rs-documents-note", padding=False)
        with gr.Row():
            bring = gr.UploadButton(
                "Use my files", file_count="multiple", file_types=FILE_TYPES, size="sm", elem_id="rs-bring"
            )
            back = gr.Button("Back to default", size="sm", elem_id="rs-default-documents")

    def said(request: gr.Request) -> str:
        loaded = loader.models if loader.status.state == "ready" else None
        return documents.note(str(request.session_hash), loaded)

    def index(paths: list[str] | None, request: gr.Request) -> str:
        try:
            return documents.index(str(request.session_hash), paths or [], loader.models)
        except ReSpecError as error:
            warn(str(error))
            return said(request)
        finally:
            for path in paths or []:  # the index holds the text; the upload is not kept
                with suppress(OSError):
                    Path(path).unlink()

    def forget(request: gr.Request) -> str:
        documents.forget(str(request.session_hash))
        return said(request)

    bring.upload(index, bring, note, **HEAVY)
    back.click(forget, None, note, **HEAVY)
    return note, said
