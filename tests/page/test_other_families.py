"""A family of another package, one folder and one entry point, is found wherever methods are listed, run, shown and checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "tests" / "support" / "toy_family"
REFUSED = 2
PROMPT = ["--prompt", "abcabcabcabcabc", "--raw", "--max-new-tokens", "12"]
PAGE = """
import sys
from pathlib import Path
from app.form import form_schema
from app.messages import Packer, RoundWriter, running, whole
from app.saved_page import page_with
from respec_core.methods.traces import read_trace
run = read_trace(Path(sys.argv[1]))
packet = Packer("x").pack([whole(run), running(run), RoundWriter().write(run.steps[0], run.tokens[:len(run.steps[0].commit.emitted_ids)])])
Path(sys.argv[2]).write_text(packet)
Path(sys.argv[3]).write_text(page_with(Packer("x").pack([whole(run)])))
print([method["name"] for method in form_schema()["methods"]])
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What installing the other package leaves beside its folder: its registration line."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "toy-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[respec_studio.methods]\ntoy = toy_family:FAMILY\n")
    (folder / FOLDER.name).symlink_to(FOLDER)
    return folder


def python(installed: Path, *arguments: str, code: int = 0) -> str:
    """What a Python with the other package prints, or says where it refuses."""
    paths = os.pathsep.join([str(installed), str(REPOSITORY)])
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning:respec_core", *arguments],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code == REFUSED else done.stdout


