"""Anyone can use the page: axe-core finds nothing serious, and everything can be chosen by key alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")


@pytest.fixture(scope="session")
def axe() -> str:
    """The checker's script. On the build machine a missing one is a failure, elsewhere a skip."""
    if not AXE.exists():
        reason = "there is no axe-core: npm ci"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return AXE.read_text(encoding="utf-8")


def grave(page: Any, axe: str) -> list[str]:
    """What axe finds serious or critical, each with its rule and element."""
    page.evaluate(f"{axe}; 0")
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [
        f"{rule['id']}: {node['html'][:120]}" for rule in found if rule["impact"] in GRAVE for node in rule["nodes"]
    ]


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_live_has_no_serious_finding(server: str, visit, axe: str, width: int, theme: str) -> None:
    page = visit(f"{server}/?play=0&round=4&__theme={theme}", width=width, dark=theme == "dark").page
    page.wait_for_selector(".rs-dot[data-state=ready]")
    page.evaluate("document.querySelectorAll('.rs-controls details').forEach((d) => { d.open = true })")
    page.wait_for_timeout(400)  # the change of colours
    for tab in page.locator(".rs-tabs [role=tab] >> visible=true").all():
        tab.click()
        page.wait_for_timeout(200)
        assert grave(page, axe) == []
    assert grave(page, axe) == []


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_compare_and_the_shelf_have_no_serious_finding(server: str, visit, axe: str, width: int, theme: str) -> None:
    page = visit(f"{server}/?trace=story-sam&__theme={theme}", width=width, dark=theme == "dark").page
    page.wait_for_function("document.querySelector('#rs-shelf-open')?.textContent === 'Runs (1)'")
    page.goto(f"{server}/compare?traces=copy-code-sam,copy-code-respec&__theme={theme}")
    page.wait_for_selector(".rs-panel-trees .main-svg")
    page.wait_for_selector(".rs-dot[data-state=ready]")
    page.evaluate("document.querySelectorAll('.rs-controls details').forEach((d) => { d.open = true })")
    page.wait_for_timeout(400)  # the change of colours
    assert grave(page, axe) == []
    page.click("#rs-shelf-open")
    page.wait_for_selector(".rs-shelf-rows > li")
    assert grave(page, axe) == []


def test_the_checker_finds_what_is_wrong(server: str, visit, axe: str) -> None:
    page = visit(f"{server}/?play=0").page
    page.evaluate("document.querySelector('#rs-example').removeAttribute('aria-label')")
    assert any(found.startswith("select-name") for found in grave(page, axe))


@pytest.mark.parametrize(
    ("panel", "key", "chosen"),
    [
        ("tree", "End", "document.querySelector('.rs-why .rs-chip').textContent.includes('unreached')"),
        ("entropy", "ArrowDown", "document.querySelector('.rs-round-label').textContent.startsWith('Round 1 ')"),
        ("timeline", "ArrowDown", "document.querySelector('.rs-round-label').textContent.startsWith('Round 2 ')"),
    ],
)
def test_what_a_click_chooses_is_chosen_by_key_in_the_table(
    server: str, visit, panel: str, key: str, chosen: str
) -> None:
    page = visit(f"{server}/?play=0&trace=story-respec-strict&round=10").page
    page.wait_for_selector(".rs-token")
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
