"""Reading and checking traces of all registered methods. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from respec_core.methods.family import named
from respec_core.methods.registry import FAMILIES, METHODS
from respec_core.trace.extensions import Check, Extensions
from respec_core.trace.files import run_from, run_in
from respec_core.trace.invariants import SHARED_CHECKS, broken_rules
from respec_core.trace.recomputing import recomputed
from respec_core.trace.schema import Run

SIZING = "respec_core.methods.sizing_check:sizing_problems"  # the engine's own arithmetic again, for all that draft


@cache
def registered() -> Extensions:
    """What the methods that there are add to traces."""
    return Extensions(
        {method.name: method.settings for method in METHODS},
        {name: kind for family in FAMILIES for name, kind in family.records.items()},
        {"sizing": _later(SIZING)} | {name: _later(check) for family in FAMILIES for name, check in family.checks},
        {method.name: method.traits for method in METHODS},
    )


def _later(place: str) -> Check:
    """A check that is imported when it is first asked."""
    return lambda reading: named(place)(reading)


def parse_trace(data: str | bytes | Mapping[str, Any]) -> Run:
    """A trace of any method, from JSON text or an object.

    Raises:
        ReSpecError: if it is too large, not JSON, of another version, or not a trace; says which, and where.
    """
    return run_from(data, registered())


def read_trace(path: Path) -> Run:
    """The trace in a file.

    Raises:
        ReSpecError: if the file cannot be read or does not hold a trace.
    """
    return run_in(path, registered())


def examined(run: Run) -> tuple[Run, list[str]]:
    """A trace as it may be shown, and every broken invariant: where there is one, the rounds decide about the figures."""
    broken = violations(run)
    return (recomputed(run), broken) if broken else (run, [])


def check_names() -> tuple[str, ...]:
    """The groups of invariants there are."""
    return (*SHARED_CHECKS, *registered().checks)


def violations(run: Run) -> list[str]:
    """Every broken invariant as one sentence, those that methods declare included; empty when the trace is sound."""
    return broken_rules(run, registered())
