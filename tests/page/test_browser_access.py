"""Anyone can use the page: axe-core would find what is wrong, and everything can be chosen by key alone."""

from __future__ import annotations

import pytest
from access import grave

pytestmark = pytest.mark.browser


def test_the_checker_finds_what_is_wrong(server: str, visit, axe: str) -> None:
    page = visit(f"{server}/?play=0").page
    page.evaluate("document.querySelector('#rs-example').removeAttribute('aria-label')")
    assert any(found.startswith("select-name") for found in grave(page, axe))


@pytest.mark.parametrize(
    ("panel", "key", "chosen"),
    [
        ("tree", "End", "document.querySelector('.rs-why .rs-chip').textContent.includes('pruned')"),
        ("entropy", "ArrowDown", "document.querySelector('.rs-round-label').textContent.startsWith('Round 1 ')"),
        ("timeline", "ArrowDown", "document.querySelector('.rs-round-label').textContent.startsWith('Round 2 ')"),
    ],
)
def test_what_a_click_chooses_is_chosen_by_key_in_the_table(
    server: str, visit, panel: str, key: str, chosen: str
) -> None:
    page = visit(f"{server}/?play=0&trace=story-respec-strict&round=10").page
    page.wait_for_selector(".rs-token")
    if panel != "tree":
        page.click(f"[data-tab={panel}]")
    page.locator(f".rs-panel-{panel} button:text-is('Table')").focus()
    page.keyboard.press("Enter")
    assert not page.evaluate(chosen)
    rows = f".rs-panel-{panel} tbody tr"
    assert page.locator(f"{rows}[tabindex='0']").count() == 1
    page.focus(f"{rows}[tabindex='0']")
    page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_function(chosen)
    assert page.evaluate("document.activeElement.matches('tr[tabindex=\"0\"]')")  # one stays where one is


def test_the_tree_is_walked_opened_and_chosen_by_key(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&round=4").page
    page.wait_for_selector(".rs-tree")
    before = page.inner_text(".rs-round-label")
    assert page.locator(".rs-tree-node[tabindex='0']").count() == 1
    page.focus(".rs-tree-node[tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    focused = "document.activeElement.dataset.node"
    assert page.locator(".rs-tree-node.is-pinned").get_attribute("data-node") == page.evaluate(focused)
    assert "Draft" not in page.inner_text(".rs-why .rs-piece") and page.locator(".rs-float").is_visible()
    page.keyboard.press("End")
    hidden = page.locator(".rs-tree-node[aria-expanded='false']").count()
    while page.get_attribute(".rs-tree-node:focus", "aria-expanded") is None:
        page.keyboard.press("ArrowUp")
    nodes = page.locator(".rs-tree-node").count()
    page.keyboard.press("Enter")
    assert page.locator(".rs-tree-node").count() > nodes
    assert page.locator(".rs-tree-node[aria-expanded='false']").count() == hidden - 1
    page.keyboard.press("ArrowLeft")
    assert page.locator(".rs-tree-node").count() == nodes
    assert page.inner_text(".rs-round-label") == before  # none of these keys was the page's


def test_the_tabs_are_one_stop_and_arrows_change_the_panel(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    page.focus("[data-tab=entropy]")
    assert page.locator(".rs-tabs [tabindex='0']").count() == 1
    page.keyboard.press("ArrowLeft")
    assert page.locator(".rs-panel-timeline").is_visible() and not page.locator(".rs-panel-entropy").is_visible()


def test_by_key_the_run_is_two_steps_from_its_button(server: str, visit) -> None:
    page = visit(f"{server}/?play=0").page
    page.wait_for_selector(".rs-live")
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    page.focus("#rs-run")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the run"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('.rs-live') !== null")


def test_enter_in_a_setting_runs(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&method=pld&max_new_tokens=60&ignore_eos=true&prompt=the+hat").page
    page.wait_for_selector(".rs-live")
    page.wait_for_function("document.querySelector('#rs-run')?.disabled === false")
    page.fill("#rs-knob-num_pred", "7")
    page.press("#rs-knob-num_pred", "Enter")
    page.wait_for_function("document.querySelectorAll('.rs-token').length === 60")
    page.wait_for_function("document.querySelector('.rs-live').dataset.state === 'idle'")
    assert "7" in page.inner_text(".rs-setup")
