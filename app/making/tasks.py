"""Tasks of a page's main thread, from a trace of Chromium: how long each took, and on the processor's own clock."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

CATEGORIES = ("devtools.timeline", "disabled-by-default-devtools.timeline")
LONG_MS = 50.0
TASKS = ("RunTask", "ThreadControllerImpl::RunTask")


@dataclass(frozen=True)
class Task:
    """One task: milliseconds on the wall, of the processor, and what in it took longest."""

    wall_ms: float
    cpu_ms: float
    inside: str

    def __str__(self) -> str:
        return f"{self.wall_ms:.0f} ms ({self.cpu_ms:.0f} of the processor): {self.inside}"


def tasks_in(trace: bytes) -> list[Task]:
    """The tasks of the busiest page, longest first."""
    events = json.loads(trace)["traceEvents"]
    named = {(e["pid"], e["tid"]) for e in events if e.get("name") == "thread_name" and _main(e["args"])}
    whole = [e for e in events if e.get("ph") == "X" and (e["pid"], e["tid"]) in named]
    busy = Counter[tuple[int, int]]()
    for event in whole:
        if event["name"] in TASKS:
            busy[event["pid"], event["tid"]] += event.get("dur", 0)
    if not busy:
        return []
    thread = busy.most_common(1)[0][0]
    mine = sorted((e for e in whole if (e["pid"], e["tid"]) == thread), key=lambda e: e["ts"])
    return sorted(_tasks(mine), key=lambda task: -task.wall_ms)


def _main(arguments: dict[str, Any]) -> bool:
    return bool(arguments.get("name") == "CrRendererMain")


def _tasks(events: Sequence[dict[str, Any]]) -> Iterable[Task]:
    """Each outermost task with the events inside it."""
    at = 0
    while at < len(events):
        event = events[at]
        at += 1
        if event["name"] not in TASKS:
            continue
        end = event["ts"] + event.get("dur", 0)
        start = at
        while at < len(events) and events[at]["ts"] < end:
            at += 1
        wall, cpu = event.get("dur", 0) / 1000, event.get("tdur", 0) / 1000
        yield Task(wall, cpu, _longest(events[start:at]) if wall >= LONG_MS else "")


def _longest(events: Sequence[dict[str, Any]]) -> str:
    """The three kinds of work that took longest, scripts by their function."""
    spent = Counter[str]()
    for event in events:
        if event["name"] in TASKS:
            continue
        spent[_name(event)] += event.get("dur", 0)
    return ", ".join(f"{name} {us / 1000:.0f}" for name, us in spent.most_common(4))


def _name(event: dict[str, Any]) -> str:
    data = event.get("args", {}).get("data", {})
    if event["name"] != "FunctionCall" or not isinstance(data, dict):
        return str(event["name"])
    url = str(data.get("url", "")).rpartition("/")[2]
    return f"{event['name']} {data.get('functionName') or '·'} {url}:{data.get('lineNumber', '')}"
