"""Compare in a browser: recorded and fresh runs, one selection, the race, its address, its keys, its saved page."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.browser

STORY = "traces=story-sam,story-pld,story-respec-strict,story-diffuspec"
CODE = "traces=copy-code-sam,copy-code-respec"
LANES = "a=vanilla&b=pld&c=custom&c.router=always&c.drafters=recycling%2Bpld&c.nodes=12&" + "&".join(
    f"{x}.max_new_tokens=12&{x}.ignore_eos=true" for x in "abc"
)
SHORT = f"prompt=one+two+one+two&{LANES}&turns=0"
OPENED = "document.querySelectorAll('.rs-lane-settings').forEach((e) => { e.open = true })"
POSITION = "document.querySelector('.rs-position .rs-round-label').textContent"


def selected(page) -> list[int]:
    """The position that each text marks."""
    return page.eval_on_selector_all(".rs-token.is-selected", "all => all.map((e) => Number(e.dataset.index))")


def done(visit) -> None:
    visit.until("document.querySelector('.rs-compare')?.dataset.state === 'idle'")


def test_it_opens_on_recorded_runs_and_every_panel_has_something(server: str, visit) -> None:
    page = visit(f"{server}/compare?{STORY}").page
    page.wait_for_selector(".rs-panel-trees .rs-tree")
    assert page.locator(".rs-panel-race path.rs-lane-line").count() >= 4
    assert page.locator(".rs-strip").count() == page.locator(".rs-compare-text").count() == 4
    assert page.locator(".rs-compare-table tbody tr").count() >= 10
    assert "these runs" in page.text_content(".rs-why-sentence")
    assert page.locator("nav a[aria-current=page]").text_content() == "Compare"
    assert not page.locator(".nav-holder").first.is_visible()  # Gradio's own bar


def test_the_first_difference_is_marked_and_explained(server: str, visit) -> None:
    page = visit(f"{server}/compare?{CODE}").page
    assert page.locator(".rs-token.is-parting").count() == 1
    at = int(page.get_attribute(".rs-token.is-parting", "data-index"))
    assert "the target wanted" in page.text_content(".rs-parting.is-relaxed")
    assert selected(page) == [at, at]
    assert f"Position {at}" in page.evaluate(POSITION)


def test_one_selection_in_texts_strips_race_and_trees(server: str, visit) -> None:
    page = visit(f"{server}/compare?{STORY}").page
    page.wait_for_selector(".rs-panel-trees .rs-tree")
    page.hover(".rs-compare-text:nth-child(1) .rs-token[data-index='7']")
    page.wait_for_function(f"{POSITION}.includes('Position 7 ')")
    assert selected(page) == [7] * 4
    assert set(page.eval_on_selector_all(".rs-strip-mark", "all => all.map((e) => e.getAttribute('x'))")) == {"7"}
    assert page.locator(".rs-race-marks circle").count() == 4
    assert "position 7" in page.text_content(".rs-panel-trees .rs-panel-hint")
    for panel in ("race", "numbers", "texts", "strips", "trees"):
        page.locator(f".rs-panel-{panel} h2 .rs-term").focus()
        here = page.text_content(".rs-float:visible .rs-here")
        assert here.count(";") == 3 and " A " in here and " B " in here, here
    page.click(".rs-compare-text:nth-child(2) .rs-token[data-index='3']")
    page.mouse.move(2, 2)
    page.wait_for_function(f"{POSITION}.includes('Position 3 ')")
    box = page.locator(".rs-strip").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + 6)
    page.mouse.move(2, 2)
    positions = int(page.get_attribute(".rs-position input", "max")) + 1
    page.wait_for_function(f"{POSITION}.includes('Position {positions // 2} ')")


def test_a_node_a_moment_and_a_row_choose_the_position_for_every_panel(server: str, visit) -> None:
    page = visit(f"{server}/compare?{STORY}&position=12").page
    page.wait_for_selector(".rs-panel-trees .rs-tree-node.is-pinned")
    node = page.locator(".rs-compare-tree:nth-child(3) .rs-tree-node").nth(1)
    node.hover()
    page.wait_for_selector(".rs-float .rs-card-why")
    at = int(page.text_content(".rs-float .rs-card-why").rsplit(" ", 1)[1])
    page.wait_for_function(f"{POSITION}.includes('Position {at} ')")  # pointed at, everywhere
    node.click()
    page.mouse.move(2, 2)
    page.wait_for_function(f"{POSITION}.includes('Position {at} ')")
    page.wait_for_selector(".rs-compare-tree:nth-child(3) .rs-tree-node.is-pinned")
    node.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".rs-float .rs-card-why")
    page.locator("svg.rs-race").click()
    page.wait_for_selector(".rs-token.is-future")
    page.wait_for_function(f"!{POSITION}.includes('Position {at} ')")
    for panel in ("race", "strips", "texts", "trees"):
        page.click(f".rs-panel-{panel} button:text-is('Table')")
        page.wait_for_selector(f".rs-panel-{panel} .rs-panel-table tbody tr")
    page.locator(".rs-panel-texts tbody tr").nth(4).click()
    page.wait_for_function(f"{POSITION}.includes('Position 4 ')")
    assert selected(page) == [4] * 4
    with page.expect_download() as file:
        page.click(".rs-panel-race button:text-is('Table')")
        page.click("button[aria-label='Save Race as SVG']")
    assert Path(file.value.path()).read_text().startswith("<svg")


def test_keys_move_the_position_play_the_race_and_list_themselves(server: str, visit) -> None:
    page = visit(f"{server}/compare?{CODE}&position=5").page
    page.wait_for_function(f"{POSITION}.includes('Position 5 ')")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{POSITION}.includes('Position 6 ')")
    page.keyboard.press("Home")
    page.wait_for_function(f"{POSITION}.includes('Position 0 ')")
    page.keyboard.press("d")
    at = page.get_attribute(".rs-token.is-parting", "data-index")
    page.wait_for_function(f"{POSITION}.includes('Position {at} ')")
    page.select_option("select[aria-label='Speed of the race']", "0.1")
    page.locator(".rs-compare-main h1").click()
    page.keyboard.press("Space")
    page.wait_for_selector("button[aria-label='Pause the race (space)']")
    page.wait_for_selector(".rs-token.is-future")
    page.keyboard.press("Space")
    page.wait_for_selector("button[aria-label='Play the race (space)']")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.locator(".rs-token.is-selected").first.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"{POSITION}.includes('Position {int(at) - 1} ')")
    assert page.evaluate("document.activeElement.dataset.index") == str(int(at) - 1)


def test_the_position_is_in_the_address_and_outlasts_a_reload(server: str, visit) -> None:
    page = visit(f"{server}/compare?{CODE}").page
    page.click(".rs-compare-text:nth-child(2) .rs-token[data-index='3']")
    page.wait_for_function("new URLSearchParams(location.search).get('position') === '3'")
    page.reload()
    page.wait_for_selector(".rs-compare-text .rs-token")
    page.wait_for_function(f"{POSITION}.includes('Position 3 ')")
    assert page.locator(".rs-compare-text").count() == 2


def test_the_race_shows_the_texts_as_they_were_at_a_moment(server: str, visit) -> None:
    page = visit(f"{server}/compare?{STORY}").page
    slider = "input[aria-label='Moment of the race']"
    page.eval_on_selector(slider, "e => { e.value = 500; e.dispatchEvent(new Event('input', { bubbles: true })) }")
    page.wait_for_selector(".rs-token.is-future")
    count = "document.querySelectorAll('.rs-compare-text:nth-child({}) .rs-token:not(.is-future)').length"
    clock = page.text_content(".rs-race-clock")
    for i, letter in enumerate("ABCD", 1):
        assert f"{letter} {page.evaluate(count.format(i))}" in clock
    page.eval_on_selector(slider, "e => { e.value = 1000; e.dispatchEvent(new Event('input', { bubbles: true })) }")
    page.wait_for_function("!document.querySelector('.rs-token.is-future')")


def test_configurations_run_one_after_another_and_their_address_shows_them_again(server: str, visit) -> None:
    seen = visit(f"{server}/compare?{SHORT}", wait=False)
    page = seen.page
    page.wait_for_function("document.querySelector('#rs-compare-run')?.textContent === 'Compare'")
    assert page.locator(".rs-token").count() == 0  # never another's comparison beside these settings
    assert page.locator(".rs-lane-card").count() == 3
    page.wait_for_selector("#rs-c-knob-drafters", state="attached")  # the address was read
    page.evaluate(OPENED)
    page.check("#rs-c-knob-drafters input[value=sam]")
    page.click("#rs-compare-run")
    page.wait_for_selector(".rs-compare-text .rs-token")
    done(seen)
    assert page.locator(".rs-compare-text").count() == 3
    assert page.locator(".rs-parting.is-same").count() == 2
    query = parse_qs(urlsplit(page.url).query)
    assert (query["a"], query["b.max_new_tokens"], query["prompt"]) == (["vanilla"], ["12"], ["one two one two"])
    assert (query["c.drafters"], query["c.router"]) == (["recycling+pld+sam"], ["always"])
    page.reload()
    page.wait_for_selector(".rs-compare-text .rs-token")
    assert page.locator(".rs-parting.is-same").count() == 2
    assert page.input_value("#rs-prompt") == "one two one two"
    page.evaluate(OPENED)
    for name in ("recycling", "pld"):
        page.uncheck(f"#rs-c-knob-drafters input[value={name}]")
    page.select_option("#rs-c-knob-router", "bandit")
    page.wait_for_selector(".rs-lane-card .rs-hint:has-text('a bandit chooses among drafters')")


def test_back_leads_to_the_comparison_before(server: str, visit) -> None:
    seen = visit(f"{server}/compare?{CODE}")
    page = seen.page
    page.evaluate("document.querySelector('.rs-there').open = true")
    for title in ("Copying code: ReSpec, relaxed", "Copying code: SAM-Decoding"):
        page.get_by_label(title).uncheck()
    for title in ("Open story: prompt lookup", "Open story: DiffuSpec"):
        page.get_by_label(title).check()
    page.click("#rs-compare-pick")
    page.wait_for_function("document.querySelector('.rs-made')?.textContent.includes('DiffuSpec')")
    assert "traces=story-pld%2Cstory-diffuspec" in page.url
    page.go_back()
    page.wait_for_function(
        "document.querySelector('.rs-compare-main .rs-made')?.textContent.includes('A SAM-Decoding')"
    )
    assert page.locator(".rs-token.is-parting").count() == 1


def test_opened_traces_are_compared_and_other_prompts_refused_in_a_sentence(server: str, visit) -> None:
    from app.showcases import showcases

    page = visit(f"{server}/compare?{CODE}").page
    page.evaluate("document.querySelector('.rs-there').open = true")
    paths = [str(showcases()[name].path) for name in ("story-sam",)]
    page.set_input_files(".rs-controls input[type=file]", paths)
    page.get_by_label("Copying code: ReSpec, relaxed").uncheck()
    page.click("#rs-compare-pick")
    page.wait_for_function(
        "document.querySelector('.rs-notice.is-error')?.textContent.includes('answers another prompt')"
    )
    page.get_by_label("Copying code: SAM-Decoding").uncheck()
    page.get_by_label("Open story: prompt lookup").check()
    page.click("#rs-compare-pick")
    page.wait_for_selector(".rs-compare-text .rs-token")
    assert "SAM-Decoding" in page.text_content(".rs-made")


def test_stopping_early_says_so(slow_server: str, visit) -> None:
    seen = visit(
        f"{slow_server}/compare?prompt=one+two&a=vanilla&b=pld&a.max_new_tokens=900&a.ignore_eos=true", wait=False
    )
    page = seen.page
    page.wait_for_function("document.querySelector('#rs-compare-run')?.textContent === 'Compare'")
    page.click("#rs-compare-run")
    page.wait_for_function("document.querySelector('.rs-notice')?.textContent.includes('1 of 2: Plain decoding')")
    assert page.locator(".rs-panel-race path.rs-lane-line").count() >= 1
    page.click("#rs-compare-stop")
    page.wait_for_function("document.querySelector('.rs-notice')?.textContent.includes('Stopped before two runs')")
    done(seen)


def test_the_saved_page_shows_the_comparison_anywhere(server: str, visit, new_page, tmp_path: Path) -> None:
    page = visit(f"{server}/compare?{CODE}").page
    with page.expect_download() as download:
        page.click("text=Save page")
    path = tmp_path / "compare.html"
    download.value.save_as(path)
    assert json.dumps("copy-code")[1:-1] not in path.name
    saved = new_page()
    requests: list[str] = []
    errors: list[str] = []
    saved.on("request", lambda request: requests.append(request.url))
    saved.on("pageerror", lambda error: errors.append(str(error)))
    saved.goto(path.as_uri())
    saved.wait_for_selector(".rs-compare-text .rs-token")
    saved.wait_for_selector(".rs-panel-trees .rs-tree")
    assert saved.locator(".rs-token.is-parting").count() == 1
    assert saved.locator("#rs-compare-run").count() == 0
    saved.keyboard.press("Home")
    saved.wait_for_function(f"{POSITION}.includes('Position 0 ')")
    assert not errors
    assert all(url.startswith(("file:", "data:", "blob:")) for url in requests)


def test_markup_of_a_model_stays_text(server: str, visit, tmp_path: Path) -> None:
    from app.showcases import showcases

    texts = []
    for name in ("story-sam", "story-pld"):
        trace = json.loads(showcases()[name].path.read_text())
        trace["prompt_text"] = trace["prompt_pieces"][0] = "<img src=x onerror=\"document.title='owned'\">"
        (tmp_path / f"{name}.json").write_text(json.dumps(trace))
        texts.append(str(tmp_path / f"{name}.json"))
    page = visit(f"{server}/compare?{CODE}").page
    page.evaluate("document.querySelector('.rs-there').open = true")
    for title in ("Copying code: ReSpec, relaxed", "Copying code: SAM-Decoding"):
        page.get_by_label(title).uncheck()
    page.set_input_files(".rs-controls input[type=file]", texts)
    page.wait_for_function("document.querySelectorAll('.rs-picks .rs-letter').length === 2")
    page.click("#rs-compare-pick")
    page.wait_for_function("document.querySelector('.rs-panel-verdict .rs-prompt')?.textContent.includes('onerror')")
    assert page.title() != "owned"


def test_the_pages_lead_to_each_other(server: str, visit) -> None:
    page = visit(f"{server}/compare?{CODE}").page
    page.click("nav >> text=Live")
    page.wait_for_selector(".rs-live .rs-token")
    assert page.locator("nav a[aria-current=page]").text_content() == "Live"
    page.click("nav >> text=Compare")
    page.wait_for_selector(".rs-compare .rs-token")
