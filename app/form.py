"""The controls as data: every method with the settings it declares, for the browser to draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict

from app.examples import Example, examples
from app.outlook import OutlookView, outlook_view
from app.panels import JsonOf, RecordJson
from respec_core.methods.family import PRESET_GROUPS, Method
from respec_core.methods.registry import METHODS
from respec_core.settings.declaring import Settings
from respec_core.settings.knobs import Knob, knobs
from respec_core.settings.run_config import SHARED_GROUPS
from respec_core.trace.summary import GLOSSARY

PAGE_MAX_NEW_TOKENS = 2048
GROUP_TITLES = {
    "prompt": "Prompt",
    "sampling": "Sampling",
    "stopping": "Length and stops",
    "drafting": "Draft size",
    "verify": "Verification",
}


SettingValue = bool | int | float | str | list[str] | None
SettingValues = dict[str, SettingValue]  # by the settings' names


class Control(TypedDict):
    """A setting as its control needs it; ``line`` is what it does in half a sentence; ``several`` are names
    of the choices with + between them, ``lines`` is free text, one entry a line."""

    name: str
    label: str
    line: str
    help: str
    kind: Literal["bool", "int", "float", "choice", "several", "lines"]
    default: SettingValue
    low: float | None
    high: float | None
    step: float | None
    choices: tuple[str, ...]
    unit: str
    provenance: str
    badge: str


class PresetChoice(TypedDict):
    """Values that a method's settings can start from."""

    name: str
    about: str
    values: SettingValues


class MethodChoice(TypedDict):
    """A method with the settings of its own; ``defaults`` are its defaults for shared ones, ``front`` is what to show first,
    ``outlook`` is of the defaults."""

    name: str
    title: str
    paper: str
    idea: str
    about: str
    knobs: list[Control]
    front: tuple[str, ...]
    outlook: OutlookView
    defaults: SettingValues
    presets: list[PresetChoice]


class ControlGroup(TypedDict):
    """Settings that all methods share; ``preset`` is whether presets speak of them."""

    id: str
    title: str
    preset: bool
    knobs: list[Control]


class FormSchema(TypedDict):
    """All that the form is drawn from."""

    methods: list[MethodChoice]
    groups: list[ControlGroup]
    examples: list[Annotated[RecordJson, JsonOf(Example)]]
    glossary: dict[str, str]


def form_schema(most_tokens: int = PAGE_MAX_NEW_TOKENS) -> FormSchema:
    """Methods, shared groups and example prompts. Availability comes later, when the models are loaded.

    Args:
        most_tokens: that a run may write here.
    """
    return {
        "methods": [_method(method) for method in METHODS],
        "groups": [
            {
                "id": group,
                "title": GROUP_TITLES.get(group, group.capitalize()),
                "preset": group in PRESET_GROUPS,
                "knobs": _controls(settings, group, most_tokens),
            }
            for group, settings in SHARED_GROUPS.items()
        ],
        "examples": [example.model_dump() for example in examples()],
        "glossary": GLOSSARY,
    }


def _method(method: Method) -> MethodChoice:
    return {
        "name": method.name,
        "title": method.title,
        "paper": method.paper,
        "idea": method.idea,
        "about": (method.settings.__doc__ or "").strip().splitlines()[0],
        "knobs": _controls(method.settings, "params"),
        "front": method.front,
        "outlook": outlook_view(method, {}),
        "defaults": dict(method.defaults),
        "presets": [
            {"name": preset.name, "about": preset.about, "values": dict(preset.values)} for preset in method.presets
        ],
    }


def _controls(settings: type[Settings], group: str, most_tokens: int = PAGE_MAX_NEW_TOKENS) -> list[Control]:
    found = [_control(knob, most_tokens) for knob in knobs(settings, group)]
    texts = [(name, info) for name, info in settings.model_fields.items() if info.annotation == tuple[str, ...]]
    return [*found, *(_lines(name, info.title or name, info.description or "") for name, info in texts)]


def _control(knob: Knob, most_tokens: int) -> Control:
    return {
        "name": knob.name,
        "label": knob.label,
        "line": knob.line,
        "help": knob.help,
        "kind": knob.kind,
        "default": knob.default,
        "low": knob.low,
        "high": most_tokens if knob.name == "max_new_tokens" else knob.high,
        "step": knob.step,
        "choices": knob.choices,
        "unit": knob.unit,
        "provenance": knob.provenance,
        "badge": knob.badge,
    }


def _lines(name: str, label: str, about: str) -> Control:
    """Free text has no range."""
    return {
        "name": name,
        "label": label,
        "line": "",
        "help": f"{about} One a line.",
        "kind": "lines",
        "default": [],
        "low": None,
        "high": None,
        "step": None,
        "choices": (),
        "unit": "",
        "provenance": "",
        "badge": "",
    }


def page_knobs(method: str) -> dict[str, Control]:
    """Every control the form shows for ``method``, by name."""
    settings = next(m.settings for m in METHODS if m.name == method)
    groups: Mapping[str, type[Settings]] = {**SHARED_GROUPS, "params": settings}
    return {control["name"]: control for group, cls in groups.items() for control in _controls(cls, group)}


def preset_values(method: str, name: str) -> SettingValues:
    """The settings of a method's preset; none for a name that it does not have."""
    presets = next(m.presets for m in METHODS if m.name == method)
    return next((dict(preset.values) for preset in presets if preset.name == name), {})
