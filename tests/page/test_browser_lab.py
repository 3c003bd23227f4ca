"""The Lab in a browser: it opens on the shipped set, the slider moves a mark, settings go to the form of the other pages."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser

LINE = "(document.querySelector('.rs-panel-lab-curve .rs-method-line')?.textContent ?? '')"
FIRST = "method=pld&max_new_tokens=24"  # few values, short texts: all of it is quick
CONFIRMED = ".rs-panel-lab-confirmed"
MARK = "document.querySelector('.rs-panel-lab-curve .js-plotly-plot').layout.shapes.at(-1).x0"


def opened(server: str, visit, query: str = FIRST, **size):
    seen = visit(f"{server}/lab?{query}", wait=False, **size)
    seen.page.wait_for_selector(".rs-lab-facts dd")
    seen.page.wait_for_function(f"{LINE} && !{LINE}.includes('Still')")
    seen.page.wait_for_selector(".rs-panel-lab-curve .js-plotly-plot")
    return seen.page


def test_it_opens_on_the_shipped_set_with_a_verdict_and_a_curve(server: str, visit) -> None:
    page = opened(server, visit)
    assert page.locator("nav a[aria-current=page]").text_content() == "Lab"
    assert "Six kinds of prompts" in page.text_content(".rs-lab .rs-made")
    assert "one-token forwards" in page.text_content(".rs-lab .rs-why-sentence")
    assert page.locator(".rs-panel-lab-curve .js-plotly-plot").count() == 2


def test_the_slider_moves_the_mark_and_the_verdict_by_key(server: str, visit) -> None:
    page = opened(server, visit)
    page.select_option("#rs-lab-knob", "num_pred")
    page.wait_for_function("document.querySelector('#rs-lab-value').max === '40'")
    before, sentence = page.evaluate(MARK), page.text_content(".rs-lab .rs-why-sentence")
    page.focus("#rs-lab-value")
    page.keyboard.press("Home")
    page.wait_for_function(f"{MARK} !== {before}")
    page.wait_for_function(
        "(before) => document.querySelector('.rs-lab .rs-why-sentence').textContent !== before", arg=sentence
    )
    assert page.evaluate(MARK) == 1
    page.locator(".rs-lab h1").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{MARK} > 1")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")


def test_what_was_found_goes_to_the_form_of_the_other_pages(server: str, visit) -> None:
    """Of a method that one composes oneself."""
    page = opened(
        server, visit, "method=custom&router=match&drafters=pld%2Bauto&max_new_tokens=24&knob=match_threshold"
    )
    assert page.input_value("#rs-lab-knob") == "match_threshold"
    assert "one-token forwards" in page.text_content(".rs-lab .rs-why-sentence")
    page.focus("#rs-lab-value")
    page.keyboard.press("Home")
    page.get_by_text("Apply to the form").click()
    page.wait_for_function("document.querySelector('.rs-lab .rs-notice').textContent.includes('form of Live')")
    page.goto(f"{server}/compare")
    page.wait_for_function("document.querySelector('#rs-a-method')?.value === 'custom'")
    assert page.input_value("#rs-a-knob-match_threshold") == "1"
    ticked = page.eval_on_selector_all("#rs-a-knob-drafters :checked", "all => all.map((box) => box.value)")
    assert (page.input_value("#rs-a-knob-router"), sorted(ticked)) == ("match", ["auto", "pld"])


def test_the_address_follows_the_form_and_reload_and_back_find_it(server: str, visit) -> None:
    page = opened(server, visit)
    page.wait_for_selector(".rs-lab .rs-sketch-part svg")  # the tree that these settings draft
    page.select_option("#rs-lab-knob", "num_pred")
    page.wait_for_function("location.search.includes('knob=num_pred')")
    page.fill("#rs-lab-knob-num_pred", "3")
    page.keyboard.press("Tab")
    page.wait_for_function("location.search.includes('num_pred=3')")
    page.reload()
    page.wait_for_selector(".rs-lab-facts dd")
    assert page.input_value("#rs-lab-method") == "pld"
    assert page.input_value("#rs-lab-knob-num_pred") == "3"
    assert page.input_value("#rs-lab-knob") == "num_pred"
    page.select_option("#rs-lab-method", "sam")
    page.wait_for_function("location.search.includes('method=sam')")
    page.wait_for_function("/At most \\d\\d /.test(document.querySelector('.rs-lab .rs-sketch-size').textContent)")
    page.go_back()
    page.wait_for_selector(".rs-lab-facts dd")
    assert page.input_value("#rs-lab-method") == "pld"
    assert page.input_value("#rs-lab-knob-num_pred") == "3"


def test_what_cannot_be_replayed_is_said_and_nothing_of_other_settings_stays(server: str, visit) -> None:
    page = opened(server, visit)
    page.wait_for_selector(".rs-panel-lab-regret .js-plotly-plot")
    page.click("text=Draw the map")
    page.wait_for_selector(".rs-panel-lab-map .js-plotly-plot")
    page.select_option("#rs-lab-method", "recycling")
    page.wait_for_function(
        "document.querySelector('.rs-lab .rs-notice.is-error')?.textContent.includes('learns from rejected')"
    )
    page.wait_for_function("![...document.querySelectorAll('.rs-lab .js-plotly-plot')].some((e) => e.offsetParent)")
    page.wait_for_function(
        "document.querySelector('.rs-lab .rs-why-sentence').textContent.includes('a real run can tell')"
    )
    assert page.locator(".rs-lab-main .rs-lab-facts dd >> visible=true").count() == 0
    assert page.inner_text("#rs-lab-method option:checked").endswith("(not replayed)")
    page.select_option("#rs-lab-method", "pld")
    page.wait_for_function("document.querySelector('.rs-panel-lab-curve .js-plotly-plot').offsetParent")
    page.wait_for_selector(".rs-panel-lab-kinds .js-plotly-plot")
    assert "one-token forwards" in page.text_content(".rs-lab .rs-why-sentence")
    assert page.locator(".rs-panel-lab-map .js-plotly-plot >> visible=true").count() == 0


def test_a_position_of_the_picture_opens_in_live_as_a_replayed_run(server: str, visit) -> None:
    page = opened(server, visit)
    page.wait_for_selector(".rs-panel-lab-picture .js-plotly-plot")
    page.locator(".rs-panel-lab-picture button:text-is('Table')").focus()
    page.keyboard.press("Enter")
    page.focus(".rs-panel-lab-picture tbody tr[tabindex='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?run=*")
    page.wait_for_selector(".rs-tokens [data-index]")
    assert "token=2" in page.url
    assert page.locator(".rs-token").count() == 24
    assert "replayed" in page.text_content(".rs-live .rs-made")


def record_here(page) -> None:
    """Two prompts of one's own become the set."""
    page.wait_for_selector(".rs-dot[data-state=ready]")
    page.evaluate("document.querySelector('.rs-lab-own').open = true")
    page.fill("#rs-lab-prompts", "one two one two one two\nthe cat sat on the mat")
    page.fill("#rs-lab-tokens", "16")
    page.click(".rs-lab-own button")
    page.wait_for_function("document.querySelector('.rs-lab .rs-made').textContent.startsWith('Own prompts (2)')")
    page.wait_for_function("!document.querySelector('.rs-lab-work').offsetParent")


