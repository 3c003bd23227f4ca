"""A run as one HTML file that replays anywhere: our scripts, styles and the drawing library inline, no network."""

from __future__ import annotations

import re

from app.components import PLOTLY, STATIC

ORDER = (
    "dom", "scales", "vocabulary", "store", "cards", "floating", "figures",
    "tokens", "scrubber", "summary", "retrieval", "keys", "live",
)  # fmt: skip
STYLES = ("theme", "live")
IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=class|function|const|async)", re.MULTILINE)

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>ReSpec Studio: a recorded run</title><style>{css}
body {{ margin: 0 }}</style></head><body><div id="host"><div class="rs"></div></div>
<script>{plotly}</script>
<script type="module">
if (matchMedia("(prefers-color-scheme: dark)").matches) document.body.classList.add("dark");
{script}
const PACKET = /*PACKET*/null;
mount({{ element: document.getElementById("host"), props: {{ value: JSON.stringify(PACKET) }}, trigger() {{}} }});
</script></body></html>
"""


def bundle() -> str:
    """All modules of the Live page as one script: imports dropped, exports made plain, in order of use."""
    parts = [(STATIC / f"{name}.js").read_text() for name in ORDER]
    return "\n".join(EXPORT.sub("", IMPORT.sub("", part)) for part in parts)


def replay_shell() -> str:
    """The page without its run; ``/*PACKET*/null`` is where the packet goes."""
    css = "\n".join((STATIC / f"{name}.css").read_text() for name in STYLES)
    return PAGE.format(css=css, plotly=PLOTLY.read_text(encoding="utf-8"), script=bundle())


def replay_page(packet: str) -> str:
    """The page of one packet, as JSON text."""
    return replay_shell().replace("/*PACKET*/null", packet.replace("<", "\\u003c"))
