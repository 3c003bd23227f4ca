"""What is there to read before the scripts have run."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from app.first_sight import Sight, html_of
from app.gallery import recording
from app.showcases import OPENING

pytestmark = pytest.mark.browser


def test_the_served_html_has_the_runs_text_before_any_script(server: str, new_page: Any) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{server}/?play=0&trace=story-pld")
    run = recording("story-pld")
    assert page.text_content("#rs-first .rs-first-text") == run.output_text
    assert page.text_content("#rs-first .rs-first-prompt") == run.prompt_text
    assert page.locator("#rs-first .rs-first-text").bounding_box()["height"] > 100  # and it is styled
    page.goto(f"{server}/learn?lesson=trees")
    assert "tree" in page.text_content("#rs-first h1").lower()
    page.goto(f"{server}/?view=embed")
    assert page.locator("#rs-first").count() == 0


def test_it_gives_way_to_the_page_on_every_page(server: str, visit: Any) -> None:
    for path in (
        "/?play=0",
        "/?method=pld&prompt=x",
        "/?run=gone",
        "/compare",
        "/lab?method=pld",
        "/learn?lesson=cost",
    ):
        page = visit(f"{server}{path}", wait=False).page
        page.wait_for_selector("#rs-first", state="detached")


COUNTED = """
  window.frames_asked = 0;
  const frame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (act) => { window.frames_asked += 1; return frame(act); };
"""
AT_REST = """() => {
  const asked = window.frames_asked - (window.asked_before ?? -60);
  window.asked_before = window.frames_asked;
  return asked < 5;
}"""


def test_a_page_at_rest_asks_for_no_frames(server: str, new_page: Any) -> None:
    page = new_page()
    page.add_init_script(COUNTED)
    page.goto(f"{server}/?play=0&trace=story-pld")
    page.wait_for_selector(".rs-token", timeout=60_000)
    page.wait_for_function(
        AT_REST, polling=1000
    )  # Gradio's sign that the page loads takes seconds to come to its own end


def test_what_is_written_has_the_style_of_nothing_else_computed_anew(server: str) -> None:
    css = httpx.get(server).text.partition("</head>")[0]
    assert css.count(":has(") > 3 and "body:has(" not in css
    assert not re.search(r":has\([^)]*:not\(", css), "with it Chromium looks into every :has() for every new element"


def test_who_comes_back_reads_the_last_run_before_the_scripts(server: str, visit: Any) -> None:
    seen = visit(f"{server}/?play=0&method=pld&max_new_tokens=12&ignore_eos=true&prompt=one+two+one")
    page = seen.page
    seen.until("document.querySelector('#rs-run')?.disabled === false")
    page.click("#rs-run")
    seen.until("document.querySelectorAll('.rs-token').length === 12")
    seen.until("localStorage.getItem('respec:last')?.includes('one two one')")
    scripts = "**/assets/**"
    page.route(scripts, lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(f"{server}/")
    assert page.text_content("#rs-first .rs-first-prompt") == "one two one"
    assert len(page.text_content("#rs-first .rs-first-text")) > 3
    page.goto(f"{server}/?trace=story-pld")
    assert page.text_content("#rs-first .rs-first-text") == recording("story-pld").output_text


def test_what_a_model_wrote_is_text_in_the_html(server: str) -> None:
    run = recording(OPENING)
    token = run.tokens[0].model_copy(update={"text": "<img src=x onerror=alert(1)>"})
    html = html_of("", Sight("<b>", "&", "<script>", [token]))
    assert "<img" not in html and "<script>" not in html and "<b>" not in html
    assert httpx.get(f"{server}/?run=x").text.count('class="rs-first-token') == 0  # that run is the browser's own
    assert httpx.get(f"{server}/gradio_api/info").json()["named_endpoints"]  # everything else is passed on