def test_own_prompts_are_recorded_and_a_prediction_is_confirmed(server: str, visit) -> None:
    page = opened(server, visit)
    record_here(page)
    assert page.locator("#rs-lab-set option").count() == 2
    page.click("text=Confirm on all texts")
    page.wait_for_function("document.querySelectorAll('.rs-panel-lab-confirmed tbody tr').length === 3")
    assert "predicted" in page.text_content(".rs-panel-lab-confirmed .rs-method-line")
    page.wait_for_function("!document.querySelector('.rs-lab-work').offsetParent")
    again = page.get_by_role("button", name="Confirm on all texts")
    gone = "button => { button.click(); return document.querySelector('.rs-panel-lab-confirmed').hidden }"
    assert again.evaluate(gone)  # what an earlier run measured, the moment a new one begins
    page.wait_for_function("document.querySelectorAll('.rs-panel-lab-confirmed tbody tr').length === 3")


def test_predicted_stands_beside_measured_once_also_where_it_was_run_again(server: str, visit) -> None:
    page = opened(server, visit)
    record_here(page)
    for other in ("3", "5"):
        assert page.locator(f"{CONFIRMED} tbody tr >> visible=true").count() == 0
        page.get_by_role("button", name="Confirm with a real run").click()
        page.wait_for_selector(f"{CONFIRMED} tbody tr")
        page.wait_for_function("!document.querySelector('.rs-lab-work').offsetParent")
        assert page.locator(CONFIRMED).count() == page.locator(f"{CONFIRMED} tbody tr").count() == 1
        heads, cells = (page.locator(f"{CONFIRMED} {cell}").all_text_contents() for cell in ("th", "tbody td"))
        passes = heads.index("passes, predicted")
        assert heads[passes + 1] == "measured" and int(cells[passes]) == int(cells[passes + 1]) > 0
        assert page.text_content(f"{CONFIRMED} .rs-method-line").count("predicted,") == 2
        assert not page.locator(".rs-lab .rs-notice.is-error").is_visible()
        page.fill("#rs-lab-knob-num_pred", other)
        page.keyboard.press("Tab")  # of other settings there is no real run yet
        page.wait_for_function(f"document.querySelector('{CONFIRMED}').hidden")


def test_another_engine_s_report_is_drawn_and_a_file_that_is_none_refused(server: str, visit) -> None:
    page = opened(server, visit)
    page.evaluate("[...document.querySelectorAll('.rs-lab-export')].at(-1).open = true")
    told = {"acceptance_histogram": [39, 1, 0, 3], "num_spec_steps": 43, "num_spec_tokens": 3}
    told |= {"num_accepted_draft_tokens": 10, "num_draft_tokens": 129}
    line = json.dumps({"metrics": {"speculative_decoding": told}}).encode()
    page.set_input_files("#rs-lab-served", {"name": "r.jsonl", "mimeType": "application/json", "buffer": line})
    page.wait_for_selector(".rs-panel-served-positions .js-plotly-plot")
    assert "1.233" in page.text_content(".rs-lab-export:last-of-type .rs-lab-facts")
    page.set_input_files("#rs-lab-served", {"name": "r.jsonl", "mimeType": "application/json", "buffer": b"{}"})
    page.wait_for_function(
        "[...document.querySelectorAll('.rs-lab-export')].at(-1).textContent.includes('reports no speculative')"
    )
