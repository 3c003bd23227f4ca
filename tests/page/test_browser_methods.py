"""Fusion, lattice, length and calibration in a browser: shown where there is something, readable, and only text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hostile import ATTACKS

from app.messages import Packer, whole
from app.saved_page import page_with
from respec_core.engine.decoding import Request
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace
from respec_core.trace.schema import Run

pytestmark = pytest.mark.browser

PROMPT = (5, 6, 7, 8, 9, 10, 5, 6, 7)
SERVER_CALLS = re.compile("component_server")
PANELS = ("fusion", "lattice", "adl", "calibration")
SHOWN = {
    "rasd": {"fusion", "calibration"},
    "eagle2": {"calibration"},
    "diffuspec": {"lattice", "adl", "calibration"},
    "pld": {"calibration"},
    "vanilla": set(),
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
    return complete(Request(find_method(method).configure({"budget": "own", "max_new_tokens": 16}), PROMPT), models)


def page_of(run: Run, folder: Path) -> str:
    path = folder / f"{run.method}.html"
    path.write_text(page_with(Packer("x").pack([whole(run)])), encoding="utf-8")
    return path.as_uri()


def first_round_with(run: Run, panel: str) -> int:
    has = {
        "fusion": lambda s: s.trees.retrieval is not None,
        "lattice": lambda s: s.record(Lattice) is not None,
    }.get(panel, lambda s: True)
    return next(i for i, step in enumerate(run.steps) if has(step))


def go(page, rounds: int) -> None:
    page.keyboard.press("Home")
    for _ in range(rounds):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"document.querySelector('.rs-round-label').textContent.startsWith('Round {rounds + 1} ')")
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


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
        page.click(f"[data-tab={panel}]")
        page.locator(f".rs-panel-{panel}").scroll_into_view_if_needed()
        page.wait_for_selector(f".rs-panel-{panel} :is(.main-svg, .rs-tree) >> visible=true")
        drawn = page.locator(f".rs-panel-{panel} :is([role=img], [role=tree])[aria-label] >> visible=true")
        assert drawn.first.get_attribute("aria-label")
        page.locator(f".rs-panel-{panel} button:text-is('Table') >> visible=true").first.click()
        assert page.locator(f".rs-panel-{panel} .rs-table tbody tr >> visible=true").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("method", ["rasd", "diffuspec"])
def test_hostile_text_stays_text(method: str, tiny_models: Models, tmp_path: Path, visit) -> None:
    attacks = iter(ATTACKS * 10_000)
    run = parse_trace(hostile(run_of(method, tiny_models).model_dump(mode="json"), attacks))
    page = visit(page_of(run, tmp_path)).page
    panel = "fusion" if method == "rasd" else "lattice"
    go(page, first_round_with(run, panel))
    page.click(f"[data-tab={panel}]")
    page.locator(f".rs-panel-{panel}").scroll_into_view_if_needed()
    page.wait_for_selector(f".rs-panel-{panel} :is(.main-svg, .rs-tree) >> visible=true")
    for _ in range(2):
        go(page, first_round_with(run, panel))
        page.mouse.move(1, 1)
        for point in page.locator(".rs-panel-fusion .rs-tree-node, .rs-panel-lattice .textpoint").all()[:6]:
            if point.is_visible():
                point.hover(force=True)
        for button in page.locator("button:text-is('Table')").all():
            if button.is_visible():
                button.click()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".rs img, .rs a[href^='javascript'], .rs iframe, .rs script, .rs [onerror]").count() == 0


def lattice_run(models: Models, **values) -> Run:
    config = find_method("diffuspec").configure(
        {"budget": "own", "max_new_tokens": 16, "beam": 3, "proxy": "ngram"} | values
    )
    return complete(Request(config, PROMPT), models)


def opened(run: Run, server: str, folder: Path, visit, width: int = 1440):
    """The served page with ``run`` opened at its first round with a lattice."""
    page = visit(f"{server}/?play=0", width=width).page
    path = folder / "trace.json"
    path.write_text(run.to_json(), encoding="utf-8")
    page.set_input_files(".rs-live input[type=file]", str(path))
    page.wait_for_function("document.querySelector('.rs-made').textContent.includes('trace.json')")
    go(page, first_round_with(run, "lattice"))
    page.click("[data-tab=lattice]")
    page.wait_for_selector(".rs-panel-lattice .main-svg >> visible=true")
    return page


def move(page, sign: str, value: float) -> None:
    slider = page.locator(f".rs-what-if input[aria-label^='{sign}:']")
    slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", str(value))


@pytest.mark.parametrize("width", [1440, 390])
def test_the_lattice_has_three_views(width: int, tiny_models: Models, tmp_path: Path, visit) -> None:
    run = lattice_run(tiny_models)
    page = visit(page_of(run, tmp_path), width=width).page
    go(page, first_round_with(run, "lattice"))
    page.click("[data-tab=lattice]")
    panel = page.locator(".rs-panel-lattice")
    for name, mark in (("trellis", "text.so.far"), ("mass", "τ = 80%"), ("map", "candidate.rank")):
        button = panel.locator(f"[data-view={name}]")
        button.focus()
        page.keyboard.press("Enter")
        assert button.get_attribute("aria-pressed") == "true"
        assert panel.locator("[aria-pressed=true][data-view]").count() == 1
        assert panel.get_attribute("data-view") == name
        page.wait_for_function(
            f"/{mark}/.test(document.querySelector('.rs-panel-lattice .js-plotly-plot')?.textContent)"
        )
    move(page, "B", 1)  # a saved page searches by itself
    page.wait_for_selector(".rs-what-if-mark")
    assert "The search chooses" in panel.locator(".rs-what-if-sentence").inner_text()
    assert panel.locator("[role=img]").get_attribute("aria-label").startswith("The search chooses")
    page.click("text=As recorded")
    panel.locator("button:text-is('Table')").click()
    head = panel.locator(".rs-table th").all_inner_texts()
    assert head[3:6] == ["probability", "mass so far", "M"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1440, 390])
def test_a_slider_searches_the_lattice_again(
    width: int, tiny_models: Models, server: str, tmp_path: Path, visit
) -> None:
    page = opened(lattice_run(tiny_models), server, tmp_path, visit, width)
    panel = page.locator(".rs-panel-lattice")
    recorded = panel.locator(".rs-method-line").inner_text()
    move(page, "B", 1)
    page.wait_for_selector(".rs-what-if-mark")
    assert "B = 1" in panel.locator(".rs-method-line").inner_text()
    assert "The search chooses" in panel.locator(".rs-what-if-sentence").inner_text()
    assert panel.locator("[role=img]").get_attribute("aria-label").startswith("The search chooses")
    label = page.inner_text(".rs-round-label")
    panel.locator(".rs-what-if input").first.focus()
    page.keyboard.press("ArrowLeft")  # moves the slider
    assert page.inner_text(".rs-round-label") == label
    page.wait_for_function(
        "document.querySelector('.rs-panel-lattice .rs-method-line').textContent.includes('λ = 0.45')"
    )
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")  # the next round: the wishes stay
    page.wait_for_function(f"document.querySelector('.rs-round-label').textContent !== {label!r}")
    page.wait_for_selector(".rs-panel-lattice .rs-what-if-mark")
    page.keyboard.press("ArrowLeft")
    page.click("text=As recorded")
    assert panel.locator(".rs-what-if-mark").count() == 0
    assert panel.locator(".rs-method-line").inner_text() == recorded
    assert panel.locator(".rs-what-if-reset").is_disabled()


def test_an_answer_to_an_older_wish_is_dropped(tiny_models: Models, server: str, tmp_path: Path, visit) -> None:
    page = opened(lattice_run(tiny_models, proxy="corpus"), server, tmp_path, visit)  # the others need no server
    held = []
    page.route(SERVER_CALLS, lambda route: route.continue_() if held else held.append(route))
    move(page, "B", 1)
    while not held:
        page.wait_for_timeout(20)
    move(page, "B", 2)
    page.wait_for_selector(".rs-what-if-mark")
    with page.expect_response(SERVER_CALLS):
        held[0].continue_()
    page.wait_for_timeout(200)
    page.locator(".rs-panel-lattice button:text-is('Table')").click()
    beams = page.locator(".rs-panel-lattice .rs-table td:last-child").all_inner_texts()
    assert any("2" in beam for beam in beams)


def test_a_saved_page_says_where_its_search_is_not_exact(tiny_models: Models, tmp_path: Path, visit) -> None:
    run = lattice_run(tiny_models, proxy="corpus")
    page = visit(page_of(run, tmp_path)).page
    go(page, first_round_with(run, "lattice"))
    page.click("[data-tab=lattice]")
    page.wait_for_function("/Not exact/.test(document.querySelector('.rs-what-if-sentence').textContent)")
    move(page, "τ", 0.2)
    page.wait_for_selector(".rs-what-if-mark")
    assert "Not exact: only this run's n-grams were counted" in page.inner_text(".rs-what-if-sentence")


def test_a_proxy_of_logits_has_no_sliders(tiny_models: Models, server: str, tmp_path: Path, visit) -> None:
    page = opened(lattice_run(tiny_models, proxy="recycling"), server, tmp_path, visit)
    assert "target's own logits" in page.inner_text(".rs-what-if-sentence")
    assert page.locator(".rs-what-if-controls").is_hidden()


def test_refinement_passes_are_stepped_through(tiny_models: Models, tmp_path: Path, visit) -> None:
    run = lattice_run(tiny_models, passes=3)
    at = first_round_with(run, "lattice")
    lattice = run.steps[at].record(Lattice)
    assert lattice is not None and len(lattice.passes) > 1
    page = visit(page_of(run, tmp_path)).page
    go(page, at)
    page.click("[data-tab=lattice]")
    slider = page.locator(".rs-lattice-passes input")
    slider.evaluate("e => { e.value = 0; e.dispatchEvent(new Event('input')); }")
    assert page.inner_text(".rs-panel-lattice .rs-method-line").startswith(f"Pass 1 of {len(lattice.passes)} decided")
    page.wait_for_function("document.querySelectorAll('.rs-panel-lattice .shapelayer path').length > 0")
    slider.focus()
    for _ in lattice.passes:
        page.keyboard.press("ArrowRight")
    assert page.inner_text(".rs-lattice-pass-label") == "searched"
    page.click(".rs-panel-lattice [data-view=mass]")
    assert page.locator(".rs-lattice-passes").is_hidden()
