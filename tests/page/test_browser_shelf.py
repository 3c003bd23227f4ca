"""The run shelf and the addresses of runs: nothing is lost by a reload, a step back, another page or another run."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.browser

PROMPT = "prompt=one+two+one+two&max_new_tokens=12&ignore_eos=true"
ROWS = ".rs-shelf-rows > li"


def run(seen: Any, method: str) -> str:
    """A run of the form with this method; its id, once it has an address."""
    page = seen.page
    seen.until("document.querySelector('#rs-run')?.disabled === false")
    before = page.url
    page.select_option("#rs-method", method)
    page.click("#rs-run")
    seen.until_idle()
    page.wait_for_function("before => location.href !== before && location.search.includes('run=')", arg=before)
    return asked(page)["run"][0]


def asked(page: Any) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def shelf(page: Any, count: int) -> Any:
    """The opened drawer, with so many runs."""
    page.click("#rs-shelf-open")
    page.wait_for_selector(".rs-shelf[open]")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === {count}")
    return page.locator(ROWS)


def opened(server: str, visit: Any, method: str = "pld") -> Any:
    return visit(f"{server}/?method={method}&{PROMPT}", wait=False)


def stands(seen: Any, text: str, place: list[str]) -> None:
    """The run's text, and in the address its round and the sixth token: drawn and written one after the other."""
    seen.until(f"document.querySelector('.rs-tokens')?.innerText === {json.dumps(text)}")
    seen.until(f"new URLSearchParams(location.search).get('round') === {json.dumps(place[0])}")
    seen.until("new URLSearchParams(location.search).get('token') === '6'")


def test_a_run_outlasts_a_reload_and_another_run_and_opens_at_its_round(server: str, visit: Any) -> None:
    seen = opened(server, visit)
    page = seen.page
    first = run(seen, "pld")
    text = page.inner_text(".rs-tokens")
    page.locator(".rs-token").nth(5).click()
    seen.until("new URLSearchParams(location.search).get('token') === '6'")
    place = asked(page)["round"]
    page.reload()
    stands(seen, text, place)
    second = run(seen, "vanilla")
    rows = shelf(page, 2)
    assert [rows.nth(i).get_attribute("data-run") for i in range(2)] == [second, first]
    rows.nth(0).get_by_text("1.00 tokens per pass").wait_for()
    rows.nth(1).locator(".rs-shelf-run").click()
    seen.until(f"location.search.includes('{first}')")
    stands(seen, text, place)
    seen.until("!document.querySelector('.rs-shelf')?.checkVisibility()")
    page.go_back()
    seen.until(f"location.search.includes('{second}')")
    page.wait_for_selector(".rs-token")
    assert "Plain" in page.text_content(".rs-run-title h1")


def test_two_runs_are_ticked_and_compared_against_a_baseline(server: str, visit: Any) -> None:
    seen = opened(server, visit)
    page = seen.page
    ids = [run(seen, method) for method in ("vanilla", "pld", "sam")]
    rows = shelf(page, 3)
    rows.nth(2).get_by_text("Pin").click()
    page.wait_for_selector(f"{ROWS}.is-pinned")
    assert rows.get_by_text("× the baseline's tokens per pass").count() == 2
    rows.nth(0).locator("input").check()
    page.wait_for_function("document.querySelector('#rs-shelf-compare').textContent === 'Compare 2 runs'")
    rows.nth(1).locator("input").check()
    page.click("#rs-shelf-compare")
    page.wait_for_selector(".rs-compare-text .rs-token")
    assert page.locator(".rs-compare-text").count() == 3
    assert asked(page)["runs"] == [f"{ids[0]},{ids[2]},{ids[1]}"]
    assert page.input_value("#rs-prompt") == "one two one two"
    page.reload()
    page.wait_for_selector(".rs-compare-text .rs-token")
    assert page.locator(".rs-compare-text").count() == 3
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); history.replaceState(null, '') }")
    page.reload()  # as in a browser that has the runs and no form
    page.wait_for_selector(".rs-compare-text .rs-token")
    assert page.input_value("#rs-prompt") == "one two one two"
    shelf(page, 3).nth(0).locator(".rs-shelf-run").click()
    page.wait_for_selector(".rs-live .rs-token")
    assert asked(page)["run"] == [ids[2]]
    other_prompts_cannot_be_ticked_beside_and_all_can_be_deleted(seen)


