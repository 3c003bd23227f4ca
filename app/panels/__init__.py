"""Panels: plain dictionaries made from a trace or its rounds. No torch, no gradio, no figure objects.

Colours are names such as ``var:accepted``; the browser resolves them against the page's theme, light or dark.
"""

from __future__ import annotations

from typing import Any

Figure = dict[str, Any]
"""``{"data": [...], "layout": {...}}`` as Plotly.js takes it, and ``min_width`` where it needs room."""
