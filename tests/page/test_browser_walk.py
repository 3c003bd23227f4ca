"""Every page, and every panel of every method's recorded run, at three widths and in two themes: it fits, and axe-core
finds nothing serious.

What was seen is kept as pictures in ``runs/walk``, to be looked at.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from access import grave

from app.gallery import recordings
from respec_core.methods.registry import METHODS

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[2] / "runs" / "walk"
SIZES = [(width, theme) for width in (1440, 1024, 390) for theme in ("light", "dark")]
WHOLE = {(1440, "light"), (390, "dark")}  # where every method is looked at; elsewhere three
FEW = ("summary-respec-strict", "summary-rasd", "story-diffuspec")
OTHERS = {
    "replay?play=0&trace=story-sam": ".rs-panel-tree .rs-tree",
    "compare?traces=copy-code-sam,copy-code-respec": ".rs-panel-trees .rs-tree",
    "learn?lesson=guess": ".rs-player .rs-token",
    "lab?method=pld&max_new_tokens=24": ".rs-panel-lab-curve .main-svg",
}
READY = ".rs-dot[data-state=ready]"
DRAWN = """(id) => {
  const panel = document.querySelector(`[data-panel='${id}']`);
  return panel?.checkVisibility() && (panel.querySelector("svg, table") || panel.textContent.length > 60);
}"""
IN_SIGHT = """(ready) => {
  document.querySelector(ready.split(" ")[0])?.scrollIntoView();
  return document.querySelector(ready);
}"""
UNFOLDED = "document.querySelectorAll('details').forEach((d) => { d.open = true })"
CUT = """[...document.querySelectorAll('.rs button, .rs select, .rs h2')].filter((e) => e.offsetParent)
  .filter((e) => { const b = e.getBoundingClientRect(); return b.right > innerWidth + 1 || b.left < -1 })
  .map((e) => e.textContent || e.id)"""
SURFACE = "getComputedStyle(document.querySelector('.rs-panel')).backgroundColor"


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
def test_every_panel_of_every_method_has_something_and_fits(
    server: str, visit, axe: str, width: int, theme: str
) -> None:
    page = visit(f"{server}/?play=0&round=4&__theme={theme}", width=width, dark=theme == "dark").page
    page.wait_for_selector(READY, state="attached")
    assert page.evaluate(CUT) == []
    page.evaluate(UNFOLDED)
    page.wait_for_timeout(400)  # the change of colours
    assert grave(page, axe) == []
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
                assert grave(page, axe, f"[data-panel='{panel}']") == [], name
            seen.add(panel)
    assert len(seen) > (14 if (width, theme) in WHOLE else 8), seen


@pytest.mark.parametrize(("width", "theme"), SIZES)
def test_every_other_page_opens_and_fits_and_its_form_makes_way(
    server: str, visit, axe: str, width: int, theme: str
) -> None:
    page = visit(f"{server}/replay?play=0&__theme={theme}", width=width, dark=theme == "dark").page
    for address, ready in OTHERS.items():
        name = address.partition("?")[0]
        page.goto(f"{server}/{address}&__theme={theme}")
        page.wait_for_function(
            IN_SIGHT, arg=ready, polling=100
        )  # on a phone it may lie below, and is drawn when it is seen
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_selector(READY, state="attached")
        assert fits(page, width), address
        kept(page, f"{name}-{width}-{theme}")
        page.evaluate(UNFOLDED)
        page.wait_for_timeout(400)  # the change of colours
        assert grave(page, axe) == [], address
        if name != "lab":  # whose knob's name may be long
            assert page.evaluate(CUT) == [], address
        assert (page.evaluate(SURFACE) == "rgb(255, 255, 255)") is (theme == "light")
        for table in page.locator("button:text-is('Table') >> visible=true").all():
            table.click()
        if page.locator(".rs-panel-table >> visible=true").count():
            assert grave(page, axe, ".rs-panel-table:not([hidden])") == [], address
        if name in ("compare", "lab"):
            form_makes_way(page, axe, width)
    page.click("#rs-shelf-open")
    page.wait_for_selector(".rs-shelf-rows > li")
    assert grave(page, axe, ".rs-shelf") == []


def form_makes_way(page, axe: str, width: int) -> None:
    """It folds to a strip; on a phone it is a sheet from below, of which the strip stays."""
    method, fold, side = "select[id$=method] >> nth=0", page.locator(".rs-fold"), page.locator(".rs-form-side")
    if width == 390:
        assert not page.is_visible(method)
        strip = side.bounding_box()
        assert strip["y"] > 700 and strip["y"] + strip["height"] <= 901
        fold.click()
        page.locator(method).wait_for()
        assert grave(page, axe, ".rs-form-side") == []
        page.keyboard.press("Escape")
        page.locator(method).wait_for(state="hidden")
    else:
        assert page.is_visible(method)
        fold.click()
        page.locator(method).wait_for(state="hidden")
        assert side.bounding_box()["width"] < 60
        fold.click()
        page.locator(method).wait_for()
