"""The declared settings of a class as controls, help texts and the settings page need them. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic.fields import FieldInfo

from respec_core.settings.run_config import Settings

KnobKind = Literal["bool", "int", "float", "choice"]
PROVENANCE_LABEL: dict[str, str] = {
    "paper": "from the paper",
    "code": "from the authors' code",
    "reported": "reported by a third party",
    "ours": "our default",
}


@dataclass(frozen=True)
class Knob:
    """One declared setting, as controls and help texts need it."""

    name: str
    group: str
    label: str
    help: str
    kind: KnobKind
    default: Any
    low: float | None
    high: float | None
    step: float | None
    choices: tuple[str, ...]
    unit: str
    provenance: str

    @property
    def badge(self) -> str:
        """Provenance as shown next to the control."""
        return PROVENANCE_LABEL[self.provenance]


KINDS: dict[Any, KnobKind] = {bool: "bool", int: "int", float: "float"}


def knobs(settings: type[Settings], group: str) -> Iterator[Knob]:
    """The declared settings of a class, in order; free-text fields are not knobs."""
    for name, field in settings.model_fields.items():
        extra = field.json_schema_extra
        if not isinstance(extra, dict) or "provenance" not in extra:
            continue
        choices = getattr(field.annotation, "__args__", ()) if field.annotation not in (bool, int, float) else ()
        low, high = _limits(field)
        step = extra["step"]
        yield Knob(
            name,
            group,
            field.title or name,
            field.description or "",
            KINDS.get(field.annotation, "choice"),
            field.default,
            low,
            high,
            step if isinstance(step, int | float) else None,
            tuple(choices),
            str(extra["unit"]),
            str(extra["provenance"]),
        )


def _limits(field: FieldInfo) -> tuple[float | None, float | None]:
    low = next((getattr(m, a) for m in field.metadata for a in ("ge", "gt") if hasattr(m, a)), None)
    high = next((getattr(m, a) for m in field.metadata for a in ("le", "lt") if hasattr(m, a)), None)
    return low, high
