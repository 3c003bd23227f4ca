"""ReSpec Studio's engine: speculative decoding whose every decision can be traced.

Usable as a library; knows nothing of the user interface. See ``methods/studio.py`` for what it offers::

    studio = respec_core.load("smollm2-135m")
    run = studio.generate("Say hello.", method="sam")

Nothing is imported before it is used: torch, which is slow to load, not before :func:`load` is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from respec_core.errors import ReSpecError as ReSpecError
    from respec_core.methods.studio import Studio as Studio
    from respec_core.methods.studio import load as load
    from respec_core.methods.traces import read_trace as read_trace
    from respec_core.trace.schema import Run as Run

__version__ = "0.1.0"
_HOMES = {
    "ReSpecError": "respec_core.errors",
    "Run": "respec_core.trace.schema",
    "Studio": "respec_core.methods.studio",
    "load": "respec_core.methods.studio",
    "read_trace": "respec_core.methods.traces",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
