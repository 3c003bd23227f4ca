"""Processor time of the processes below this one, by their names. Linux."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PARENT, USER, SYSTEM = 1, 11, 12  # of what stands behind the name in a process's ``stat``


@dataclass(frozen=True)
class Process:
    """A process: the one that started it, and what it has spent."""

    name: str
    parent: int
    seconds: float


def processor_seconds(root: int | None = None, proc: Path = PROC) -> dict[str, float]:
    """What every process below ``root`` (this one) has spent that still runs, summed by name."""
    root = os.getpid() if root is None else root
    found = processes(proc)
    spent = defaultdict[str, float](float)
    for process in found.values():
        above = process
        while above.parent != root and above.parent in found:
            above = found[above.parent]
        if above.parent == root:
            spent[process.name] += process.seconds
    return spent


def processes(proc: Path = PROC) -> dict[int, Process]:
    """All there are, by number."""
    found = {}
    for line in proc.glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            head, _, rest = line.read_text().rpartition(")")
            number, _, name = head.partition(" (")
            fields = rest.split()
            ticks = int(fields[USER]) + int(fields[SYSTEM])
            found[int(number)] = Process(name, int(fields[PARENT]), ticks / os.sysconf("SC_CLK_TCK"))
    return found
