"""Pictures of the page for the README: ``python -m app.making.screenshots`` (needs Chromium and the playwright package)."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from app.build import build, launch_options
from app.loading import Loader
from app.making.browser import chromium, free_port
from app.serving.line import Line
from app.serving.runners import Here
from respec_core.boundary.output import make_folder, write_bytes
from respec_core.methods.opening import ModelChoice
from respec_core.models.assets import ASSETS

FOLDER = ASSETS / "screenshots"
MAX_KB = 400


@dataclass(frozen=True)
class Picture:
    """A view of a recorded run at a round (counted from 1), or of another page's ``address``, once ``ready`` is there."""

    name: str
    trace: str
    round: int
    width: int
    height: int
    address: str = ""
    ready: str = ""
    dark: bool = False
    key: str = "1"
    tab: str = ""
    scroll_to: str = "#rs-header"


PICTURES = (
    Picture("live-1440-light", "summary-respec-strict", 5, 1440, 1240),
    Picture("live-1440-dark", "copy-code-sam", 5, 1440, 1240, dark=True),
    Picture("tree-1440-light", "story-respec-strict", 10, 1440, 1240),
    Picture("relaxed-1440-dark", "copy-code-respec", 2, 1440, 1240, dark=True),
    Picture("whole-page-1440-light", "summary-respec-strict", 4, 1440, 0, key="2"),
    Picture("live-390-light", "summary-respec-strict", 5, 390, 1400, scroll_to=".rs-bar-head"),
    Picture("live-390-dark", "summary-respec-strict", 5, 390, 1400, dark=True, tab="trigger", scroll_to=".rs-bar-head"),
    Picture("lattice-1440-light", "story-diffuspec", 21, 1440, 900, tab="lattice", scroll_to=".rs-tabs"),
    Picture("fusion-1440-dark", "summary-rasd", 6, 1440, 900, dark=True, tab="fusion", scroll_to=".rs-tabs"),
    Picture("form-390-light", "summary-respec-strict", 5, 390, 844),
    Picture("stage-1920-dark", "summary-respec-strict", 5, 1920, 1080, dark=True, key="f"),
    Picture(
        "lab-1440-light",
        "",
        0,
        1440,
        1240,
        address="lab",
        ready=".rs-lab:not(:has-text('Still computing')) .rs-panel-lab-picture .js-plotly-plot",
    ),
    Picture("learn-1440-light", "", 0, 1440, 900, address="learn?lesson=respec", ready=".rs-learn svg"),
    Picture(
        "compare-1440-light",
        "",
        0,
        1440,
        1240,
        address="compare?traces=summary-sam,summary-rasd,summary-respec-strict",
        ready=".rs-lane-card",
    ),
)


def take(page: Any, picture: Picture, url: str) -> Path:
    """One picture, checked for size."""
    theme = "dark" if picture.dark else "light"
    page.set_viewport_size({"width": picture.width, "height": picture.height or 900})
    if picture.trace:
        _show_round(page, picture, f"{url}/?play=0&trace={picture.trace}&__theme={theme}")
    else:
        page.goto(f"{url}/{picture.address}{'&' if '?' in picture.address else '?'}__theme={theme}")
        page.wait_for_selector(picture.ready, timeout=120_000)
        page.wait_for_selector(".rs-dot[data-state=ready]", timeout=120_000)
    page.evaluate("document.activeElement?.blur()")
    page.wait_for_timeout(900)
    page.evaluate(f"document.querySelector('{picture.scroll_to}').scrollIntoView()")
    page.mouse.move(1, 1)
    if picture.tab:  # it is drawn once it is in sight
        page.wait_for_selector(f".rs-panel-{picture.tab} svg >> visible=true", timeout=60_000)
    page.wait_for_timeout(300)
    path = FOLDER / f"{picture.name}.png"
    png = page.screenshot(full_page=picture.height == 0)
    if len(png) >> 10 >= MAX_KB:  # fewer colours, only where it must be
        smaller = io.BytesIO()
        Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
            smaller, "PNG", optimize=True
        )
        png = smaller.getvalue()
    size = len(png) >> 10
    assert size < MAX_KB, f"{path} has {size} kB"
    write_bytes(path, png)
    print(f"{path.name}: {size} kB")
    return path


def _show_round(page: Any, picture: Picture, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".rs-tokens [data-index]", timeout=60_000)
    page.wait_for_selector(".rs-dot[data-state=ready]", timeout=120_000)
    page.keyboard.press("Home")
    for _ in range(picture.round - 1):
        page.keyboard.press("ArrowRight")
    page.keyboard.press(picture.key)
    if picture.tab:
        page.click(f"[data-tab={picture.tab}]")


def main(names: list[str]) -> None:
    """Take all pictures, or the named ones."""
    port = free_port()
    loader = Loader(ModelChoice("smollm2-135m")).start()
    line = Line([Here(loader)])
    demo = build(loader, line)
    demo.launch(server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, **launch_options(loader, line))
    make_folder(FOLDER)
    with chromium() as browser:
        for picture in PICTURES:
            if not names or picture.name in names:
                context = browser.new_context(color_scheme="dark" if picture.dark else "light")
                take(context.new_page(), picture, f"http://127.0.0.1:{port}")
                context.close()
    demo.close(verbose=False)


if __name__ == "__main__":
    main(sys.argv[1:])
