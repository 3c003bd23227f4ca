"""The stage of a room: sizes of type, pace, pauses, keys, and that nothing stale stays."""

from __future__ import annotations

from typing import Any

import pytest
from access import grave

pytestmark = pytest.mark.browser

SMALL = """() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), small = [], seen = { tree: 0, other: 0 };
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.matches("script, style")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (getComputedStyle(element).clip !== "auto") continue; // for screen readers alone
    const kind = element.closest(".rs-tree") ? "tree" : "other";
    const size = parseFloat(getComputedStyle(element).fontSize) * element.currentCSSZoom;
    seen[kind] += 1;
    if (size < { tree: 18, other: 24 }[kind]) small.push([element.getAttribute("class"), node.textContent, size]);
  }
  return { small, seen };
}"""


def on_stage(visit: Any, server: str, query: str = "trace=summary-respec-strict&play=0&round=1", **options: Any) -> Any:
    page = visit(f"{server}/?{query}", **options).page
    page.wait_for_selector(".rs-tree")
    page.locator(".rs-bar h1").click()
    page.keyboard.press("f")
    page.wait_for_selector("[data-size=full] .rs-stage-number:not(:empty)")
    return page


def test_type_is_readable_from_the_back_of_a_room(server: str, visit: Any) -> None:
    page = on_stage(visit, server, width=1920, height=1080)
    page.wait_for_selector(".rs-tree-label")
    found = page.evaluate(SMALL)
    assert found["small"] == [] and found["seen"]["tree"] > 5 and found["seen"]["other"] > 10, found
    for hidden in ("#rs-header", "#rs-controls", ".rs-tabs", ".rs-panel-metrics", ".rs-bar"):
        assert not page.locator(hidden).is_visible(), hidden
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [
        1920,
        1080,
    ]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # a copy longer than the screen: its end is shown
    page.wait_for_function(
        "(() => { const e = document.querySelector('.rs-tree-scroll');"
        " return e.scrollWidth > e.clientWidth && e.scrollLeft + e.clientWidth >= e.scrollWidth - 2 })()"
    )
    page.keyboard.press("f")
    assert page.locator("#rs-header").is_visible() and not page.locator(".rs-stage").is_visible()
    assert page.evaluate("document.activeElement.closest('.rs-scrubber') !== null")  # keys go on


def test_it_plays_at_a_pace_and_pauses_where_it_gets_interesting(server: str, visit: Any) -> None:
    page = on_stage(visit, server)
    page.select_option(".rs-stage select", "500")
    page.locator(".rs-stage-said").click()
    page.keyboard.press("Space")
    page.wait_for_function("!document.querySelector('.rs-stage-at').textContent.startsWith('Round 1 ')")
    page.wait_for_selector(".rs-stage [aria-label='Play (space)']")
    at = page.text_content(".rs-stage-at")
    assert not at.startswith("Round 1 ") and page.text_content(".rs-stage-why").startswith("The longest copy")
    page.uncheck(".rs-stage input")
    page.select_option(".rs-stage select", "true")
    page.locator(".rs-stage-said").click()
    page.keyboard.press("Space")
    page.wait_for_function("t => document.querySelector('.rs-stage-at').textContent !== t", arg=at)
    page.wait_for_function("/Round (\\d+) of \\1$/.test(document.querySelector('.rs-stage-at').textContent)")
    page.wait_for_function("document.querySelector('.rs-stage-note').textContent.includes('whole run')")
    assert page.text_content(".rs-stage-unit") == "× plain"


def test_arrows_step_there_and_the_numbers_are_those_of_the_round(server: str, visit: Any) -> None:
    page = on_stage(visit, server)
    first = page.text_content(".rs-stage-said")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.rs-stage-at').textContent.startsWith('Round 2 ')")
    assert page.text_content(".rs-stage-said") != first
    assert not page.locator(".rs-token").last.is_visible()  # what is not written yet is not on the stage
    page.keyboard.press("f")
    assert page.text_content(".rs-round-label").startswith("Round 2 ")
    assert page.locator(".rs-token").last.is_visible()


def test_a_lossy_run_s_number_is_muted_and_says_so(server: str, visit: Any) -> None:
    page = on_stage(visit, server, "trace=copy-code-respec&play=0&round=3")
    assert page.locator(".rs-stage-number.is-muted").count() == 1
    assert "not representative" in page.text_content(".rs-stage-note")


def test_a_run_that_begins_empties_the_stage(slow_server: str, visit: Any) -> None:
    seen = visit(
        f"{slow_server}/?trace=story-sam&play=0&prompt=one+two&method=vanilla&max_new_tokens=300&ignore_eos=true"
    )
    page = seen.page
    seen.until("document.querySelector('#rs-run')?.textContent === 'Run'")
    page.click("#rs-run")
    page.locator(".rs-bar h1").click()
    page.keyboard.press("f")
    page.wait_for_selector("[data-size=full]")
    assert "lighthouse" not in page.inner_text(".rs-live")
    seen.until("document.querySelectorAll('.rs-token').length > 5")
    assert page.text_content(".rs-stage-unit") == "tokens per pass"
    page.keyboard.press("f")
    page.click("#rs-stop")
    seen.until_idle()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_stage_has_no_serious_finding(server: str, visit: Any, axe: str, theme: str) -> None:
    page = on_stage(visit, server, f"trace=copy-code-respec&play=0&round=3&__theme={theme}", dark=theme == "dark")
    assert grave(page, axe) == []
