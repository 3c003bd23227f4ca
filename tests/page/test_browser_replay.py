"""Replay: a run that is there, without a form; its address has run and round, and a file takes its place."""

from __future__ import annotations

import pytest

from app.showcases import TRACES

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1440, 390])
def test_a_trace_is_replayed_without_a_form_and_another_opened_in_its_place(server: str, visit, width: int) -> None:
    seen = visit(f"{server}/replay/?play=0&trace=story-pld&round=3", width=width)
    page = seen.page
    seen.until("document.querySelector('.rs-round-label')?.textContent.startsWith('Round 3 ')")
    assert page.locator("nav a[aria-current]").text_content() == "Replay"
    assert page.locator("#rs-run, .rs-use").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_input_files(".rs-actions input[type=file]", TRACES / "story-sam.json")
    seen.until("document.querySelector('.rs-made')?.textContent.includes('story-sam.json')")
    seen.until("location.search.includes('run=')")
    assert page.url.startswith(f"{server}/replay?")
    text = page.inner_text(".rs-tokens")
    page.reload()
    seen.until("document.querySelector('.rs-made')?.textContent.includes('story-sam')")
    assert page.inner_text(".rs-tokens") == text
    page.click("nav >> text=Lab")
    page.wait_for_selector(".rs-lab")
    page.go_back()
    page.wait_for_selector(".rs-live .rs-token")
