"""The head of every page: where one is, what the model is doing, and how programs call this server."""

from __future__ import annotations

import json
from dataclasses import asdict

import gradio as gr

from app.calling import calling
from app.components import panel
from app.loading import Loader


def header(loader: Loader, page: str) -> gr.HTML:
    """Build it for the page of that address."""
    return panel("header", value=status_json(loader), page=page, calling=json.dumps(calling()))


def status_json(loader: Loader) -> str:
    """What the model is doing, as the browser gets it."""
    return json.dumps(asdict(loader.status))
