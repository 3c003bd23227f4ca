"""How a setting is declared: one line with everything that flags, controls, docs and validation need. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Provenance = Literal["paper", "code", "reported", "ours"]


def knob(
    default: Any,
    label: str,
    help: str,
    *,
    provenance: Provenance = "ours",
    unit: str = "",
    step: float | None = None,
    line: str = "",
    idle: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    of: Sequence[str] = (),
    **limits: Any,
) -> Any:
    """A pydantic field with everything a control needs.

    Args:
        line: what it does, in half a sentence; of settings that a form shows first.
        idle: values of other settings with which this one has no effect.
        of: what a text may name, several in an order, see ``several.py``.
        limits: pydantic's (``ge``, ``le`` …).
    """
    unused = {name: list(values) for name, values in idle.items()}
    extra: dict[str, Any] = {
        "provenance": provenance,
        "unit": unit,
        "step": step,
        "line": line,
        "idle": unused,
        "of": list(of),
    }
    return Field(default, title=label, description=help, json_schema_extra=extra, **limits)


class Settings(BaseModel):
    """Base of all settings: immutable, no unknown names, every number finite, nothing converted (``true`` is no number)."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, allow_inf_nan=False, strict=True)
