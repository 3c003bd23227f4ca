"""The log of a benchmark: its settings, then one measurement a line, so that an interrupted benchmark can go on."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from respec_core.bench.results import Measurement
from respec_core.bench.sharing import parts
from respec_core.boundary.output import make_folder, told, write_text
from respec_core.errors import ReSpecError

LOG = "measurements.jsonl"
REMEDY = "remove it or give another --out"


@contextmanager
def reserved(out: Path) -> Iterator[None]:
    """The folder ``out``, made where it is missing, for one process at a time.

    Raises:
        ReSpecError: if another process has it, or it cannot be written.
    """
    make_folder(out)
    lock = FileLock(out / ".lock", timeout=0)
    with told(out):
        try:
            lock.acquire()
        except Timeout as error:
            raise ReSpecError(f"Another process is writing to {out}: wait for it or give another --out.") from error
    try:
        yield
    finally:
        lock.release()


@dataclass(frozen=True)
class Log:
    """The log in a reserved folder.

    Attributes:
        settings: all that the measurements depend on, as JSON values; the first line.
        methods: labels of the methods, each measured on every question.
    """

    path: Path
    settings: dict[str, Any]
    methods: Sequence[str]

    def at(self, folder: Path) -> Log:
        """The same in another folder."""
        return replace(self, path=folder / self.path.name)

    def go_on(self) -> list[Measurement]:
        """:meth:`resume` where there is one, else begin it with the settings."""
        if self.path.exists():
            return self.resume()
        write_text(self.path, self._first_line())
        return []

    def everything(self) -> list[Measurement]:
        """What :meth:`resume` finds, with what several processes left unmerged; nothing is written."""
        folders = [self.path.parent] if self.path.exists() else []
        folders += parts(self.path.parent, self.path.name)
        found = (m for folder in folders for m in self.at(folder)._finished()[0])
        return [*{(m.question, m.method): m for m in found}.values()]

    def add(self, measurements: Iterable[Measurement]) -> None:
        """Append the measurements of a question."""
        with told(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write(_lines(measurements))

    def resume(self) -> list[Measurement]:
        """Measurements of the questions that were finished; what was cut off or left unfinished is dropped from the file.

        Raises:
            ReSpecError: if it is not the log of a benchmark, or one with other settings.
        """
        finished, raw = self._finished()
        if (kept := self._first_line() + _lines(finished)).encode() != raw:
            write_text(self.path, kept)
        return finished

    def _finished(self) -> tuple[list[Measurement], bytes]:
        raw = self._read()
        first, *lines = raw[: raw.rfind(b"\n")].split(b"\n")  # a line cut while it was written has no end
        self._compare(first)
        by_question: dict[str, dict[str, Measurement]] = defaultdict(dict)
        for number, line in enumerate(lines, 2):
            try:
                measurement = Measurement.model_validate_json(line)
            except ValueError as error:
                raise ReSpecError(f"{self.path}, line {number} is not a measurement: {REMEDY}.") from error
            by_question[measurement.question][measurement.method] = measurement
        whole = [m for found in by_question.values() if set(found) == set(self.methods) for m in found.values()]
        return whole, raw

    def _read(self) -> bytes:
        try:
            raw = self.path.read_bytes()
        except OSError as error:
            raise ReSpecError(f"{self.path} cannot be read: {error.strerror}; {REMEDY}.") from error
        if not raw:
            raise ReSpecError(f"{self.path} is empty, not the log of a benchmark: {REMEDY}.")
        return raw

    def _compare(self, first: bytes) -> None:
        try:
            found = json.loads(first)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not {"configs", "models"} <= set(found):
            raise ReSpecError(f"{self.path} is not the log of a benchmark: {REMEDY}.")
        differing = [name for name in {**self.settings, **found} if found.get(name) != self.settings.get(name)]
        if differing:
            raise ReSpecError(
                f"{self.path.parent} was measured with other methods, settings or models ({', '.join(differing)}): "
                "give another --out."
            )

    def _first_line(self) -> str:
        return json.dumps(self.settings, sort_keys=True) + "\n"


def merge(log: Log, order: Sequence[str]) -> list[Measurement]:
    """All measurements, those of several processes taken into ``log`` in the ``order`` of their questions."""
    there = parts(log.path.parent, log.path.name)
    if not there:
        return log.resume()
    place = {id: i for i, id in enumerate(order)}
    found = sorted(log.everything(), key=lambda m: place.get(m.question, len(place)))
    write_text(log.path, log._first_line() + _lines(found))
    for part in there:
        shutil.rmtree(part, ignore_errors=True)
    return found


def _lines(measurements: Iterable[Measurement]) -> str:
    return "".join(m.model_dump_json() + "\n" for m in measurements)