def other_prompts_cannot_be_ticked_beside_and_all_can_be_deleted(seen: Any) -> None:
    page = seen.page
    page.fill("#rs-prompt", "three four")
    run(seen, "pld")
    rows = shelf(page, 4)
    rows.nth(0).locator("input").check()
    assert rows.nth(1).locator("input").is_disabled()
    assert page.locator("#rs-shelf-compare").is_disabled()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_text("Delete all").click()
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 0")


def test_recorded_runs_are_rows_and_rows_can_be_deleted_by_key(server: str, visit: Any) -> None:
    seen = visit(f"{server}/?trace=story-sam&round=3")
    page = seen.page
    page.wait_for_selector(".rs-live .rs-token")
    page.wait_for_function("document.querySelector('#rs-shelf-open').textContent === 'Runs (1)'")
    page.focus("#rs-shelf-open")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rs-shelf[open]")
    assert "Open story: SAM-Decoding abstains" in page.inner_text(ROWS)
    page.get_by_label("Delete Open story: SAM-Decoding abstains").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 0")
    page.keyboard.press("Escape")
    assert not page.locator(".rs-shelf").is_visible()
    assert page.evaluate("document.activeElement.id") == "rs-shelf-open"


def test_the_form_goes_along_between_the_pages(server: str, visit: Any) -> None:
    seen = visit(f"{server}/?play=1")
    page = seen.page
    page.fill("#rs-prompt", "five six seven")
    page.select_option("#rs-method", "pld")
    page.click("nav >> text=Compare")
    page.wait_for_function("document.querySelector('#rs-prompt')?.value === 'five six seven'")
    assert page.input_value("#rs-a-method") == "pld"
    assert page.locator(".rs-compare-text").count() == 0  # never another prompt's runs beside it
    page.select_option("#rs-a-method", "sam")
    page.select_option("#rs-b-method", "vanilla")
    page.fill("#rs-prompt", "eight nine")
    page.reload()
    page.wait_for_function("document.querySelector('#rs-prompt')?.value === 'eight nine'")
    assert [page.input_value(f"#rs-{lane}-method") for lane in "ab"] == ["sam", "vanilla"]
    page.click("nav >> text=Live")
    page.wait_for_function("document.querySelector('#rs-prompt')?.value === 'eight nine'")
    assert page.input_value("#rs-method") == "sam"


def test_runs_of_a_comparison_are_kept_too(server: str, visit: Any) -> None:
    lanes = "a=vanilla&b=pld&a.max_new_tokens=8&b.max_new_tokens=8"
    seen = visit(f"{server}/compare?prompt=one+two&{lanes}", wait=False)
    page = seen.page
    seen.until("document.querySelector('#rs-compare-run')?.textContent === 'Compare'")
    page.click("#rs-compare-run")
    page.wait_for_selector(".rs-compare-text .rs-token")
    rows = shelf(page, 2)
    assert "prompt lookup" in rows.nth(0).inner_text().lower()
    rows.nth(0).get_by_text("3 repeats").wait_for()
    rows.nth(1).locator(".rs-shelf-run").click()
    page.wait_for_selector(".rs-live .rs-token")
    assert "Plain" in page.text_content(".rs-run-title h1")


def test_a_run_that_is_gone_is_said(server: str, visit: Any) -> None:
    page = visit(f"{server}/?run=nothing").page
    page.wait_for_selector(".rs-token")
    page.wait_for_function("document.querySelector('.rs-notice')?.textContent.includes('not on this browser')")
    page = visit(f"{server}/compare?runs=nothing,less").page
    page.wait_for_function("document.querySelector('.rs-notice.is-error')?.textContent.includes('on this browser')")
