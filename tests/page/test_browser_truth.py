"""What the page shows belongs to what it says: form and run agree, nothing stale, every character visible, figures with their doubts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_trace import small

from app.live import NOTHING_YET

pytestmark = pytest.mark.browser

RUN = "#rs-run"
LONG = "method=vanilla&ignore_eos=true&max_new_tokens=2048&prompt=x"


# of every visible panel what is drawn or said below its title, but for sentences that say that nothing is there yet
SHOWN = """() => [...document.querySelectorAll(".rs-live .rs-panel")].filter((panel) => panel.checkVisibility()).flatMap((panel) => {
  const body = [...panel.children].filter((part) => !part.matches("header") && part.checkVisibility());
  const drawn = body.flatMap((part) => [...part.querySelectorAll("svg, td, .rs-metric, .rs-card")]).filter((e) => e.checkVisibility({ visibilityProperty: true }));
  const said = body.map((part) => part.innerText?.trim() ?? "").filter((text) => text && !/waiting|appear|point at/i.test(text));
  const hint = panel.querySelector("header .rs-panel-hint")?.innerText ?? "";
  return [...said, ...drawn.map((e) => e.outerHTML.slice(0, 80)), ...(/\\d/.test(hint) ? [hint] : [])];
})"""


def ready(page: Any) -> None:
    page.wait_for_function(f"document.querySelector('{RUN}')?.disabled === false")


def in_state(page: Any, state: str) -> None:
    page.wait_for_function(f"document.querySelector('.rs-live')?.dataset.state === '{state}'")


def open_trace(page: Any, trace: dict[str, Any], name: str = "given.json") -> None:
    page.set_input_files(
        ".rs-live input[type=file]",
        [{"name": name, "mimeType": "application/json", "buffer": json.dumps(trace).encode()}],
    )
    page.wait_for_function(f"document.querySelector('.rs-made').textContent.includes('{name}')")


# --- form and run --------------------------------------------------------------------------------------------------


def test_a_link_with_settings_shows_no_other_run(server: str, visit) -> None:
    seen = visit(f"{server}/?play=0&method=pld&num_pred=7")
    assert seen.page.inner_text(".rs-notice") == NOTHING_YET
    assert seen.tokens() == 0
    assert seen.page.inner_text(".rs-panel-metrics").endswith("Numbers appear with the first round.")


def test_a_run_tells_its_settings_and_gives_them_to_the_form(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=story-pld&method=sam").page
    page.wait_for_function("document.querySelector('#rs-method').value === 'sam'")
    assert "preset paper" in page.inner_text(".rs-setup") and "Max new tokens 96" in page.inner_text(".rs-setup")
    page.click("text=Use these settings")
    assert page.input_value("#rs-method") == "pld"
    assert page.input_value("#rs-knob-max_new_tokens") == "96"


def test_a_settings_badge_follows_its_value(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=pld").page
    page.wait_for_function("document.querySelector('#rs-method').value === 'pld'")
    badge = page.locator("[data-knob=num_pred] .rs-prov")
    assert badge.inner_text() == "from the authors' code"
    page.fill("#rs-knob-num_pred", "7")
    page.press("#rs-knob-num_pred", "Tab")
    assert badge.inner_text() == "yours"
    page.evaluate("document.querySelectorAll('.rs-controls details').forEach((d) => { d.open = true })")
    page.select_option("#rs-preset", "paper")
    assert page.locator("[data-knob=budget_rule] .rs-prov").inner_text() == "preset paper"
    page.click("text=Reset settings")
    assert page.locator("[data-knob=num_pred] .rs-prov").inner_text() == "from the authors' code"


def test_a_copied_link_names_run_and_round(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=story-pld").page
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.click("text=Copy link")
    link = page.evaluate("navigator.clipboard.readText()")
    again = visit(link).page
    again.wait_for_selector(".rs-token")
    assert again.inner_text(".rs-round-label").startswith("Round 2 /")
    assert "recorded run" in again.inner_text(".rs-made")


def test_a_link_to_a_token_opens_its_round_and_pins_it(server: str, visit) -> None:
    page = visit(f"{server}/?trace=story-pld&token=3").page
    page.wait_for_selector(".rs-token")
    assert page.inner_text(".rs-round-label").startswith("Round 3 /")
    assert page.inner_text(".rs-why .rs-piece") == page.inner_text(".rs-token[data-index='2']").replace(" ", "␣")


def test_a_reload_keeps_form_and_run(server: str, visit) -> None:
    seen = visit(f"{server}/?play=0&method=pld&num_pred=7&ignore_eos=true&max_new_tokens=20")
    page = seen.page
    ready(page)
    page.fill("#rs-prompt", "the hat that has that hat")
    page.click(RUN)
    seen.until("document.querySelectorAll('.rs-token').length === 20")
    seen.until_idle()
    text = page.inner_text(".rs-tokens")
    page.goto(f"{server}/")
    page.wait_for_function("document.querySelectorAll('.rs-token').length === 20")
    assert page.inner_text(".rs-tokens") == text and "run of" in page.inner_text(".rs-made")
    assert page.input_value("#rs-prompt") == "the hat that has that hat"
    assert (page.input_value("#rs-method"), page.input_value("#rs-knob-num_pred")) == ("pld", "7")


# --- nothing stale -------------------------------------------------------------------------------------------------


def test_a_waiting_visitor_sees_an_empty_page_and_the_place_in_the_line(crawling_server: str, new_page) -> None:
    first, second = new_page(), new_page()
    for page in (first, second):
        page.goto(f"{crawling_server}/?play=0&{LONG}&trace=story-pld")
        page.wait_for_selector(".rs-token")
        ready(page)
    first.click(RUN)
    in_state(first, "running")
    second.click(RUN)
    in_state(second, "waiting")
    assert second.locator(".rs-token").count() == 0
    for tab in second.locator(".rs-tabs [role=tab] >> visible=true").all():
        tab.click()
        assert second.evaluate(SHOWN) == []
    second.wait_for_function(
        "document.querySelector('.rs-notice').textContent.startsWith('waiting: 1 run before yours')"
    )
    second.click("#rs-stop")
    in_state(second, "idle")
    assert second.locator(".rs-token").count() > 0  # nothing came: what was shown before is there again
    first.click("#rs-stop")
    in_state(first, "idle")


# --- what is shown -------------------------------------------------------------------------------------------------


def test_a_lossy_loop_is_said_before_its_speed(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=copy-code-respec").page
    warning = page.inner_text(".rs-warning")
    assert warning.startswith("Lossy: ") and "The text loops" in warning
    assert page.locator(".rs-metric-value.is-muted").count() == 1
    assert page.locator(".rs-token.is-loop").count() > 50
    above = page.locator(".rs-warning").bounding_box()["y"]
    assert above < page.locator(".rs-metric-value.is-muted").bounding_box()["y"]
    calm = visit(f"{server}/?play=0&trace=copy-code-sam").page
    assert not calm.locator(".rs-warning").is_visible() and calm.locator(".is-muted, .is-loop").count() == 0


def test_an_edited_trace_is_badged_and_its_figures_are_computed_again(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    trace = small()
    trace["summary"] |= {"mat": 42.0, "speedup_measured": 42.0}
    open_trace(page, trace)
    assert "failed" in page.inner_text(".rs-badge-broken")
    assert "This trace contradicts itself" in page.inner_text(".rs-warning")
    assert "42" not in page.inner_text(".rs-metrics")


@pytest.mark.parametrize(("showcase", "retrieves"), [("story-diffuspec", False), ("summary-sam", True)])
def test_the_retrieval_panel_is_there_where_something_was_retrieved(
    server: str, visit, showcase: str, retrieves: bool
) -> None:
    page = visit(f"{server}/?play=0&trace={showcase}").page
    page.wait_for_selector(".rs-panel-tree .rs-tree")
    assert page.locator("[data-tab=retrieval]").is_visible() == retrieves
    assert page.get_attribute("#rs-example", "aria-label") == "Example prompts"


def characters() -> dict[str, Any]:
    """A trace of bytes, scripts of both directions, and characters that cannot be seen."""
    trace = small()
    plain = trace["tokens"][1] | {"outcome": "plain"}
    said = [("a ", "a "), ("", "⟨F0 9F⟩"), ("", "⟨98⟩"), ("😀", "⟨80⟩"), ("", "⟨E6 BC⟩"), ("漢", "⟨A2⟩"), ("\u00a0\u200b\u200d\ufeff\u2028\x07", "x"),
            (" مرحبا", " مرحبا"), (" (b)", " (b)")]  # fmt: skip
    trace["tokens"] = [plain | {"id": i, "text": text, "piece": piece} for i, (text, piece) in enumerate(said)]
    trace["steps"][0]["commit"]["emitted_ids"] = list(range(len(said)))
    trace["prompt_pieces"] = ["⟨F0 9F⟩", "⟨98 80⟩", "a\u200b", " مرحبا"]
    trace["prompt_ids"] = list(range(4))
    return trace


def test_bytes_stand_under_their_character_and_nothing_is_invisible(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    open_trace(page, characters())
    groups = page.locator(".rs-tokens .rs-character")
    assert groups.locator(".rs-character-glyph").all_inner_texts() == ["😀", "漢"]
    assert [groups.nth(i).locator(".rs-token").count() for i in range(2)] == [3, 2]
    assert page.locator(".rs-token").count() == 9  # each byte token is still a token of its own
    signs = page.locator(".rs-token[data-index='6']").inner_text()
    assert signs == "⍽⟨ZWSP⟩⟨ZWJ⟩⟨BOM⟩⟨LS⟩⟨U+0007⟩"
    isolated = "[...document.querySelectorAll('.rs-token')].every((t) => getComputedStyle(t).unicodeBidi === 'isolate')"
    assert page.evaluate(isolated)
    prompt = page.locator(".rs-panel-text .rs-prompt")  # by the same part
    assert prompt.locator(".rs-character-glyph").all_inner_texts() == ["😀"]
    assert "⟨ZWSP⟩" in prompt.inner_text() and "مرحبا" in prompt.inner_text()
    assert page.evaluate(isolated.replace(".rs-token", ".rs-read"))


CONTRAST = """() => {
    const paint = (color) => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = color; c.fillRect(0, 0, 1, 1);
        return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3); };
    const light = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const token = document.querySelector('.rs-token.is-future'), panel = token.closest('.rs-panel');
    const style = getComputedStyle(token);
    if (style.opacity !== '1') return 0;
    const [a, b] = [paint(style.color), paint(getComputedStyle(panel).backgroundColor)].map(light).sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tokens_to_come_can_be_read(server: str, visit, theme: str) -> None:
    page = visit(f"{server}/?play=0&__theme={theme}", dark=theme == "dark").page
    page.keyboard.press("Home")
    page.wait_for_selector(".rs-token.is-future")
    page.wait_for_timeout(400)  # the change of colour
    assert page.evaluate(CONTRAST) >= 4.5
