"""The controls as data: every method with the settings it declares, for the browser to draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.examples import examples
from respec_core.methods.registry import METHODS
from respec_core.settings.knobs import Knob, knobs
from respec_core.settings.run_config import SHARED_GROUPS, Settings
from respec_core.trace.summary import GLOSSARY

PAGE_MAX_NEW_TOKENS = 2048
GROUP_TITLES = {
    "prompt": "Prompt",
    "sampling": "Sampling",
    "stopping": "Length and stops",
    "drafting": "Draft size",
    "verify": "Verification",
}


def form_schema() -> dict[str, Any]:
    """Methods, shared groups and example prompts. Availability comes later, when the models are loaded."""
    return {
        "methods": [
            {
                "name": method.name,
                "title": method.title,
                "paper": method.paper,
                "idea": method.idea,
                "about": (method.settings.__doc__ or "").strip().splitlines()[0],
                "knobs": _fields(method.settings, "params"),
                "defaults": dict(method.defaults),
                "presets": [
                    {"name": preset.name, "about": preset.about, "values": dict(preset.values)}
                    for preset in method.presets
                ],
            }
            for method in METHODS
        ],
        "groups": [
            {"id": group, "title": GROUP_TITLES.get(group, group.capitalize()), "knobs": _fields(settings, group)}
            for group, settings in SHARED_GROUPS.items()
        ],
        "examples": [example.model_dump() for example in examples()],
        "glossary": GLOSSARY,
    }


def _fields(settings: type[Settings], group: str) -> list[dict[str, Any]]:
    fields = [_field(knob) for knob in knobs(settings, group)]
    for name, info in settings.model_fields.items():
        if info.annotation == tuple[str, ...]:  # free text has no range: one entry a line
            fields.append(
                {
                    "name": name,
                    "label": info.title,
                    "help": f"{info.description} One a line.",
                    "kind": "lines",
                    "default": [],
                    "badge": "",
                    "unit": "",
                    "provenance": "",
                }
            )
    return fields


def _field(knob: Knob) -> dict[str, Any]:
    field = asdict(knob) | {"badge": knob.badge}
    if knob.name == "max_new_tokens":
        field["high"] = PAGE_MAX_NEW_TOKENS
    return field


def page_knobs(method: str) -> dict[str, dict[str, Any]]:
    """Every field the form shows for ``method``, by name."""
    settings = next(m.settings for m in METHODS if m.name == method)
    groups: Mapping[str, type[Settings]] = {**SHARED_GROUPS, "params": settings}
    return {field["name"]: field for group, cls in groups.items() for field in _fields(cls, group)}


def preset_values(method: str, name: str) -> dict[str, Any]:
    """The settings of a method's preset; none for a name that it does not have."""
    presets = next(m.presets for m in METHODS if m.name == method)
    return next((dict(preset.values) for preset in presets if preset.name == name), {})
