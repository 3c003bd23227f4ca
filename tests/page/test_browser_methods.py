"""Fusion, lattice, length and calibration in a browser: shown where there is something, readable, and only text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile import ATTACKS

from app.messages import Packer, whole
from app.replay import replay_page
from respec_core.decoding import Request, complete
from respec_core.methods import find_method
from respec_core.models import Models
from respec_core.trace import Run, parse_trace

pytestmark = pytest.mark.browser

PROMPT = (5, 6, 7, 8, 9, 10, 5, 6, 7)
PANELS = ("fusion", "lattice", "adl", "calibration")
SHOWN = {
    "rasd": {"fusion", "calibration"},
    "eagle2": {"calibration"},
    "diffuspec": {"lattice", "adl", "calibration"},
    "pld": set(),
}


def hostile(value, attacks):
    """A trace's object with every text a model wrote replaced by an attack."""
    if isinstance(value, list):
        return [hostile(item, attacks) for item in value]
    if isinstance(value, dict):
        words = ("text", "piece", "snippet", "continuation", "why", "reason")
        return {
            k: next(attacks) if k in words and isinstance(v, str) else hostile(v, attacks) for k, v in value.items()
        }
    return value


def run_of(method: str, models: Models) -> Run:
    return complete(Request(find_method(method).configure({"max_new_tokens": 16}), PROMPT), models)


def page_of(run: Run, folder: Path) -> str:
    path = folder / f"{run.method}.html"
    path.write_text(replay_page(Packer("x").pack([whole(run)])), encoding="utf-8")
    return path.as_uri()


def first_round_with(run: Run, panel: str) -> int:
    has = {
        "fusion": lambda s: s.trees.retrieval is not None,
        "lattice": lambda s: s.lattice is not None,
    }.get(panel, lambda s: True)
    return next(i for i, step in enumerate(run.steps) if has(step))


def go(page, rounds: int) -> None:
    page.keyboard.press("Home")
    for _ in range(rounds):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)


@pytest.mark.parametrize("method", SHOWN)
@pytest.mark.parametrize("width", [1440, 390])
def test_a_panel_is_there_when_its_method_fills_it(
    method: str, width: int, tiny_models: Models, tmp_path: Path, visit
) -> None:
    run = run_of(method, tiny_models)
    page = visit(page_of(run, tmp_path), width=width, dark=width < 900).page
    for panel in PANELS:
        if panel not in SHOWN[method]:
            assert not page.locator(f".rs-panel-{panel}").is_visible()
            assert page.locator(f"[data-tab={panel}]").get_attribute("hidden") is not None
            continue
        go(page, first_round_with(run, panel))
        if width < 900:
            page.click(f"[data-tab={panel}]")
        page.wait_for_selector(f".rs-panel-{panel} .main-svg >> visible=true")
        assert page.locator(f".rs-panel-{panel} [role=img][aria-label]").first.get_attribute("aria-label")
        page.locator(f".rs-panel-{panel} button:text-is('Table')").first.click()
        assert page.locator(f".rs-panel-{panel} .rs-table tbody tr >> visible=true").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("method", ["rasd", "diffuspec"])
def test_hostile_text_stays_text(method: str, tiny_models: Models, tmp_path: Path, visit) -> None:
    attacks = iter(ATTACKS * 10_000)
    run = parse_trace(hostile(run_of(method, tiny_models).model_dump(mode="json"), attacks))
    page = visit(page_of(run, tmp_path)).page
    for _ in range(2):
        go(page, first_round_with(run, "fusion" if method == "rasd" else "lattice"))
        page.mouse.move(1, 1)
        for point in page.locator(".rs-panel-fusion .point, .rs-panel-lattice .textpoint").all()[:6]:
            if point.is_visible():
                point.hover(force=True)
        for button in page.locator("button:text-is('Table')").all():
            if button.is_visible():
                button.click()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".rs img, .rs a[href^='javascript'], .rs iframe, .rs script, .rs [onerror]").count() == 0
