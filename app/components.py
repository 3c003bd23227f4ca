"""The browser components: empty elements and a script of ours. Data arrives as JSON text and never as markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from app.files import STATIC, plotly_js

# Gradio evaluates these texts in the browser.
LOAD = """
const root = (window.gradio_config && window.gradio_config.root) || "";
const at = (path) => root + "/gradio_api/file=" + path;
const load = (name) => import(at("%(static)s/" + name + ".js"));
"""
# the event names must stand in it in quotes
MOUNT = (
    LOAD
    + """
load("%(module)s").then((module) => module.mount({
  element, props, watch, trigger, server, load, root, plotly: at("%(plotly)s"), events: [%(events)s],
}));
"""
)
EMIT = "() => {" + LOAD + """load("bus").then(({ bus }) => bus.emit("%(kind)s", null)); }"""


def served(path: Path) -> str:
    """``path`` as it stands in a URL of this server."""
    return path.as_posix()


def panel(module: str, events: tuple[str, ...] = (), value: str | None = None, **kwargs: Any) -> gr.HTML:
    """An element that ``static/<module>.js`` fills; its value is a packet of :mod:`app.messages` or other JSON text.

    A function, not a subclass: Gradio writes a stub file beside every module that subclasses a component.
    """
    return gr.HTML(
        value,
        html_template='<div class="rs"></div>',
        js_on_load=MOUNT
        % {
            "static": served(STATIC),
            "module": module,
            "plotly": served(plotly_js()),
            "events": ", ".join(f"'{event}'" for event in events),
        },
        apply_default_css=False,
        elem_id=f"rs-{module}",
        **kwargs,
    )


def emits(kind: str) -> str:
    """A script for a listener: an event of this kind on the page's own bus (``static/bus.js``)."""
    return EMIT % {"static": served(STATIC), "kind": kind}
