"""A run's settings in short: the preset they stand on, and what was changed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.compare.views import ChangedSetting
from app.form import page_knobs
from respec_core.methods.registry import METHODS
from respec_core.settings.run_config import RunConfig

BESIDE = ("prompt", "sampling", "stopping")  # groups that are no part of a preset


def chosen(config: RunConfig) -> tuple[str, tuple[ChangedSetting, ...]]:
    """The preset's name, empty without one, and what differs from it; of a method that is not installed all its own."""
    method = next((m for m in METHODS if m.name == config.method), None)
    if method is None:
        return "", tuple(ChangedSetting(name=n, label=n, value=told(value)) for n, value in config.params.items())
    standing = method.standing(config)
    labels = {name: control["label"] for name, control in page_knobs(method.name).items()}
    values = dict(_beside(config, method.configure())) | dict(standing.changed)
    changed = (ChangedSetting(name=n, label=labels.get(n, n), value=told(value)) for n, value in values.items())
    return standing.preset or "", tuple(changed)


def _beside(config: RunConfig, usual: RunConfig) -> Iterator[tuple[str, Any]]:
    for group in BESIDE:
        start: Mapping[str, Any] = dict(getattr(usual, group))
        yield from ((name, value) for name, value in dict(getattr(config, group)).items() if value != start[name])


def told(value: Any) -> str:
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
