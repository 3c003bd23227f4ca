"""Notices that fade."""

from __future__ import annotations

import html

import gradio as gr


def warn(sentence: str) -> None:
    """Show a sentence. Gradio renders notices as HTML, and a sentence may quote what a visitor sent, in broken Unicode."""
    gr.Warning(html.escape(sentence.encode(errors="replace").decode()), duration=8)
