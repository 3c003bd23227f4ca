"""Light and dark, wide and narrow: no white blocks, nothing that sticks out, one panel at a time on a phone."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.browser

TREE = ".rs-panel-tree .rs-tree"


def pixels(page) -> np.ndarray:
    """The whole page as brightness, 0 to 255."""
    shot = page.screenshot(full_page=True)
    return np.asarray(Image.open(io.BytesIO(shot)).convert("L")).astype(float)


@pytest.mark.parametrize("width", [1440, 390])
def test_dark_page_has_no_white_block(server: str, visit, width: int) -> None:
    page = visit(f"{server}/?play=0&__theme=dark", width=width, dark=True).page
    page.locator(".rs-panel-tree").scroll_into_view_if_needed()
    page.wait_for_selector(TREE)
    brightness = pixels(page)
    assert (brightness > 200).mean() < 0.03
    assert brightness.mean() < 60


def test_theme_button_recolours_the_drawings(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    page.wait_for_selector(TREE)
    page.locator(".rs-panel-entropy").scroll_into_view_if_needed()
    page.wait_for_selector(".rs-panel-entropy .xtick text")
    ink = "getComputedStyle(document.querySelector('.rs-panel-entropy .xtick text')).fill"
    light = page.evaluate(ink)
    page.click("button[aria-label='Light or dark']")
    page.wait_for_function(f"{ink} !== '{light}'")
    assert pixels(page).mean() < 80


def test_a_panel_is_drawn_when_it_comes_near(server: str, visit) -> None:
    page = visit(f"{server}/?play=0", height=400).page
    page.wait_for_selector(".rs-tokens [data-index]")
    page.wait_for_timeout(300)
    assert page.locator(".main-svg, script[src*=plotly]").count() == 0  # nor is its library there
    page.locator(".rs-panel-entropy").scroll_into_view_if_needed()
    page.wait_for_selector(".rs-panel-entropy .main-svg")


def test_phone_shows_text_before_panels_and_one_panel_at_a_time(server: str, visit) -> None:
    page = visit(f"{server}/?play=0", width=390, height=844).page
    panels = (".rs-panel-tree", ".rs-panel-retrieval", ".rs-panel-entropy", ".rs-panel-timeline", ".rs-panel-metrics")
    visible = [panel for panel in panels if page.locator(panel).is_visible()]
    assert visible == [".rs-panel-tree"]
    page.click("[data-tab=entropy]")
    visible = [panel for panel in panels if page.locator(panel).is_visible()]
    assert visible == [".rs-panel-entropy"]
    page.wait_for_selector(".rs-panel-entropy .main-svg")
    top = {name: page.locator(name).bounding_box()["y"] for name in (".rs-tokens", ".rs-scrubber", panels[2])}
    assert list(top.values()) == sorted(top.values())


def test_on_a_phone_the_form_is_a_sheet_and_run_leaves_the_result_in_sight(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=pld&max_new_tokens=20&ignore_eos=true&prompt=x", width=390, height=844).page
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    assert not page.is_visible("#rs-prompt")
    run = page.locator("#rs-run").bounding_box()
    assert run["y"] > 700 and run["y"] + run["height"] <= 844
    page.click(".rs-fold")
    assert page.is_visible("#rs-prompt") and page.is_visible("#rs-run")
    sheet = page.locator("#rs-side").bounding_box()
    assert sheet["y"] > 100 and sheet["y"] + sheet["height"] <= 845
    page.keyboard.press("Escape")
    assert not page.is_visible("#rs-prompt")
    page.click(".rs-fold")
    page.click("#rs-run")
    page.wait_for_function("document.querySelectorAll('.rs-token').length === 20")
    assert not page.is_visible("#rs-prompt")
    text = page.locator(".rs-token").first.bounding_box()
    assert 0 <= text["y"] < page.locator("#rs-side").bounding_box()["y"]
    page.click(".rs-fold")
    page.fill("#rs-prompt", "")
    page.keyboard.press("Escape")
    page.click("#rs-run")
    assert "Write a prompt first" in page.inner_text("#rs-side")
    assert page.is_visible(".rs-form-message")


def test_the_folded_form_stays_folded(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    wide = page.locator("#rs-main").bounding_box()["width"]
    page.click(".rs-fold")
    assert not page.is_visible("#rs-prompt") and page.get_attribute(".rs-fold", "aria-expanded") == "false"
    assert page.locator("#rs-main").bounding_box()["width"] > wide + 200
    page.goto(f"{server}/compare")
    page.wait_for_selector(".rs-fold")
    assert not page.is_visible("#rs-prompt")
    page.keyboard.press("Tab")
    page.focus(".rs-fold")
    page.keyboard.press("Enter")
    assert page.is_visible("#rs-prompt")


def test_reduced_motion_does_not_play(server: str, new_page) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(f"{server}/?play=1")
    page.wait_for_selector(".rs-token")
    last = "(/Round (\\d+) \\/ \\1$/).test(document.querySelector('.rs-round-label').textContent)"
    page.wait_for_function(last)
    page.wait_for_timeout(900)
    assert page.evaluate(last)


SMALL = """(least) => {
  const found = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement, text = node.textContent.trim();
    if (!text || !element.closest(".rs") || !element.checkVisibility({ visibilityProperty: true })) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    const sentence = element.matches("p, p *") && element.closest("p").textContent.length > 60;
    if (size > 0 && size < (sentence ? least.text : least.all))
      found.set(`${element.closest("[class]").getAttribute("class")} ${size}`, text.slice(0, 40));
  }
  return [...found];
}"""


@pytest.mark.parametrize(
    ("address", "ready"),
    [
        ("?play=0&trace=summary-rasd&round=6", ".rs-panel-tree .rs-tree"),
        ("compare", ".rs-compare-text .rs-token"),
        ("lab?method=pld&max_new_tokens=24", ".rs-panel-lab-curve .main-svg"),
        ("learn?lesson=respec", ".rs-step-body p"),
    ],
)
def test_no_text_is_small(server: str, visit, address: str, ready: str) -> None:
    page = visit(f"{server}/{address}", wait=False).page
    page.wait_for_selector(ready)
    assert page.evaluate(SMALL, {"text": 14, "all": 12}) == []