@pytest.fixture(scope="module")
def trace(installed: Path, model_dir: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the toy, by the command line."""
    path = tmp_path_factory.mktemp("trace") / "toy.json"
    own = ["--method", "toy", "--set", "reach=3", "--set", "budget=own", "--trace", str(path)]
    python(installed, "-m", "respec_core", "generate", "--model", model_dir, *PROMPT, *own)
    return path


def test_its_record_is_in_the_trace_and_its_invariant_is_asked(installed: Path, trace: Path, tmp_path: Path) -> None:
    data = json.loads(trace.read_text())
    assert data["method"] == "toy" and data["config"]["params"] == {"reach": 3}
    assert all(step["memory"]["drafted"] <= 3 for step in data["steps"])
    assert any(step["memory"]["drafted"] for step in data["steps"])
    python(installed, "-m", "respec_core", "check", str(trace))
    data["steps"][-1]["memory"]["known"] = 0
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(data))
    said = python(installed, "-m", "respec_core", "check", str(broken), code=1)
    assert "memory: round" in said and "0 now" in said


@pytest.mark.slow
def test_what_it_loads_is_an_option_a_need_and_in_the_trace(installed: Path, model_dir: str, tmp_path: Path) -> None:
    """Its resource is declared in its folder, and asked for by type in its drafter."""
    assert "--notebook FILE" in python(installed, "-m", "respec_core", "generate", "--help")
    generate = ["-m", "respec_core", "generate", "--model", model_dir, *PROMPT, "--set", "budget=own"]
    said = python(installed, *generate, "--method", "toy-noted", code=REFUSED)
    sentence = "needs a notebook: write one, a JSON list of [token, successor] pairs, and give --notebook FILE."
    assert said.strip().splitlines()[-1].endswith(f"toy-noted {sentence}")
    loaded = f"from app.loading import Loader; from respec_core.methods.opening import ModelChoice; print(Loader(ModelChoice({model_dir!r})).start().wait().status.missing['toy-noted'])"
    assert python(installed, "-c", loaded).strip() == sentence
    notebook, path = tmp_path / "notebook.json", tmp_path / "noted.json"
    notebook.write_text("[[1, 2], [3, 4]]")
    noted = ["--method", "toy-noted", "--notebook", str(notebook), "--trace", str(path)]
    python(installed, *generate, *noted)
    assert json.loads(path.read_text())["models"]["notebook"] == {"noted": 2}
    python(installed, "-m", "respec_core", "check", str(path))
    notebook.write_text("[[1, 100000]]")
    assert "The notebook has token 100000" in python(installed, *generate, *noted, code=REFUSED)
    asked = f"import respec_core; studio = respec_core.load({model_dir!r}, notebook={str(notebook)!r})"
    notebook.write_text("[[1, 2]]")
    python(installed, "-c", f"{asked}; assert studio.models.describe()['notebook'] == {{'noted': 1}}")


def test_without_the_package_its_trace_is_refused(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from respec_core.cli import main

    assert main(["check", str(trace)]) == 2
    assert "memory" in capsys.readouterr().err


@pytest.mark.slow
def test_it_is_compared_and_benchmarked(installed: Path, model_dir: str, tmp_path: Path) -> None:
    methods = ["--model", model_dir, "--methods", "vanilla,toy"]
    rows = json.loads(python(installed, "-m", "respec_core", "compare", *methods, *PROMPT, "--json"))
    assert "toy" in json.dumps(rows)
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({"question_id": 0, "category": "copy", "turns": ["abcabcabc"]}))
    out = ["--questions", str(questions), "--out", str(tmp_path / "out"), "--max-new-tokens", "8"]
    python(installed, "-m", "respec_core", "bench", *methods, *out)
    row = json.loads((tmp_path / "out" / "results.json").read_text())["kinds"]["copy"]["toy"]
    assert row["equal"] is True


def page_of(installed: Path, trace: Path, folder: Path) -> tuple[list[dict[str, Any]], Path, str]:
    """Messages, saved page and methods of the form."""
    packet, page = folder / "packet.json", folder / "page.html"
    said = python(installed, "-c", PAGE, str(trace), str(packet), str(page))
    return json.loads(packet.read_text())["messages"], page, said


def test_its_panels_are_in_the_page_the_stream_and_the_saved_page(installed: Path, trace: Path, tmp_path: Path) -> None:
    (whole, running, round), page, methods = page_of(installed, trace, tmp_path)
    assert "'toy'" in methods
    assert all(view["panels"]["memory"]["sentence"].endswith("successor.") for view in whole["views"])
    assert round["view"]["panels"]["memory"] == whole["views"][0]["panels"]["memory"]
    assert whole["panels"]["memory"].startswith("Whole run: ")
    assert set(whole["panels"]["memory-growth"]["figures"]) == {"Remembered", "Accepted"}
    assert running["panels"]["memory-growth"] == whole["panels"]["memory-growth"]
    text = page.read_text()
    assert '\\"id\\": \\"memory\\", \\"title\\": \\"Memory\\"' in text and "have a remembered successor." in text


@pytest.mark.browser
@pytest.mark.parametrize("width", [1440, 390])
def test_its_panels_are_drawn_by_the_general_component(
    installed: Path, trace: Path, tmp_path: Path, visit, width: int
) -> None:
    _, file, _ = page_of(installed, trace, tmp_path)
    page = visit(file.as_uri(), width=width, dark=width < 900).page
    for panel, words in (("memory", "remembered successor"), ("memory-growth", "The memory grew to")):
        page.click(f"[data-tab={panel}]")
        page.locator(f".rs-panel-{panel}").scroll_into_view_if_needed()
        place = page.locator(f".rs-panel-{panel}")
        page.wait_for_selector(f".rs-panel-{panel} .main-svg >> visible=true")
        assert words in place.locator(".rs-method-line").inner_text()
        assert words in place.locator("[role=img]").first.get_attribute("aria-label")
    assert place.locator("h3").all_inner_texts() == ["Remembered", "Accepted"]
    assert place.locator("button:text-is('Table')").is_hidden()  # its view has none
    assert page.locator(".rs-panel-memory").is_hidden()
    page.click("[data-tab=memory]")
    place = page.locator(".rs-panel-memory")
    assert place.locator(".rs-method-total").inner_text().startswith("Whole run: ")
    place.locator("button:text-is('Table')").click()
    assert place.locator(".rs-table tbody td:first-child").all_inner_texts() == ["drafted", "accepted"]
    assert place.locator(".main-svg").first.is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_the_conformance_suite_tests_it(installed: Path) -> None:
    chosen = "toy and not noted and (strict_greedy or events_tell or closing_at or token_limit)"
    said = python(installed, "-m", "pytest", "tests/conformance", "-p", "no:cacheprovider", "-k", chosen)
    assert " passed" in said and "failed" not in said
