"""One selection: what is picked in one panel, by pointer or by key, is marked in every other."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

PINNED = ".rs-panel-tree .rs-tree-node.is-pinned"
CHOSEN = ".rs-token.is-chosen"
FRAMES = ".shapelayer path"


def show(page: Any, tab: str) -> None:
    """A panel of the place below, in sight."""
    page.click(f"[data-tab={tab}]")
    page.locator(f"[data-panel={tab}]").scroll_into_view_if_needed()


def test_what_is_picked_in_one_panel_is_marked_in_the_others(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=summary-rasd&round=6").page
    page.wait_for_selector(".rs-panel-tree .rs-tree")
    page.locator(".rs-token.is-now").nth(1).hover()
    page.wait_for_selector(".rs-panel-tree .rs-tree-node.is-pointed")
    page.locator(".rs-token.is-now").nth(1).click()
    page.wait_for_selector(PINNED)
    assert page.locator(CHOSEN).count() == 1
    assert page.inner_text(".rs-why .rs-piece") == page.inner_text(CHOSEN).replace(" ", "␣")
    show(page, "entropy")
    page.wait_for_selector(f".rs-panel-entropy {FRAMES} >> nth=1")  # the round's band, and the frame
    show(page, "fusion")
    page.wait_for_selector(".rs-fusion-part.is-fused .is-pinned")
    assert page.locator(".rs-fusion-part .is-pinned").count() == 3
    show(page, "retrieval")
    page.wait_for_selector("[data-panel=retrieval] tr.is-chosen")

    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('.rs-token.is-chosen, tr.is-chosen, .is-pointed')")
    page.locator(".rs-panel-tree").scroll_into_view_if_needed()
    page.wait_for_selector(PINNED, state="detached")
    page.focus("[data-panel=retrieval] .rs-retrieval tr[tabindex='0']")  # a candidate, by key
    page.keyboard.press("Enter")
    page.locator(".rs-panel-tree").scroll_into_view_if_needed()
    page.wait_for_selector(PINNED)
    assert page.get_attribute(PINNED, "aria-level") == "2"  # where its copy begins
    assert page.get_attribute(CHOSEN, "data-index") == page.locator(".rs-token.is-now").first.get_attribute(
        "data-index"
    )
    page.mouse.move(5, 5)

    show(page, "calibration")  # a bar, by its row
    page.click(".rs-panel-depth button:text-is('Table')")
    page.focus(".rs-panel-depth tbody tr[tabindex='0']")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rs-panel-depth tbody tr.is-chosen")
    page.locator(".rs-panel-tree").scroll_into_view_if_needed()
    page.wait_for_selector(PINNED)
    depth = page.inner_text(".rs-panel-depth tbody tr.is-chosen td >> nth=0")
    assert page.get_attribute(PINNED, "aria-level") == str(int(depth) + 1)


def test_a_tree_is_shown_as_it_grew_with_what_was_left_out_and_why(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=summary-rasd&round=6").page
    page.wait_for_selector(".rs-panel-tree .rs-tree")
    page.click("text=As it grew")
    left = ".rs-panel-tree .rs-tree-node.is-pruned"
    page.wait_for_selector(left)
    first = page.locator(left).first
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(PINNED)
    assert "path score" in page.inner_text(".rs-why .rs-card-why")
    assert "weakest that was kept" in page.inner_text(".rs-why .rs-card-why")
    assert page.inner_text(".rs-why").count("grown")
    page.focus(".rs-panel-tree input[type=range]")
    page.keyboard.press("Home")
    nodes = page.locator(".rs-panel-tree .rs-tree-node").count()
    assert page.locator(".rs-panel-tree .rs-tree-node.is-later").count() == nodes - 1
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.rs-panel-tree output').textContent.startsWith('1 of ')")
    assert page.locator(".rs-panel-tree .rs-tree-node.is-later").count() == nodes - 2
    page.click(".rs-panel-tree button:text-is('Table')")
    assert page.locator(".rs-panel-tree tr.is-left.is-chosen").count() == 1
    assert "reranked" in page.inner_text(".rs-panel-tree tr.is-left.is-chosen")


def test_a_guess_of_the_lattice_and_a_window_of_the_trigger_can_be_chosen(server: str, visit) -> None:
    page = visit(f"{server}/?play=0&trace=copy-text-diffuspec&round=3").page
    page.wait_for_selector(".rs-panel-tree .rs-tree")
    show(page, "lattice")
    page.wait_for_selector("[data-panel=lattice] .main-svg")
    page.locator(".rs-token.is-now").first.click()
    page.locator("[data-panel=lattice]").scroll_into_view_if_needed()
    page.wait_for_selector(f"[data-panel=lattice] {FRAMES}")
    page.click("[data-panel=lattice] button:text-is('Table')")
    page.wait_for_selector("[data-panel=lattice] tr.is-chosen")
    page.focus("[data-panel=lattice] tbody tr >> nth=3")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.rs-why').textContent.includes('diffusion model')")

    page.goto(f"{server}/?play=0&trace=question-respec-strict&round=8")
    page.wait_for_selector(".rs-panel-tree .rs-tree")
    show(page, "trigger")
    page.click("[data-panel=trigger] button:text-is('Table')")
    page.focus("[data-panel=trigger] tbody tr[tabindex='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-panel=trigger] tr.is-chosen")
    assert page.inner_text(".rs-round-label").startswith("Round 8 ")  # the window stays in sight
    last = int(page.locator(".rs-token.is-now").first.get_attribute("data-index"))
    assert page.get_attribute(CHOSEN, "data-index") == str(last - 2)
