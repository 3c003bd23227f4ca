"""The declared settings of a class as controls, help texts and the settings page need them. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic.fields import FieldInfo

from respec_core.settings.declaring import Settings

KnobKind = Literal["bool", "int", "float", "choice", "several"]
PROVENANCE_LABEL: dict[str, str] = {
    "paper": "from the paper",
    "code": "from the authors' code",
    "reported": "reported by a third party",
    "ours": "our default",
}


@dataclass(frozen=True)
class Knob:
    """One declared setting, as controls and help texts need it; ``several`` of its choices may be named, joined by +."""

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
    line: str
    idle: Mapping[str, tuple[Any, ...]]

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
        listed = extra["of"]
        several = tuple(map(str, listed)) if isinstance(listed, list) else ()
        choices = getattr(field.annotation, "__args__", ()) if field.annotation not in (bool, int, float) else ()
        low, high = _limits(field)
        step = extra["step"]
        yield Knob(
            name,
            group,
            field.title or name,
            field.description or "",
            "several" if several else KINDS.get(field.annotation, "choice"),
            field.default,
            low,
            high,
            step if isinstance(step, int | float) else None,
            several or tuple(choices),
            str(extra["unit"]),
            str(extra["provenance"]),
            str(extra["line"]),
            _idle(extra["idle"]),
        )


def idle(known: Mapping[str, Knob], values: Mapping[str, Any]) -> dict[str, str]:
    """What has no effect beside the other ``values``, by name, each with a sentence why."""
    found = {}
    for name, knob in known.items():
        other = next((other for other, unused in knob.idle.items() if values[other] in unused), None)
        if other is not None:
            found[name] = f"{knob.label} has no effect while {known[other].label} is {said(values[other])}."
    return found


def said(value: Any) -> str:
    """A setting's value as one writes it."""
    match value:
        case bool():
            return "on" if value else "off"
        case float():
            return f"{value:g}"
        case tuple() | list():
            return ", ".join(map(repr, value)) or "none"
        case _:
            return str(value)


def _idle(declared: Any) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(values) for name, values in declared.items()}


def _limits(field: FieldInfo) -> tuple[float | None, float | None]:
    low = next((getattr(m, a) for m in field.metadata for a in ("ge", "gt") if hasattr(m, a)), None)
    high = next((getattr(m, a) for m in field.metadata for a in ("le", "lt") if hasattr(m, a)), None)
    return low, high
