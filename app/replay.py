"""A run as one HTML file that replays anywhere: our scripts, styles and the drawing library inline, no network."""

from __future__ import annotations

import json
import re

from app.files import STATIC, plotly_js
from app.panels.registry import PANELS, described

ORDER = (
    "dom", "scales", "vocabulary", "store", "cards", "exchange", "floating", "figures", "tables", "tokens", "scrubber",
    "summary", "retrieval", "general_panel", "drawings", "method_panels", "what_if", "keys", "live",
)  # fmt: skip
STYLES = ("theme", "live", "methods")
IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=class|function|const|async)", re.MULTILINE)

EMPTY = 'id="packet">null<'

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>ReSpec Studio: a recorded run</title><style>{css}
body {{ margin: 0 }}</style></head><body><div id="host"><div class="rs"></div></div>
<script type="application/json" id="packet">null</script>
<script>{plotly}</script>
<script type="module">
if (matchMedia("(prefers-color-scheme: dark)").matches) document.body.classList.add("dark");
{script}
mount({{ element: document.getElementById("host"), props: {{ value: document.getElementById("packet").textContent, panels: {panels} }}, trigger() {{}} }});
</script></body></html>
"""


def bundle() -> str:
    """All modules of the Live page, and then those of the panels, as one script: imports dropped, exports made plain."""
    drawings = dict.fromkeys(panel.module for panel in PANELS if panel.module)
    parts = [(STATIC / f"{name}.js").read_text(encoding="utf-8") for name in (*ORDER, *drawings)]
    return "\n".join(EXPORT.sub("", IMPORT.sub("", part)) for part in parts)


def replay_shell() -> str:
    """The page without its run; the element ``packet``, before the script, is where that goes."""
    css = "\n".join((STATIC / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    panels = json.dumps(json.dumps(described())).replace("<", "\\u003c")
    return PAGE.format(css=css, plotly=plotly_js().read_text(encoding="utf-8"), script=bundle(), panels=panels)


def replay_page(packet: str) -> str:
    """The page of one packet, as JSON text."""
    inert = packet.replace("<", "\\u003c")
    return replay_shell().replace(EMPTY, f'id="packet">{inert}<', 1)
