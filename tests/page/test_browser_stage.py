"""Live's stage: the run on one screen, everything else in one place of one height, nothing moves under the reader."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

STAGED = (".rs-scrubber", ".rs-panel-text", ".rs-panel-tree", ".rs-panel-metrics", ".rs-panel-why", ".rs-tabs")
RUN = "#rs-run"
SHIFT = """
window.moved = [];
const name = ({ node }) => node?.id || node?.className || node?.parentElement?.className;
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value, sources } of list.getEntries())
    if (!hadRecentInput) window.moved.push([value, sources.map(name).join(", ")]);
}).observe({ type: "layout-shift", buffered: true });
"""
ENDED = """() => {
  const live = document.querySelector(".rs-live");
  const look = () => { if (live.dataset.state === "idle") window.ended = true; };
  new MutationObserver(look).observe(live, { attributeFilter: ["data-state"] });
}"""


def edges(page: Any, selector: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the first such element on the screen."""
    box = page.locator(selector).first.bounding_box()
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


@pytest.mark.parametrize("trace", ["summary-respec-strict", "story-diffuspec", "copy-code-sam"])
def test_text_tree_reason_and_numbers_fill_one_screen(server: str, visit, trace: str) -> None:
    page = visit(f"{server}/?play=0&trace={trace}").page
    page.wait_for_selector(".rs-tree")
    for selector in STAGED:
        assert edges(page, selector)[3] <= 900, selector
    assert edges(page, ".rs-panel-tree")[3] - edges(page, ".rs-panel-text")[1] > 500  # and it is used
    assert page.evaluate("scrollY") == 0


def test_a_small_frame_shows_the_run(server: str, visit) -> None:
    page = visit(f"{server}/?play=0", width=800, height=600).page
    assert edges(page, ".rs-run-title")[1] < 200 and edges(page, ".rs-panel-text")[1] < 300
    assert page.evaluate("document.documentElement.scrollWidth") <= 800


def test_on_a_phone_run_brings_the_run_into_sight(slow_server: str, visit) -> None:
    seen = visit(
        f"{slow_server}/?play=0&method=vanilla&max_new_tokens=60&ignore_eos=true&prompt=x", width=390, height=844
    )
    seen.until(f"document.querySelector('{RUN}')?.disabled === false")
    seen.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    seen.page.click(RUN)
    seen.until("document.querySelectorAll('.rs-token').length > 5")
    seen.until("Math.abs(document.querySelector('.rs-live').getBoundingClientRect().top) < innerHeight / 2")
    sheet = edges(seen.page, "#rs-side")[1]
    assert 0 <= edges(seen.page, ".rs-token")[1] < sheet
    seen.until_idle()


def test_the_panels_below_have_one_height(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=summary-respec-strict").page
    page.wait_for_selector(".rs-tree")
    heights = set()
    for tab in page.locator(".rs-tabs [role=tab] >> visible=true").all():
        tab.click()
        for key in ("Home", "ArrowRight", "ArrowRight", "End"):
            page.keyboard.press(key)
            heights.update(
                page.locator(".rs-grid > .rs-tab-panel >> visible=true").evaluate_all(
                    "es => es.map((e) => e.offsetHeight)"
                )
            )
    assert len(heights) == 1


def labels(page: Any) -> list[dict[str, float]]:
    """Boxes of the tree's labels and counts."""
    return page.evaluate(
        "[...document.querySelectorAll('.rs-tree-label, .rs-tree-more rect')].map((e) => e.getBoundingClientRect().toJSON())"
    )


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_in_a_tree_overlaps_and_the_committed_path_is_on_top(server: str, visit, width: int) -> None:
    page = visit(f"{server}/?play=0&trace=summary-rasd", width=width).page
    page.locator(".rs-panel-tree").scroll_into_view_if_needed()
    page.wait_for_selector(".rs-tree")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
        boxes = labels(page)
        for i, one in enumerate(boxes):
            for other in boxes[i + 1 :]:
                apart = one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
                assert apart or one["bottom"] <= other["top"] + 4 or other["bottom"] <= one["top"] + 4
        firm = page.locator(".is-strict_accept, .is-correction, .is-bonus, .is-root, .is-plain")
        places = firm.evaluate_all("es => es.map((e) => e.getAttribute('transform').match(/ (\\d+)/)[1])")
        assert len(set(places)) == 1


def test_the_form_stays_in_sight_while_the_page_is_scrolled(server: str, visit) -> None:
    page = visit(f"{server}/?play=0", width=1440, height=900).page
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function(
        "scrollY > 50 && Math.abs(document.querySelector('#rs-side').getBoundingClientRect().top) < 2"
    )


def test_nothing_moves_while_the_page_loads(server: str, visit, new_page) -> None:
    page = new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(SHIFT)
    page.goto(f"{server}/?play=1")  # the recorded run plays
    page.wait_for_function("/^Round [3-9]/.test(document.querySelector('.rs-round-label')?.textContent)")
    moved = page.evaluate("window.moved")
    assert sum(share for share, _ in moved) < 0.1, moved


def test_nothing_moves_during_a_run(slow_server: str, new_page) -> None:
    page = new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(SHIFT)
    page.goto(f"{slow_server}/?play=0&method=recycling&max_new_tokens=120&ignore_eos=true&prompt=the+hat+that+hat")
    page.wait_for_selector(".rs-live")
    page.wait_for_function(f"document.querySelector('{RUN}')?.disabled === false")
    page.evaluate("window.moved = []")
    page.click(RUN)
    page.wait_for_function("document.querySelectorAll('.rs-token').length >= 120")
    page.wait_for_function("document.querySelector('.rs-live')?.dataset.state === 'idle'")
    moved = page.evaluate("window.moved")
    assert sum(share for share, _ in moved) < 0.1, moved


def test_twenty_runs_leave_nothing_behind(server: str, new_page) -> None:
    page = new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{server}/?play=0&method=pld&max_new_tokens=24&ignore_eos=true&prompt=the+hat+that+hat")
    page.wait_for_selector(".rs-live")
    page.wait_for_function(f"document.querySelector('{RUN}')?.disabled === false")
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def held() -> dict[str, float]:
        devtools.send("HeapProfiler.collectGarbage")
        return {m["name"]: m["value"] for m in devtools.send("Performance.getMetrics")["metrics"]}

    def run(times: int) -> None:
        for _ in range(times):
            page.evaluate("window.ended = false")
            page.click(RUN)
            page.wait_for_function("window.ended")

    page.evaluate(ENDED)
    run(4)
    before = held()
    run(16)
    after = held()
    assert after["JSHeapUsedSize"] < before["JSHeapUsedSize"] * 1.15 + 2**20
    assert after["Nodes"] < before["Nodes"] * 1.1 + 200
    assert after["JSEventListeners"] < before["JSEventListeners"] * 1.1 + 50
