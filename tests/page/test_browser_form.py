"""The form: few settings first, help in popovers, presets of one's own, hints, and the tree foretold."""

from __future__ import annotations

import pytest

from respec_core.methods.registry import METHODS, find_method

pytestmark = pytest.mark.browser

ASK = "[data-knob=num_pred] .rs-ask"
HELP = "#rs-knob-num_pred-help"
STOPS = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary, [tabindex='0']"


def shown(page) -> list[str]:
    """Settings in sight, by name."""
    return page.eval_on_selector_all(
        "[data-knob]", "found => found.filter(e => e.checkVisibility()).map(e => e.dataset.knob)"
    )


def open_all(page) -> None:
    page.evaluate("document.querySelectorAll('.rs-controls details').forEach((d) => { d.open = true })")


def test_every_method_shows_the_few_that_matter_with_a_line_each(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    page.wait_for_selector("#rs-method")
    for method in METHODS:
        page.select_option("#rs-method", method.name)
        assert shown(page) == list(method.front)
        assert page.locator(".rs-knob-line >> visible=true").count() == len(method.front)
    page.click(".rs-more > summary")
    assert set(shown(page)) > set(method.front)


def test_help_opens_by_key_and_escape_closes_it_where_one_was(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=pld").page
    page.focus(ASK)
    assert not page.is_visible(HELP)
    page.keyboard.press("Enter")
    page.wait_for_selector(HELP, state="visible")
    assert "from the authors' code" in page.inner_text(HELP) and "Range: 1 to 64 tokens" in page.inner_text(HELP)
    assert page.get_attribute(ASK, "aria-expanded") == "true"
    box = page.locator(HELP).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1440 and box["y"] + box["height"] <= 900
    page.keyboard.press("Escape")
    page.wait_for_selector(HELP, state="hidden")
    assert page.evaluate("document.activeElement.className") == "rs-ask"


def test_help_stays_inside_a_phone(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=pld", width=390, height=844).page
    page.click(".rs-fold")
    page.click(ASK)
    page.wait_for_selector(HELP, state="visible")
    box = page.locator(HELP).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_what_is_kept_as_mine_is_there_after_a_reload_and_in_a_link_as_values(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=pld").page
    assert page.is_disabled(".rs-mine")
    page.fill("#rs-knob-num_pred", "7")
    page.press("#rs-knob-num_pred", "Tab")
    assert page.locator("#rs-preset option:checked").inner_text() == "your own: auto, 1 setting changed"
    page.click(".rs-mine")
    assert page.input_value("#rs-preset") == "mine"
    page.select_option("#rs-preset", "paper")
    assert page.input_value("#rs-knob-num_pred") == "10"
    page.reload()
    page.wait_for_selector("#rs-preset option[value=mine]", state="attached")
    page.select_option("#rs-preset", "mine")
    assert page.input_value("#rs-knob-num_pred") == "7"
    page.click("text=Copy link")
    page.wait_for_selector("text=Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "num_pred=7" in link and "mine" not in link
    page.select_option("#rs-method", "vanilla")
    assert page.locator("#rs-preset option[value=mine]").count() == 0
    page.fill("#rs-knob-temperature", "0.7")
    page.press("#rs-knob-temperature", "Tab")
    page.click(".rs-mine")
    page.select_option("#rs-preset", "usual")
    assert float(page.input_value("#rs-knob-temperature")) == 0
    page.select_option("#rs-preset", "mine")
    assert page.input_value("#rs-knob-temperature") == "0.7"


def test_one_setting_goes_back_to_its_preset_and_all_to_their_defaults(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=eagle2").page
    page.select_option("#rs-preset", "tuned")
    page.fill("#rs-knob-total_tokens", "50")
    page.press("#rs-knob-total_tokens", "Tab")
    page.click("[data-knob=total_tokens] .rs-knob-back")
    assert page.input_value("#rs-knob-total_tokens") == "32"
    assert page.evaluate("document.activeElement.id") == "rs-knob-total_tokens"
    assert page.input_value("#rs-preset") == "tuned"
    assert not page.is_visible("[data-knob=total_tokens] .rs-knob-back")
    page.click("text=Reset settings")
    assert page.input_value("#rs-knob-total_tokens") == "60"


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("method=respec&theta_entropy=2", "Entropy threshold θ has no effect while Copies, model or both is adaptive."),
        ("method=respec&alpha=0.5&feedback=false", "Score rate α has no effect while Feedback is off."),
        ("method=pld&relax_eps=0.3", "Relaxed ratio has no effect while Verification is strict."),
        ("method=eagle2&rule=relaxed", "Nothing is copied, so nothing is relaxed"),
        ("method=diffuspec&k_min=40", "These settings contradict each other"),
    ],
)
def test_settings_without_effect_or_against_each_other_are_said(server: str, visit, link: str, said: str) -> None:
    page = visit(f"{server}/?play=0&{link}").page
    page.wait_for_selector(".rs-hint")
    assert said in page.inner_text(".rs-hints")


def test_a_hint_goes_when_its_reason_does(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=respec&theta_entropy=2").page
    page.wait_for_selector(".rs-hint")
    page.select_option("#rs-knob-switch", "gate")
    page.wait_for_selector(".rs-hint", state="detached")
    page.wait_for_selector("[data-knob=theta_entropy]:not(.is-idle)", state="attached")


def test_the_tree_that_settings_will_draft_is_drawn_before_any_run(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=eagle2&budget_rule=own").page
    page.wait_for_function(
        "document.querySelector('.rs-sketch').textContent.includes('At most 59 draft nodes a round.')"
    )
    page.fill("#rs-knob-total_tokens", "9")
    page.press("#rs-knob-total_tokens", "Tab")
    page.wait_for_function("document.querySelector('.rs-sketch').textContent.includes('At most 8 draft nodes')")
    assert page.locator(".rs-sketch circle").count() == 9
    assert "at most 6 deep, 8 wide" in page.get_attribute(".rs-sketch svg", "aria-label")
    page.select_option("#rs-method", "vanilla")
    page.wait_for_function("document.querySelector('.rs-sketch').textContent.includes('Nothing is drafted')")
    assert page.locator(".rs-sketch svg").count() == 0


def test_drafters_are_ticked_in_the_order_in_which_they_are_asked(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=custom&router=always&drafters=recycling%2Bpld").page
    box = "#rs-knob-drafters input[value={}]"
    page.wait_for_selector(box.format("pld"))
    places = "found => found.map(e => [e.querySelector('input').value, e.innerText.trim().slice(-1)])"

    def ticked() -> dict[str, str]:
        return dict(page.eval_on_selector_all("#rs-knob-drafters label:has(:checked)", places))

    assert ticked() == {"recycling": "1", "pld": "2"}
    page.check(box.format("sam"))
    page.uncheck(box.format("recycling"))
    assert ticked() == {"pld": "1", "sam": "2"}
    page.uncheck(box.format("pld"))
    page.click(box.format("sam"))
    assert ticked() == {"sam": "1"}  # one stays
    page.select_option("#rs-knob-router", "bandit")
    page.wait_for_function(
        "document.querySelector('.rs-hints').textContent.includes('a bandit chooses among drafters')"
    )
    page.check(box.format("recycling"))
    page.wait_for_selector(".rs-hint", state="detached")
    page.fill("#rs-prompt", "the hat the hat")
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    page.click("#rs-run")
    page.wait_for_selector("[data-tab=arms]", state="attached")
    page.wait_for_function("document.querySelector('.rs-live').dataset.state === 'idle'")


def test_few_steps_by_key_lead_through_the_form(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    stops = page.eval_on_selector_all(
        STOPS,
        "found => found.filter(e => e.checkVisibility() && e.tabIndex >= 0).map(e => e.closest('.rs-controls') !== null)",
    )
    assert sum(stops) <= 20
    assert len(stops) <= 76  # words that explain themselves are stops too
    assert len(find_method("respec-strict").front) == 4


@pytest.mark.parametrize("field", ["#rs-knob-switch", "#rs-knob-max_new_tokens", "#rs-knob-feedback"])
def test_enter_in_a_setting_of_any_kind_runs(server: str, visit, field: str) -> None:
    page = visit(f"{server}/?play=0&method=respec-strict&max_new_tokens=12&prompt=the+hat").page
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    open_all(page)
    page.press(field, "Enter")
    page.wait_for_selector(".rs-token")
    page.wait_for_function("document.querySelector('.rs-live').dataset.state === 'idle'")
