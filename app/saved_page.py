"""A run as one HTML file that plays anywhere: our scripts, styles and the drawing library inline, no network.

Every module keeps a scope of its own: an import map gives each its text as a ``data:`` address.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode

from app.files import STATIC, plotly_js
from app.glossary import glossary
from app.messages import packets
from app.panels.registry import PANELS, described
from respec_core.trace.schema import Run

STYLES = ("theme", "controls", "live", "methods", "presenting", "compare")
FROM = re.compile(r'(?<= from ")\./(?=(\w+)\.js";)')  # in our modules, which prettier formats
LIVE = "live"
PLACE = "studio/"  # a data: address has no neighbours, so modules import each other by a name of the map

EMPTY = 'id="packet">null<'

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>ReSpec Studio: a recorded run</title><style>{css}
body {{ margin: 0 }}</style>
<script type="importmap">{modules}</script></head><body><div id="host"><div class="rs"></div></div>
<script type="application/json" id="packet">null</script>
<script>{plotly}</script>
<script type="module">
import {{ mount }} from "{place}{page}.js";
if (matchMedia("(prefers-color-scheme: dark)").matches) document.body.classList.add("dark");
mount({{
  element: document.getElementById("host"),
  props: {{ value: document.getElementById("packet").textContent, panels: {panels}, glossary: {glossary} }},
  load: (name) => import("{place}" + name + ".js"),
  trigger() {{}},
}});
</script></body></html>
"""


def module_names(page: str = LIVE) -> list[str]:
    """Every module that a page comes to load, of Live with those of the panels."""
    found: set[str] = set()
    waiting = [page, *(panel.module for panel in PANELS if panel.module and page == LIVE)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += FROM.findall(_text(name))
    return sorted(found)


def modules(page: str = LIVE) -> dict[str, str]:
    """Their texts by their places in the import map."""
    return {f"{PLACE}{name}.js": FROM.sub(PLACE, _text(name)) for name in module_names(page)}


def _text(name: str) -> str:
    return (STATIC / f"{name}.js").read_text(encoding="utf-8")


def empty_page(page: str = LIVE) -> str:
    """The page without its run or comparison; the element ``packet``, before the script, is where that goes."""
    css = "\n".join((STATIC / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    panels, words = (json.dumps(json.dumps(it)).replace("<", "\\u003c") for it in (described(), glossary()))
    addresses = {place: _address(text) for place, text in modules(page).items()}
    return PAGE.format(
        css=css,
        plotly=plotly_js().read_text(encoding="utf-8") if page == LIVE else "",
        modules=json.dumps({"imports": addresses}),
        place=PLACE,
        page=page,
        panels=panels,
        glossary=words,
    )


def page_with(packet: str) -> str:
    """The page of one packet, which is JSON text."""
    inert = packet.replace("<", "\\u003c")
    return empty_page().replace(EMPTY, f'id="packet">{inert}<', 1)


def saved_page(run: Run) -> str:
    """The page of a whole run, as the page's own button saves it."""
    return page_with(next(packets(run, "saved")))


def _address(text: str) -> str:
    return "data:text/javascript;charset=utf-8;base64," + b64encode(text.encode()).decode()
