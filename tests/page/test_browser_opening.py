"""What a newcomer sees first on Live: a story and totals that count along; nothing cut off; long runs with an overview."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CUT = """[...document.querySelectorAll('.rs-bar :is(h1, .rs-paper, .rs-made, .rs-setup-text, .rs-story)')]
  .filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline').map((e) => e.textContent)"""


def test_the_page_opens_on_plain_words_and_totals_count_along(server: str, visit: Any) -> None:
    page = visit(f"{server}/?play=0&round=2").page
    text = page.inner_text(".rs-story")
    assert "guesses ahead" in text and "Blue words were guessed right" in text
    assert page.locator(".rs-story strong").inner_text().endswith("in 2 steps.")
    first = page.locator(".rs-metric-value").first
    note = page.locator(".rs-metric-note").first
    assert note.inner_text().startswith("so far, ") and "in 2 passes" in note.inner_text()
    early = first.inner_text()
    page.keyboard.press("ArrowRight")
    assert "in 3 steps." in page.inner_text(".rs-story strong")
    page.keyboard.press("End")
    assert "so far" not in note.inner_text() and first.inner_text() != early
    tokens = page.inner_text(".rs-story strong").split()[0]
    assert f"{tokens} tokens in" in note.inner_text()
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"innerWidth === {width}")
        assert page.evaluate(CUT) == [], width
        assert "preset tuned" in page.inner_text(".rs-setup") and "recorded run" in page.inner_text(".rs-made")


def test_a_long_run_has_an_overview_whose_window_follows_the_round(server: str, visit: Any) -> None:
    page = visit(f"{server}/?play=0&method=vanilla&max_new_tokens=200&ignore_eos=true&prompt=x").page
    assert page.inner_text(".rs-story").strip().startswith("Press Run")
    assert not page.is_visible(".rs-panel-entropy .rs-overview")
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    page.click("#rs-run")
    page.wait_for_function("document.querySelectorAll('.rs-token').length === 200")
    page.wait_for_function("document.querySelector('.rs-live').dataset.state === 'idle'")
    page.locator(".rs-panel-entropy").scroll_into_view_if_needed()
    window = page.locator(".rs-panel-entropy .rs-overview-window")
    window.wait_for()
    shown = "document.querySelector('.rs-panel-entropy .rs-plot')._fullLayout.xaxis.range"
    page.wait_for_selector(".rs-panel-entropy .main-svg")
    page.wait_for_function(f"Math.round({shown}[1] - {shown}[0]) === 120")
    assert window.get_attribute("aria-valuetext") == "80 to 200 of 200 tokens"
    page.keyboard.press("Home")
    page.wait_for_function(f"{shown}[0] < 1")
    window.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"Math.round({shown}[0]) === 30")
    page.keyboard.press("ArrowUp")
    page.wait_for_function(f"{shown}[1] - {shown}[0] > 170")
    assert page.inner_text(".rs-round-label").startswith("Round 1 ")


def test_a_drag_in_a_figure_shows_a_part_and_never_what_is_not_there(server: str, visit: Any) -> None:
    page = visit(f"{server}/?play=0").page
    page.locator(".rs-panel-entropy").scroll_into_view_if_needed()
    page.wait_for_selector(".rs-panel-entropy .main-svg")
    box = page.locator(".rs-panel-entropy .nsewdrag").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=4)
    page.mouse.up()
    shown = "document.querySelector('.rs-panel-entropy .rs-plot')._fullLayout.xaxis.range"
    page.wait_for_function(f"{shown}[0] > 10 && {shown}[1] < 100")
    page.locator(".rs-bar h1").click()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.click("[data-tab=retrieval]")
    page.click(".rs-panel-retrieval button:text-is('Table')")  # retrieval has one too
    assert not page.is_visible(".rs-panel-retrieval .rs-retrieval")
    assert "continuation" in page.inner_text(".rs-panel-retrieval .rs-panel-table thead")
    assert page.locator(".rs-panel-retrieval tbody tr >> visible=true").count() >= 1


def test_the_trees_of_fusion_are_whole_and_walked_by_key(server: str, visit: Any) -> None:
    page = visit(f"{server}/?play=0&trace=summary-rasd&round=6").page
    page.click("[data-tab=fusion]")
    page.wait_for_selector(".rs-panel-fusion .rs-tree")
    assert page.locator(".rs-panel-fusion .rs-tree").count() == 3
    cut = """[...document.querySelectorAll('.rs-panel-fusion .rs-tree')].filter((tree) => {
      const edge = tree.getBoundingClientRect().right
      return [...tree.querySelectorAll('text')].some((text) => text.getBoundingClientRect().right > edge + 1)
    }).length"""
    assert page.evaluate(cut) == 0
    page.wait_for_timeout(500)  # until the place has its scroll bars
    page.locator(".rs-fusion-part.is-fused .rs-tree-node").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".rs-panel-tree .rs-tree-node.is-pinned")


def test_who_is_new_is_led_to_the_first_lesson_once(server: str, new_page: Any) -> None:
    page = new_page(newcomer=True)
    page.goto(f"{server}/")
    page.wait_for_url("**/learn?lesson=cost*")
    page.wait_for_selector(".rs-step-body p")
    page.goto(f"{server}/")
    page.wait_for_selector(".rs-live .rs-token")
    for address in ("?play=0", "?trace=story-sam"):
        deep = new_page(newcomer=True)
        deep.goto(f"{server}/{address}")
        deep.wait_for_selector(".rs-live .rs-token")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_gallery_is_filtered_by_method_and_kind_and_opens_a_run(server: str, visit: Any, width: int) -> None:
    page = visit(f"{server}/?play=0", width=width).page
    page.get_by_role("button", name="Recorded runs", exact=True).click()
    gallery = page.get_by_role("dialog", name="Recorded runs")
    everything = gallery.locator("li").count()
    gallery.get_by_label("Method").select_option("sam")
    gallery.get_by_label("Kind of prompt").select_option("Open writing")
    page.wait_for_function(f"document.querySelectorAll('.rs-gallery li').length < {everything}")
    assert "plain" in gallery.locator("li").first.inner_text()
    gallery.locator("[data-recording=story-sam]").click()
    page.wait_for_function("document.querySelector('.rs-run-title h1')?.textContent.includes('SAM')")
    page.locator(".rs-scrubber .rs-play[aria-label^=Pause]").first.click()  # a run that plays has no address yet
    page.wait_for_function("location.search.includes('trace=story-sam')")
    assert not gallery.is_visible()


def test_words_explain_themselves_with_the_numbers_at_hand(server: str, visit: Any) -> None:
    page = visit(f"{server}/?play=0&trace=summary-sam&round=3").page
    for word, says in (
        (".rs-panel-metrics h2 .rs-term", "tokens ÷"),
        (".rs-panel-text h2 .rs-term", "round 3 wrote"),
        (".rs-panel-tree h2 .rs-term", "round 3 sent"),
        (".rs-panel-why h2 .rs-term", "target p"),
        (".rs-panel-why dt .rs-term", "%"),
        (".rs-metric-name", "a pass"),
    ):
        page.locator(word).first.focus()
        note = page.locator(".rs-float:visible .rs-note")
        note.wait_for()
        assert note.locator(".rs-source").inner_text()
        assert "Here: " in note.inner_text(), note.inner_text()
        assert says in note.inner_text() or word == ".rs-metric-name"
