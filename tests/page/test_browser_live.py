"""The Live page in a browser: opening, running, stopping, stepping."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.loading import Loader
from app.showcases import OPENING, showcase_run
from respec_core.methods.opening import ModelChoice

pytestmark = pytest.mark.browser

RUN = "#rs-run"
ROUND = ".rs-round-label"


def start(page, prompt: str = "the hat that has that hat that", **settings) -> None:
    """Fill the form and press Run."""
    page.fill("#rs-prompt", prompt)
    for name, value in settings.items():
        page.evaluate("document.querySelectorAll('.rs-controls details').forEach((d) => { d.open = true })")
        page.fill(f"#rs-knob-{name}", str(value))
        page.press(f"#rs-knob-{name}", "Tab")
    page.click(RUN)
    page.wait_for_function("document.querySelector('.rs-live').dataset.state !== 'waiting'")


def test_opens_on_a_recorded_run_while_the_model_loads(serve: Callable[[Loader], str], visit) -> None:
    url = serve(Loader(ModelChoice("never-started")))  # a loader that is not started is one that takes forever
    seen = visit(f"{url}/?play=0")
    run = showcase_run(OPENING)
    assert run is not None
    assert seen.tokens() == len(run.tokens)
    assert "loading" in seen.page.inner_text("#rs-status")
    assert seen.page.is_disabled(RUN)
    assert "loading" in seen.page.inner_text(RUN).lower()


def test_says_when_the_model_has_become_ready(serve: Callable[[Loader], str], tiny_folder: Path, visit) -> None:
    opened = threading.Event()

    class LateLoader(Loader):
        def _read(self):
            opened.wait()
            return super()._read()

    seen = visit(f"{serve(LateLoader(ModelChoice(str(tiny_folder))).start())}/?play=0")
    assert "loading" in seen.page.inner_text("#rs-status")
    assert seen.page.is_disabled(RUN)
    opened.set()
    seen.until(f"!document.querySelector('{RUN}').disabled")
    assert "ready · cpu · " in seen.page.inner_text("#rs-status")


def test_says_in_one_sentence_that_a_model_is_missing(serve: Callable[[Loader], str], visit) -> None:
    url = serve(Loader(ModelChoice("./no-such-model")).start().wait())
    seen = visit(f"{url}/?play=0")
    assert "No model at ./no-such-model" in seen.page.inner_text("#rs-status")


def test_plays_the_recorded_run_by_itself_and_stops_when_touched(server: str, visit) -> None:
    page = visit(f"{server}/?play=1").page
    page.wait_for_function(f"/^Round ([3-9]|\\d\\d)/.test(document.querySelector('{ROUND}').textContent)")
    page.keyboard.press("ArrowLeft")
    at = page.inner_text(ROUND)
    page.wait_for_timeout(1500)
    assert page.inner_text(ROUND) == at


def test_runs_measures_plain_and_shows_every_token(server: str, visit) -> None:
    seen = visit(f"{server}/?play=0&method=pld&plain=1")
    seen.until(f"!document.querySelector('{RUN}').disabled")
    start(seen.page, max_new_tokens=60)
    seen.until("document.querySelectorAll('.rs-token').length === 60")
    seen.until_idle()
    assert "60 tokens" in seen.page.inner_text(".rs-panel-metrics")
    assert "same ids as plain" in seen.page.inner_text(".rs-badges")
    verdict = seen.page.inner_text(".rs-verdict")
    assert "silent repeats" in verdict and "silent repeats" in seen.page.inner_text(".rs-panel-metrics")


def test_a_slow_page_draws_what_is_chosen_at_once_and_ends_complete(slow_server: str, visit) -> None:
    seen = visit(f"{slow_server}/?play=0&method=vanilla&ignore_eos=true")
    seen.until(f"!document.querySelector('{RUN}').disabled")
    slow = seen.page.context.new_cdp_session(seen.page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 8})
    start(seen.page, max_new_tokens=200)
    seen.until("document.querySelectorAll('.rs-token').length > 10")
    state, chosen, at = seen.page.evaluate(
        f"""() => {{
            const token = document.querySelectorAll('.rs-token')[2];
            token.click();
            const state = document.querySelector('.rs-live').dataset.state;
            return [state, token.classList.contains('is-chosen'), document.querySelector('{ROUND}').textContent];
        }}"""
    )
    assert state == "running" and chosen and at.startswith("Round 3 /")
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    seen.until_idle()
    assert seen.tokens() == 200
    assert seen.page.inner_text(ROUND) == "Round 3 / 200"
    assert "200 tokens" in seen.page.inner_text(".rs-panel-metrics")


def test_stop_keeps_what_was_written_and_the_next_run_is_whole(slow_server: str, visit) -> None:
    seen = visit(f"{slow_server}/?play=0&method=vanilla&ignore_eos=true")
    seen.until(f"!document.querySelector('{RUN}').disabled")
    start(seen.page, max_new_tokens=2048)
    seen.until("document.querySelectorAll('.rs-token').length > 10")
    seen.page.click("#rs-stop")
    seen.until_idle()
    stopped = seen.tokens()
    assert 10 < stopped < 2048
    assert "stopped" in seen.page.inner_text(".rs-badges")
    start(seen.page, max_new_tokens=24)
    seen.until("document.querySelectorAll('.rs-token').length === 24")
    seen.until_idle()


def test_keys_step_without_the_server(server: str, visit) -> None:
    seen = visit(f"{server}/?play=0")
    page, asked = seen.page, []
    seen.until(
        "document.querySelector('#rs-status').textContent.includes('ready')"
    )  # the page's own first event is over
    page.on("request", lambda r: asked.append(r.url) if "queue" in r.url else None)
    rounds = page.inner_text(ROUND).split("/")[1].strip()
    page.keyboard.press("Home")
    assert page.inner_text(ROUND) == f"Round 1 / {rounds}"
    assert page.locator(".rs-token.is-future").count() > 0
    page.keyboard.press("ArrowRight")
    assert page.inner_text(ROUND) == f"Round 2 / {rounds}"
    page.keyboard.press("Shift+ArrowRight")
    assert not page.is_checked(".rs-follow input")
    drafted = page.inner_text(".rs-round-facts")
    assert "drafted\n0" not in drafted
    page.keyboard.press("End")
    assert page.inner_text(ROUND) == f"Round {rounds} / {rounds}"
    for key, overlay in zip("1234", ("outcome", "entropy", "probability", "source"), strict=True):
        page.keyboard.press(key)
        assert page.get_attribute(".rs-tokens", "data-overlay") == overlay
    page.keyboard.press("?")
    assert page.locator("dialog.rs-help[aria-label=Keys]").is_visible()
    page.keyboard.press("Escape")
    assert not asked


def test_the_rounds_tokens_are_scrolled_into_view_within_the_text(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=copy-code-sam").page
    page.evaluate("document.querySelector('.rs-tokens').style.maxHeight = '120px'")
    inside = """() => {
        const box = document.querySelector('.rs-tokens').getBoundingClientRect();
        const last = [...document.querySelectorAll('.rs-token:not(.is-future)')].at(-1).getBoundingClientRect();
        return last.top >= box.top - 1 && last.bottom <= box.bottom + 1 && scrollY === 0;
    }"""
    for key in ("Home", "End", "Home"):
        page.keyboard.press(key)
        assert page.evaluate(inside), key


def test_token_text_is_one_tab_stop_and_arrows_walk_it(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    page.focus(".rs-token[tabindex='0']")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.index") == "1"
    assert page.locator(".rs-token[tabindex='0']").count() == 1
    card = page.inner_text(".rs-float")
    assert "target probability" in card and "entropy" in card


def test_zoom_is_kept_while_rounds_arrive(slow_server: str, visit) -> None:
    seen = visit(f"{slow_server}/?play=0&method=vanilla&ignore_eos=true")
    seen.until(f"!document.querySelector('{RUN}').disabled")
    start(seen.page, max_new_tokens=2048)
    seen.until("document.querySelectorAll('.rs-token').length > 30")
    seen.page.locator(".rs-panel-entropy").scroll_into_view_if_needed()
    plot = "document.querySelector('.rs-panel-entropy .js-plotly-plot')"
    seen.until(f"{plot}?._fullLayout?.xaxis")
    seen.page.evaluate(f"{plot}._keep = true")
    seen.page.locator(".rs-panel-entropy").scroll_into_view_if_needed()
    box = seen.page.locator(".rs-panel-entropy .nsewdrag").first.bounding_box()
    y = box["y"] + box["height"] / 2
    zoomed = [0.0, 1000.0]
    while zoomed[1] - zoomed[0] > 40:  # a round may arrive within a drag
        seen.page.mouse.move(box["x"] + 100, y)
        seen.page.mouse.down()
        seen.page.mouse.move(box["x"] + 320, y, steps=4)
        seen.page.mouse.up()
        seen.page.wait_for_timeout(100)
        if seen.page.evaluate(f"{plot}._fullLayout.xaxis.autorange") is False:
            zoomed = seen.page.evaluate(f"{plot}._fullLayout.xaxis.range")
    before = seen.tokens()
    seen.until(f"document.querySelectorAll('.rs-token').length > {before + 60}")
    assert seen.page.evaluate(f"{plot}._fullLayout.xaxis.range") == zoomed
    assert seen.page.evaluate(f"{plot}._keep") is True  # the same element throughout
    assert seen.page.evaluate(f"{plot}._fullLayout.xaxis.autorange") is False
    seen.page.click("#rs-stop")
    seen.until_idle()


def test_two_visitors_do_not_see_each_other(slow_server: str, visit) -> None:
    first, second = (visit(f"{slow_server}/?play=0&method=vanilla&ignore_eos=true") for _ in range(2))
    for seen in (first, second):
        seen.until(f"!document.querySelector('{RUN}').disabled")
    start(first.page, "a prompt of the first visitor", max_new_tokens=160)
    start(second.page, "words of the second one", max_new_tokens=30)
    first.until("document.querySelectorAll('.rs-token').length === 160")
    second.until("document.querySelectorAll('.rs-token').length === 30")
    assert "first visitor" in first.page.inner_text(".rs-prompt")
    assert "second one" in second.page.inner_text(".rs-prompt")
    assert "second one" not in first.page.content()


def test_a_link_restores_method_example_and_settings(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=pld&example=summary&num_pred=7&max_ngram=99&temperature=0.5").page
    page.wait_for_function("document.querySelector('#rs-method').value === 'pld'")
    assert page.input_value("#rs-example") == "summary"
    assert page.input_value("#rs-knob-num_pred") == "7"
    assert page.input_value("#rs-knob-max_ngram") == "16"  # clamped to its range
    page.click("text=Copy link")
    link = page.evaluate("navigator.clipboard.readText()")
    again = visit(link + "&play=0").page
    again.wait_for_function("document.querySelector('#rs-method').value === 'pld'")
    for knob, value in (("num_pred", "7"), ("max_ngram", "16"), ("temperature", "0.5")):
        assert again.input_value(f"#rs-knob-{knob}") == value


def test_a_preset_sets_its_settings_and_goes_into_the_link(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=diffuspec&preset=paper").page
    page.wait_for_function("document.querySelector('#rs-preset').value === 'paper'")
    assert page.input_value("#rs-knob-shape") == "chain"
    page.select_option("#rs-preset", "auto")
    assert page.input_value("#rs-knob-shape") == "tree"
    assert page.input_value("#rs-preset") == "auto"
    page.select_option("#rs-knob-shape", "beams")
    assert page.locator("#rs-preset option:checked").inner_text() == "your own: auto, 1 setting changed"
    page.select_option("#rs-method", "vanilla")
    assert page.locator("#rs-preset option").all_inner_texts() == ["usual: everything as it comes"]


def test_an_empty_prompt_is_answered_without_a_run(server: str, visit) -> None:
    seen = visit(f"{server}/?play=0")
    seen.until(f"!document.querySelector('{RUN}').disabled")
    seen.page.fill("#rs-prompt", "   ")
    seen.page.click(RUN)
    assert "Write a prompt first" in seen.page.inner_text(".rs-form-message")


def test_closing_the_tab_frees_the_engine_for_the_next_visitor(crawling_server: str, new_page, visit) -> None:
    page = new_page()
    page.goto(f"{crawling_server}/?play=0&method=vanilla&ignore_eos=true&max_new_tokens=2048&prompt=gone")
    page.wait_for_selector(".rs-live")
    page.wait_for_function(f"document.querySelector('{RUN}')?.disabled === false")
    page.click(RUN)
    page.wait_for_function("document.querySelector('.rs-live').dataset.state === 'running'")
    page.context.close()
    seen = visit(f"{crawling_server}/?play=0&method=vanilla&ignore_eos=true")
    seen.until(f"!document.querySelector('{RUN}').disabled")
    start(seen.page, max_new_tokens=20)  # waits for the first packet, which would not come while the other runs
    seen.until("document.querySelectorAll('.rs-token').length === 20")


def test_a_full_queue_is_said_and_does_not_hang_the_page(crowded_server: str, new_page) -> None:
    pages = []
    for _ in range(3):
        pages.append(new_page())
        pages[-1].goto(f"{crowded_server}/?play=0&method=vanilla&ignore_eos=true&max_new_tokens=2048&prompt=x")
        pages[-1].wait_for_selector(".rs-live")
        pages[-1].wait_for_function(f"document.querySelector('{RUN}')?.disabled === false")
    pages[0].click(RUN)
    pages[0].wait_for_function("document.querySelector('.rs-live').dataset.state === 'running'")
    with pages[1].expect_response(re.compile("queue/join")):
        pages[1].click(RUN)
    pages[1].wait_for_function("document.querySelector('.rs-live').dataset.state === 'waiting'")
    pages[2].click(RUN)
    pages[2].wait_for_function("document.querySelector('.rs-live').dataset.state === 'idle'")
    assert "too many are waiting" in pages[2].inner_text(".rs-notice")
