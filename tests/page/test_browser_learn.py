"""Learn in a browser: all lessons by key, their tasks checked, links, class size, a lesson of a teacher, looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from access import grave

from app.learn.goal import Goal
from app.learn.library import LESSONS, Library
from app.loading import Loader

pytestmark = pytest.mark.browser

NAMES = [line["name"] for line in Library().lines()]
SOLVED = "JSON.parse(localStorage.getItem('respec:learn') ?? '{}')"


def opened(page: Any, title: str = "") -> None:
    page.wait_for_function(
        "(t) => document.querySelector('.rs-step-body')?.childElementCount && "
        "document.querySelector('.rs-learn-head h1').textContent.includes(t)",
        arg=title,
    )


def heading(page: Any) -> str:
    return str(page.text_content(".rs-step-title"))


def answer_task(page: Any, view: Any, piece: Any) -> None:
    """Solve a task by key: a number typed, or a slider moved to a value that meets the goal."""
    if view["kind"] == "number":
        page.locator(".rs-learn-number").focus()
        page.keyboard.type(f"{view['right']:.2f}")
        page.keyboard.press("Enter")
        return
    goal = Goal.parse(view["goal"], view["readings"], view["start"])
    values = [one["value"] for one in view["readings"]]
    to = next(i for i, one in enumerate(view["readings"]) if goal.met(one))
    page.locator(".rs-step-body .rs-range >> visible=true").last.focus()
    by = to - values.index(view["start"])
    for _ in range(abs(by)):
        page.keyboard.press("ArrowRight" if by > 0 else "ArrowLeft")
    page.locator(".rs-task button").focus()
    page.keyboard.press("Enter")


def answer_questions(page: Any, step: Any) -> None:
    """Choose the last option of every question by key, and reveal."""
    for box, view in zip(
        page.locator(".rs-question").all(), [p for p in step["pieces"] if p["kind"] == "question"], strict=True
    ):
        box.locator("input").first.focus()
        page.keyboard.press("Space")
        for _ in view["options"][1:]:
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert view["because"] in box.locator(".rs-because").text_content()
        assert box.locator(".is-right .rs-option-mark").text_content() == "✓ right"
        wrong = view["right"] != len(view["options"]) - 1
        assert box.locator(".is-wrong").count() == int(wrong)


@pytest.mark.parametrize("width", [1440, 1024, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_lessons_are_walked_by_key_fit_and_their_tasks_are_solved(
    server: str, visit: Any, axe: str, width: int, theme: str
) -> None:
    library = Library()
    page = visit(f"{server}/learn?lesson=cost&__theme={theme}", wait=False, width=width, dark=theme == "dark").page
    page.wait_for_selector(".rs-dot[data-state=ready]")
    for name in NAMES:
        lesson = library.view(name)
        for i, step in enumerate(lesson["steps"]):
            opened(page, lesson["title"])
            page.wait_for_function(
                "(t) => document.querySelector('.rs-step-title').textContent === t", arg=step["title"]
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, i)
            tops = page.evaluate("[...document.querySelector('.rs-step-body').children].map((e) => e.offsetTop)")
            assert tops == sorted(tops), (name, i)  # read as it is written
            answer_questions(page, step)
            for view in step["pieces"]:
                if view.get("goal") or view["kind"] == "number":
                    answer_task(page, view, view)
                    page.wait_for_selector(".rs-verdict-line[data-right=true]")
            if width != 1024:
                page.wait_for_timeout(60)
                assert grave(page, axe) == [], (name, i)
            page.evaluate("document.activeElement.blur()")
            if (name, i) != (NAMES[-1], len(lesson["steps"]) - 1):
                page.keyboard.press("ArrowRight")
    kept = page.evaluate(SOLVED)
    assert {name: len(kept[name]["seen"]) for name in NAMES} == dict.fromkeys(NAMES, 5)
    assert page.locator(".rs-lesson-far:text-is('✓ done')").count() == len(NAMES)
    background = page.evaluate("getComputedStyle(document.querySelector('.rs-learn-side')).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is (theme == "light")


def test_a_wrong_answer_is_told_and_kept_nowhere(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=respec&step=4", wait=False).page
    opened(page)
    page.click(".rs-task button")
    page.wait_for_selector(".rs-verdict-line[data-right=false]")
    assert "Not yet" in page.text_content(".rs-verdict-line")
    assert page.evaluate(SOLVED)["respec"]["solved"] == []


def test_a_link_opens_lesson_step_and_round_and_the_address_follows(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=guess&step=3&round=4", wait=False).page
    opened(page, "Guess")
    assert heading(page) == "Try"
    assert page.text_content(".rs-round-label").startswith("Round 4 ")
    page.click("button[aria-label='Next round (→)']")
    page.wait_for_function("location.search.includes('round=5')")
    page.reload()
    opened(page, "Guess")
    assert page.text_content(".rs-round-label").startswith("Round 5 ")
    player_is_lives(page)
    page.click(".rs-steps >> text=Task")
    page.wait_for_function("location.search === '?lesson=guess&step=4'")
    page.go_back()
    page.wait_for_function("document.querySelector('.rs-step-title').textContent === 'Try'")
    page.click("[data-lesson=trees]")
    opened(page, "Trees")
    page.click("text=Copy link")
    assert page.evaluate("navigator.clipboard.readText()") == f"{server}/learn?lesson=trees"


def player_is_lives(page: Any) -> None:
    """Plays, is walked by key, and marks what is chosen in text and tree."""
    page.click("[data-size=embedded] .rs-play")
    page.wait_for_function("!document.querySelector('.rs-round-label').textContent.startsWith('Round 5 ')")
    page.click("[data-size=embedded] .rs-play")
    page.locator("[data-size=embedded] .rs-token").nth(1).click()
    page.wait_for_selector(".rs-tree-node.is-pinned")
    assert page.text_content(".rs-round-label").startswith("Round 2 ")
    page.keyboard.press("Escape")
    page.wait_for_selector(".rs-tree-node.is-pinned", state="detached")
    assert heading(page) == "Try"


def test_who_comes_back_finds_the_first_lesson_that_is_not_done(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=cost", wait=False).page
    opened(page)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.rs-step-title').textContent === 'Limits and source'")
    page.goto(f"{server}/learn")
    opened(page, "Guess and check")


def test_the_class_size_is_the_same_page_larger(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=guess", wait=False, width=1920, height=1080).page
    opened(page)
    page.keyboard.press("c")
    page.wait_for_function("location.search.includes('view=class')")
    paragraph = page.locator(".rs-step-body > p").first
    size = paragraph.evaluate("e => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom")
    assert size >= 24
    assert not page.locator(".rs-learn-side").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1920
    page.reload()
    opened(page)
    assert page.locator(".rs-learn.is-class").count() == 1


def test_a_node_of_the_tree_shows_its_row(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=trees", wait=False).page
    page.wait_for_selector(".rs-learn-mask .rs-tree-node")
    page.focus(".rs-learn-mask .rs-tree-node[tabindex='0']")
    page.keyboard.press("ArrowDown")
    node = page.evaluate("document.activeElement.dataset.node")
    rows = Library().view("trees")["steps"][0]["pieces"]
    mask: Any = next(piece for piece in rows if piece["kind"] == "mask")
    at = next(i for i, row in enumerate(mask["rows"]) if row["id"] == int(node))
    assert page.locator(".rs-mask-row").nth(at).get_attribute("class") == "rs-mask-row is-shown"
    assert page.locator(".rs-mask-row.is-shown .rs-mask-on").count() == len(mask["rows"][at]["sees"]) + 1


def test_the_rule_draws_and_its_counts_are_those_of_the_target(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=rule", wait=False).page
    opened(page)
    page.click("text=Draw one")
    assert "q offers" in page.text_content(".rs-knob-said")
    for _ in range(5):
        page.click("text=Draw 100")
    counts = [int(text.split()[0]) for text in page.locator(".rs-learn-rule td:last-child").all_text_contents()]
    assert sum(counts) == 501
    page.click("text=Start again")
    assert "Nothing drawn yet" in page.text_content(".rs-learn-rule .rs-caption")


def test_a_word_explains_itself_by_key(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=trees", wait=False).page
    opened(page)
    page.focus(".rs-term >> text=draft tree")
    page.wait_for_selector(".rs-float >> text=One path at most is accepted")
    shown = page.text_content(".rs-learn-mask .rs-caption")
    assert page.text_content(".rs-float .rs-here") == f"Here: {shown}"
    page.keyboard.press("Tab")
    page.wait_for_selector(".rs-float >> text=sees the committed text")


def test_the_automaton_grows(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=copying", wait=False).page
    opened(page)
    states = page.locator(".rs-sam-state").count()
    page.focus(".rs-step-body .rs-range")
    page.keyboard.press("End")
    assert page.locator(".rs-sam-state").count() > states
    assert page.text_content(".rs-automaton-text mark.is-matched")
    for kind in ("SVG", "PNG"):
        with page.expect_download() as saved:
            page.get_by_label(f"Save this drawing as {kind}").click()
        assert saved.value.suggested_filename == f"respec-copying-0-2.{kind.lower()}"
        begins = saved.value.path().read_bytes()[:4]
        assert begins == (b"<svg" if kind == "SVG" else b"\x89PNG")


def test_a_draft_tree_grows_and_is_reranked(server: str, visit: Any) -> None:
    page = visit(f"{server}/learn?lesson=eagle", wait=False).page
    page.wait_for_selector(".rs-learn-growth .rs-tree-node")
    nodes = page.locator(".rs-learn-growth .rs-tree-node")
    first = nodes.count()
    page.focus(".rs-learn-growth .rs-range")
    page.keyboard.press("End")
    page.wait_for_selector(".rs-learn-growth .rs-tree-node.is-strict_accept")
    assert nodes.count() > first and page.locator(".rs-learn-growth .is-pruned").count() > 0
    assert "The target takes" in page.text_content(".rs-learn-growth .rs-knob-said")


def test_a_lesson_written_here_appears_and_works_and_its_markup_stays_text(
    serve: Callable[..., str], tiny_loader: Loader, visit: Any, tmp_path: Path
) -> None:
    (tmp_path / "90-mine.md").write_text(
        "---\ntitle: Mine <b>own</b>\nminutes: 1\nabout: Of a teacher.\n---\n## Start\n\n<img src=x onerror=\"document.title='owned'\"> "
        "and **this** [here](javascript:document.title='owned')\n\n```knob\nknob: forward\ngoal: cost >= 2\nsay: Find it.\n```\n"
    )
    (tmp_path / "91-bad.md").write_text("no head")
    server = serve(tiny_loader, library=Library((LESSONS, tmp_path)))
    page = visit(f"{server}/learn?lesson=mine", wait=False).page
    opened(page, "Mine <b>own</b>")
    assert page.locator(".rs-step-body img").count() == page.locator(".rs-step-body a").count() == 0
    page.focus(".rs-step-body .rs-range")
    page.keyboard.press("End")
    page.click(".rs-task button")
    page.wait_for_selector(".rs-verdict-line[data-right=true]")
    assert page.title() != "owned"
    assert "does not begin with its title" in page.text_content(".rs-lesson-wrong")


def test_the_pages_lead_to_lessons_and_back(server: str, visit: Any) -> None:
    page = visit(f"{server}/?play=0").page
    page.click("text=New here?")
    opened(page, "1. Why")
    assert page.locator("nav a[aria-current=page]").first.text_content() == "Learn"
    page.click("nav >> text=Live")
    page.wait_for_selector(".rs-live .rs-token")
    assert page.locator("text=New here?").count() == 0
    page.click("nav >> text=Learn")
    opened(page, "1. Why")
    assert json.loads(page.evaluate("localStorage.getItem('respec:learn')"))["cost"]["seen"] == [0]
