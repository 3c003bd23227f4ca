"""What a page costs: processor time by process, and the sentence about it."""

from __future__ import annotations

import os
from pathlib import Path

import gradio as gr

from app.making.page_cost import RunCost, told
from app.making.processor import processor_seconds

TICK = os.sysconf("SC_CLK_TCK")


def running(proc: Path, number: int, name: str, parent: int, seconds: float) -> None:
    """As Linux tells of a process; user time and the system's."""
    fields = ["S", parent, *[0] * 9, round(seconds * TICK) - 1, 1, *[0] * 30]
    (proc / str(number)).mkdir()
    (proc / str(number) / "stat").write_text(f"{number} ({name}) {' '.join(map(str, fields))}\n")


def test_processor_time_is_of_those_below_by_name(tmp_path: Path) -> None:
    running(tmp_path, 1, "init", 0, 100)
    running(tmp_path, 7, "me", 1, 50)
    running(tmp_path, 8, "python", 7, 3)
    running(tmp_path, 9, "odd (name) x", 7, 1)
    running(tmp_path, 10, "chromium", 9, 2)
    running(tmp_path, 11, "chromium", 10, 0.5)
    running(tmp_path, 12, "python", 1, 70)
    (tmp_path / "13").mkdir()  # has just ended
    assert processor_seconds(7, tmp_path) == {"python": 3, "odd (name) x": 1, "chromium": 2.5}
    assert processor_seconds(12, tmp_path) == {}


def test_the_cost_is_told_by_who_looks_on() -> None:
    alone = RunCost(10.0, 500, 9.0, 0.0)
    turns = [
        {"page": RunCost(11.0, 500, 9.5, 2.0), "reader": RunCost(10.1, 500, 9.25, 0.0), "nobody": alone},
        {"page": RunCost(12.0, 500, 9.5, 2.0), "reader": RunCost(10.2, 500, 9.25, 0.0), "nobody": alone},
        {"page": RunCost(10.5, 500, 9.5, 2.0), "reader": RunCost(9.9, 500, 9.25, 0.0), "nobody": alone},
    ]
    head, page, reader = told(turns).splitlines()
    assert head == "500 rounds, 50 a second with nobody looking, n = 3"
    assert page.startswith("page: +10.0 % of time by it (+5.0 to +20.0)") and "server +1.00, browser 4.00" in page
    assert reader.startswith("reader: +1.0 % of time by it (-1.0 to +2.0)") and "server +0.50, browser 0.00" in reader


def test_gradio_still_has_the_pauses_that_the_page_lengthens() -> None:
    """They are Gradio's own, and setting one that is gone would say nothing."""
    with gr.Blocks() as demo:
        pass
    assert {"sleep_when_free", "progress_update_sleep_when_free"} <= vars(demo.queue()._queue).keys()
