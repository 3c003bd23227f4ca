"""A class of thirty: 25 read lessons and recorded runs, 5 run the model. ``python -m app.making.visitors [--replicas N]``.

Times of the 25 before and while the 5 run, and what the 5 waited; one table, in two minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from statistics import median
from typing import Any

import httpx
from gradio_client import Client

from app.gallery import recordings
from app.learn.library import Library
from app.making.server import TIMEOUT, serving, until_loaded
from app.message_types import Packet
from app.requests import RunAsked

READERS, RUNNERS = 25, 5
WARMING = 6.0  # seconds of reading that are not counted: lessons and runs are opened once
THINKING = 2.0  # seconds between two pages of a reader
PROMPT = "Write a short story about a lighthouse keeper."
Times = dict[str, list[float]]


class Reader:
    """Somebody who reads: what a browser asks for, without one."""

    _numbers = count()

    def __init__(self, server: str) -> None:
        self._http = httpx.Client(base_url=server, timeout=TIMEOUT)
        config = self._http.get("/config").json()
        self._elements = {c["props"].get("elem_id"): c["id"] for c in config["components"]}
        self._run = next(
            d["id"] for d in config["dependencies"] if [self._elements.get("rs-controls"), "run"] in d["targets"]
        )
        self._loads = {
            d["outputs"][0]: d["id"]
            for d in config["dependencies"]
            if d["outputs"] and any(event == "load" for _, event in d["targets"])
        }

    def lesson(self, name: str) -> dict[str, Any]:
        """A lesson, as the page asks for it."""
        asked = {
            "data": name,
            "fn_name": "lesson",
            "component_id": self._elements["rs-learn"],
            "session_hash": "reader",
        }
        answer = self._http.post("/gradio_api/component_server", json=asked)
        answer.raise_for_status()
        return dict(json.loads(answer.json()))

    def opens(self, page: str = "rs-live", query: str = "") -> str:
        """A page and what it is sent when it opens, through Gradio's queue."""
        self._http.get(f"/{'' if page == 'rs-live' else 'learn'}?{query}").raise_for_status()
        session = f"reader{next(self._numbers)}"
        asked = {"data": [], "fn_index": self._loads[self._elements[page]], "session_hash": session}
        self._http.post(f"/gradio_api/queue/join?{query}", json=asked).raise_for_status()
        with self._http.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
            return "".join(lines.iter_text())

    def runs(self, asked: RunAsked) -> Iterator[Packet]:
        """The packets of a run of the Live page."""
        session = f"reader{next(self._numbers)}"
        event = {"data": [], "event_data": asked, "fn_index": self._run, "session_hash": session}
        self._http.post("/gradio_api/queue/join", json=event).raise_for_status()
        with self._http.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
            for line in lines.iter_lines():
                said = json.loads(line.removeprefix("data: ") or "{}")
                if said.get("msg") == "process_generating":
                    (packet,) = said["output"]["data"]
                    yield json.loads(packet if isinstance(packet, str) else packet[0][-1])  # later ones as what changed

    def health(self) -> dict[str, Any]:
        """What the server says of itself."""
        return dict(self._http.get("/health").json())

    def close(self) -> None:
        """Leave."""
        self._http.close()


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="app.making.visitors", description=__doc__)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=35, help="of reading alone, and again beside the runs")
    options = parser.parse_args(arguments)
    flags = ["--model", options.model, "--replicas", str(options.replicas)]
    with serving("app.py", *flags, "--port") as url:
        until_loaded(url, options.replicas)
        _read(url, WARMING)
        alone = _read(url, options.seconds)
        over, runs = threading.Event(), Times()
        running = _started(RUNNERS, lambda _: _run(url, over, runs))
        beside = _read(url, options.seconds)
        over.set()
        for thread in running:
            thread.join()
        print(table(alone, beside, runs, options.replicas))


def _started(n: int, act: Callable[[int], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=act, args=(i,), daemon=True) for i in range(n)]
    for thread in threads:
        thread.start()
    return threads


def _read(url: str, seconds: float) -> Times:
    """All readers for so long; seconds of each page by kind."""
    lessons = [line["name"] for line in Library().lines()]
    traces, times, end = list(recordings()), Times(), time.perf_counter() + seconds

    def read(number: int) -> None:
        reader = Reader(url)
        time.sleep(THINKING * number / READERS)
        for turn in count(number):
            if time.perf_counter() >= end:
                break
            name, trace = lessons[turn % len(lessons)], traces[turn % len(traces)]
            if turn % 2:
                _timed(times, "a lesson", partial(reader.lesson, name))
            else:
                _timed(times, "a recorded run", partial(reader.opens, query=f"trace={trace}"))
            time.sleep(THINKING)
        reader.close()

    for thread in _started(READERS, read):
        thread.join()
    return times


def _run(url: str, over: threading.Event, times: Times) -> None:
    """One visitor who runs the model, again and again."""
    client = Client(url, verbose=False)
    while not over.is_set():
        began, first = time.perf_counter(), None
        for _ in client.submit(PROMPT, "respec-strict", "{}", 64, 0, "auto", api_name="/stream_trace"):
            first = first or time.perf_counter()
        times.setdefault("wait for the first round", []).append((first or time.perf_counter()) - began)
        times.setdefault("run, with the wait", []).append(time.perf_counter() - began)


def _timed(times: Times, name: str, act: Callable[[], Any]) -> None:
    began = time.perf_counter()
    act()
    times.setdefault(name, []).append(time.perf_counter() - began)


def table(alone: Times, beside: Times, runs: Times, replicas: int) -> str:
    """In Markdown: how many, median, nineteen in twenty, the longest."""
    rows = [
        *((f"{name}, nobody runs", alone[name]) for name in sorted(alone)),
        *((f"{name}, {RUNNERS} run", beside[name]) for name in sorted(beside)),
        *((name, runs[name]) for name in sorted(runs, reverse=True)),
    ]
    head = f"| {READERS} readers, {RUNNERS} runners, {replicas} model{'s' * (replicas > 1)} | n | median s | 95 % s | longest s |"
    return "\n".join([head, "|---|---|---|---|---|", *(f"| {name} | {_told(found)} |" for name, found in rows)])


def _told(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    late = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"{len(ordered)} | {median(ordered):.2f} | {late:.2f} | {ordered[-1]:.2f}"


if __name__ == "__main__":
    main(sys.argv[1:])
