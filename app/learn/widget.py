"""What a lesson's widgets have in common: the fields a lesson writes, the view a browser draws, the check of an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from pydantic import BaseModel, ConfigDict

from respec_core.trace.schema import Run

MAX_FIELD = 400  # characters

Runs = Callable[[str], Run]  # recorded runs by name; raises ReSpecError for one that is not there
View = Mapping[str, Any]  # a TypedDict with its ``kind``


class Fields(BaseModel):
    """Base of the values that a block declares, each a line ``name: value``."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_max_length=MAX_FIELD)


class Verdict(TypedDict):
    """Whether an answer is right, and why."""

    right: bool
    sentence: str


@dataclass(frozen=True)
class Widget:
    """A kind of block.

    Attributes:
        name: as the block calls it.
        fields: what it may say.
        view: what the browser draws; raises ReSpecError for values that make no sense.
        check: of an answer to what the view shows, where the server checks one.
    """

    name: str
    fields: type[Fields]
    view: Callable[[Any, Runs], View]
    check: Callable[[View, object], Verdict] | None = None


def as_number(given: object) -> float | None:
    """An answer that is a number; None for any other."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if abs(given) < 1e9 else None
