"""What a model or a file may write stays text: nothing of it runs, in the page or in a saved one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile import ATTACKS, hostile_trace
from small_trace import small

from app.messages import Packer, whole
from app.saved_page import page_with
from respec_core.methods.traces import parse_trace

pytestmark = pytest.mark.browser

FOREIGN = ".rs img, .rs a[href^='javascript'], .rs iframe, .rs script, .rs [onerror]"


def walk_everything(page) -> None:
    """Show every panel, round, card and table there is."""
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "1", "2", "3", "4", "End"):
        page.keyboard.press(key)
    for token in page.locator(".rs-token").all()[:20]:
        token.hover()
    for button in page.locator("button:text-is('Table')").all():
        if button.is_visible():
            button.click()
    page.wait_for_timeout(300)


def assert_inert(page) -> None:
    """No attack ran, and none became an element."""
    assert page.evaluate("window.pwned") is None
    assert page.locator(FOREIGN).count() == 0


def test_hostile_trace_is_only_text(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    files = [{"name": "<b>x</b>.json", "mimeType": "application/json", "buffer": json.dumps(hostile_trace()).encode()}]
    page.set_input_files(".rs-live input[type=file]", files)
    page.wait_for_function("document.querySelector('.rs-made').textContent.includes('<img')")
    walk_everything(page)
    assert_inert(page)
    shown = page.inner_text(".rs-tokens")
    for attack in ATTACKS[:5]:
        assert attack in shown
    tree = page.text_content(".rs-panel-tree .rs-tree")
    assert "{{7*" in tree


def test_hostile_prompt_runs_as_text(server: str, visit) -> None:
    seen = visit(f"{server}/?play=0&method=pld")
    seen.until("!document.querySelector('#rs-run').disabled")
    seen.page.fill("#rs-prompt", " ".join(ATTACKS))
    seen.page.click("#rs-run")
    seen.until("document.querySelector('.rs-prompt').textContent.includes('{{7*7}}')")
    seen.until_idle()
    walk_everything(seen.page)
    assert_inert(seen.page)


def test_saved_page_plays_a_hostile_trace_without_server_or_network(tmp_path: Path, visit) -> None:
    run = parse_trace(hostile_trace())
    file = tmp_path / "run.html"
    file.write_text(page_with(Packer("saved").pack([whole(run)])), encoding="utf-8")
    page = visit(file.as_uri()).page
    assert page.locator(".rs-token").count() == len(run.tokens)
    page.locator(".rs-panel-entropy").scroll_into_view_if_needed()
    page.wait_for_selector(".rs-panel-entropy .js-plotly-plot .main-svg")
    scopes = page.evaluate("async () => [typeof (await import('studio/dom.js')).fill, typeof fill]")
    assert scopes == ["function", "undefined"]  # every module keeps its own
    walk_everything(page)
    assert_inert(page)


def test_page_saved_from_the_app_opens_by_itself(server: str, visit, tmp_path: Path) -> None:
    page = visit(f"{server}/?play=0").page
    with page.expect_download() as download:
        page.click("text=Save page")
    file = tmp_path / "saved.html"
    download.value.save_as(file)
    again = visit(file.as_uri()).page
    assert again.inner_text(".rs-tokens") == page.inner_text(".rs-tokens")
    again.click("[data-tab=calibration]")
    again.wait_for_selector(".rs-panel-calibration >> visible=true")
    again.keyboard.press("Home")
    assert again.inner_text(".rs-round-label").startswith("Round 1 ")


def test_saved_trace_opens_again(server: str, visit, tmp_path: Path) -> None:
    page = visit(f"{server}/?play=0").page
    with page.expect_download() as download:
        page.click("text=Save trace")
    file = tmp_path / "trace.json"
    download.value.save_as(file)
    run = parse_trace(file.read_bytes())
    page.set_input_files(".rs-live input[type=file]", str(file))
    page.wait_for_function("document.querySelector('.rs-made').textContent.includes('trace.json')")
    assert page.locator(".rs-token").count() == len(run.tokens)


def test_a_refusal_quotes_hostile_names_as_text(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    trace = hostile_trace() | {"<img src=x onerror=window.pwned=6>": 1}
    files = [{"name": "x.json", "mimeType": "application/json", "buffer": json.dumps(trace).encode()}]
    page.set_input_files(".rs-live input[type=file]", files)
    page.wait_for_function("document.querySelector('.rs-notice').textContent.includes('malformed at <img')")
    page.wait_for_selector(".toast-body")
    page.wait_for_timeout(400)
    assert page.evaluate("window.pwned") is None
    assert page.locator(".toast-body img[onerror]").count() == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not JSON"),
        ("{}", "not a trace"),
        ('{"schema_version": 7}', "schema version 7"),
        (json.dumps(small()).replace('"parent": -1', '"parent": 0'), "the first node is the root"),
        (json.dumps(small()).replace('"prompt_text": "a"', '"prompt_text": "\\ud800"'), "the text is not Unicode"),
    ],
    ids=["cut", "empty", "version", "cycle", "surrogate"],
)
def test_a_file_that_is_no_trace_is_refused_in_one_sentence(server: str, visit, text: str, sentence: str) -> None:
    seen = visit(f"{server}/?play=0")
    page, before = seen.page, seen.tokens()
    files = [{"name": "x.json", "mimeType": "application/json", "buffer": text.encode()}]
    page.set_input_files(".rs-live input[type=file]", files)
    page.wait_for_function(f"document.querySelector('.rs-notice').textContent.includes('{sentence}')")
    assert page.locator(".rs-token").count() == before  # what was shown stays
