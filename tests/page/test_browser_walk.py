"""Every page, and every panel of every method's recorded run, at three widths and in two themes.

What was seen is kept as pictures in ``runs/walk``, to be looked at.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from app.gallery import recordings
from respec_core.methods.registry import METHODS

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[2] / "runs" / "walk"
SIZES = [(width, theme) for width in (1440, 1024, 390) for theme in ("light", "dark")]
WHOLE = {(1440, "light"), (390, "dark")}  # where every method is looked at; elsewhere three
FEW = ("summary-respec-strict", "summary-rasd", "story-diffuspec")
OTHERS = {
    "compare?traces=story-sam,story-diffuspec": ".rs-panel-trees .rs-tree",
    "lab?method=pld&max_new_tokens=24": ".rs-panel-lab-curve .main-svg",
    "learn?lesson=eagle": ".rs-step-body p",
    "replay": ".rs-panel-tree",
}
DRAWN = """(id) => {
  const panel = document.querySelector(`[data-panel='${id}']`);
  return panel?.checkVisibility() && (panel.querySelector("svg, table") || panel.textContent.length > 60);
}"""


def one_of_each_method() -> list[str]:
    """Names of recorded runs: of every method its first, which is the longest."""
    first: dict[str, str] = {}
    for name, shown in recordings().items():
        first.setdefault(shown.method, name)
    return [first[method.name] for method in METHODS]


def kept(page, name: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png")


def fits(page, width: int) -> bool:
    return page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "theme"), SIZES)
def test_every_panel_of_every_method_has_something_and_fits(server: str, visit, width: int, theme: str) -> None:
    page = visit(f"{server}/?play=0&__theme={theme}", width=width, dark=theme == "dark").page
    seen = set()
    for name in one_of_each_method() if (width, theme) in WHOLE else FEW:
        page.goto(f"{server}/?play=0&trace={name}&round=2&__theme={theme}")
        page.wait_for_function("document.querySelector('.rs-round-label')?.textContent.startsWith('Round 2 ')")
        for tab in page.locator(".rs-tabs [role=tab] >> visible=true").all():
            tab.click()
            panel = tab.get_attribute("data-tab")
            page.wait_for_function(DRAWN, arg=panel)
            assert fits(page, width), (name, panel)
            if panel not in seen:
                page.locator(f"[data-panel='{panel}']").scroll_into_view_if_needed()
                page.wait_for_timeout(250)  # what is drawn late
                kept(page, f"{panel}-{width}-{theme}")
            seen.add(panel)
    assert len(seen) > (14 if (width, theme) in WHOLE else 8), seen


@pytest.mark.parametrize(("width", "theme"), SIZES)
def test_every_other_page_opens_and_fits(server: str, visit, width: int, theme: str) -> None:
    for address, ready in OTHERS.items():
        mark = "&" if "?" in address else "?"
        page = visit(f"{server}/{address}{mark}__theme={theme}", width=width, dark=theme == "dark", wait=False).page
        page.wait_for_selector(ready, state="attached")
        page.wait_for_selector(".rs-dot[data-state=ready]", state="attached")
        assert fits(page, width), address
        kept(page, f"{address.partition('?')[0]}-{width}-{theme}")
        page.close()
