"""Deltas and the final message agree, packets are numbered, and none of it needs torch."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from app import messages, saved_page, served_page
from app.files import STATIC
from app.messages import Packer, RoundWriter
from app.panels.entropy import append
from app.saved_page import PLACE, modules, page_with
from app.showcases import SHOWCASES, showcase_run
from respec_core.methods.traces import parse_trace
from respec_core.trace.schema import Run

ROOT = Path(__file__).resolve().parents[2]
NAMES = [showcase.name for showcase in SHOWCASES]


def run_of(name: str) -> Run:
    run = showcase_run(name)
    assert run is not None
    return run


@pytest.mark.parametrize("name", NAMES)
def test_deltas_add_up_to_the_final_message(name: str) -> None:
    run = run_of(name)
    figures = messages.started(run)["figures"]
    writer, at, views = RoundWriter(), 0, []
    for step in run.steps:
        tokens = run.tokens[at : at + len(step.commit.emitted_ids)]
        message = writer.write(step, tokens)
        for figure in ("entropy", "timeline"):
            append(figures[figure], message["append"][figure])
        views.append(message["view"])
        at += len(tokens)
    final = messages.whole(run)
    assert views == final["views"]
    assert figures["entropy"]["data"] == final["figures"]["entropy"]["data"]
    assert figures["timeline"]["data"][:-1] == final["figures"]["timeline"]["data"][:-1]  # plain comes at the end


@pytest.mark.parametrize("name", NAMES)
def test_exported_trace_is_the_trace(name: str) -> None:
    run = run_of(name)
    sent = json.loads(Packer("s").pack([messages.whole(run)]))["messages"][0]
    assert parse_trace(messages.trace_from(sent)) == run


def test_packets_are_numbered_by_stream() -> None:
    packer = Packer("one")
    packets = [json.loads(packer.pack([{"kind": "x"}])) for _ in range(3)]
    assert [packet["seq"] for packet in packets] == [0, 1, 2]
    assert {packet["stream"] for packet in packets} == {"one"}


def test_running_numbers_pass_no_verdict() -> None:
    run = run_of(NAMES[0])
    message = messages.running(run)
    assert message["badges"] == [] and message["verdict"] == ""
    assert message["metrics"][0]["value"]


def test_a_saved_page_needs_neither_torch_nor_gradio() -> None:
    code = """
import sys
from app.messages import Packer, whole
from app.showcases import OPENING, showcase_run
from app.saved_page import page_with
from app.requests import from_query
run = showcase_run(OPENING)
page = page_with(Packer("x").pack([whole(run)]))
assert len(page) > 4_000_000 and from_query({"method": "pld"})["method"] == "pld"
print(sorted({"torch", "transformers", "gradio", "numpy"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_the_page_is_built_before_torch_is_imported() -> None:
    code = """
import sys
from app.build import build, launch_options
from app.serving.line import Line
from app.serving.runners import Here
from app.command import parse
from app.loading import Loader
from respec_core.methods.opening import ModelChoice
loader = Loader(ModelChoice("x"))
line = Line([Here(loader)])
build(loader, line)
launch_options(loader, line)
print("torch" in sys.modules, "transformers" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == "False False"


def test_what_the_app_styles_is_styled_in_a_saved_page() -> None:
    """But for other pages, the shelf and what stands there before the scripts, which a saved page has not."""
    used = set(re.findall(r"rs-[a-z-]+", " ".join(modules().values())))
    shown = [name for name in served_page.STYLES if name not in ("lab", "learn", "shelf", "first_sight")]
    assert used & styled(shown) <= styled(saved_page.STYLES)


def styled(names: Iterable[str]) -> set[str]:
    return {found for name in names for found in re.findall(r"\.(rs-[a-z-]+)", (STATIC / f"{name}.css").read_text())}


def test_saved_page_is_one_file_with_nothing_to_fetch() -> None:
    found = modules()
    assert f"{PLACE}live.js" in found and f"{PLACE}lattice.js" in found
    for text in found.values():
        asked = re.findall(r"""(?:from|import)[ (]*["'`](.+?)["'`][;)]""", text)
        assert set(asked) <= set(found)
    page = page_with('{"a": "</script><b>"}')
    assert "</script><b>" not in page
    assert 'src="http' not in page and "@import" not in page
