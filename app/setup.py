"""How a run was set, in short: the preset it started from and what was changed of it; and the form's values that make it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from app.form import SettingValues, page_knobs
from respec_core.methods.family import PRESET_GROUPS
from respec_core.methods.registry import METHODS
from respec_core.settings.knobs import said
from respec_core.settings.run_config import SHARED_GROUPS, RunConfig


class ToldSetting(TypedDict):
    """A setting that is not as it would be of itself."""

    name: str
    label: str
    value: str


class Setup(TypedDict):
    """``preset`` is empty where there is none; ``values`` are the form's, by setting name, where they differ from its own."""

    method: str
    preset: str
    changed: list[ToldSetting]
    values: SettingValues


def setup_of(config: RunConfig) -> Setup:
    """Of a method that is not installed here, its own settings are all that can be told."""
    method = next((known for known in METHODS if known.name == config.method), None)
    if method is None:
        return {"method": config.method, "preset": "", "changed": _told(config.params, {}), "values": {}}
    standing, usual = method.standing(config), method.configure()
    apart = _apart(_flat(config), _flat(usual))
    groups = [group for group in SHARED_GROUPS if group not in PRESET_GROUPS]  # told beside the preset
    beside = {name for group in groups for name in SHARED_GROUPS[group].model_fields} - config.params.keys()
    labels = {name: str(knob["label"]) for name, knob in page_knobs(method.name).items()}
    told = {**{name: value for name, value in apart.items() if name in beside}, **standing.changed}
    return {
        "method": method.name,
        "preset": standing.preset or "",
        "changed": _told(told, labels),
        "values": {name: list(value) if isinstance(value, tuple) else value for name, value in apart.items()},
    }


def _flat(config: RunConfig) -> SettingValues:
    shared = {name: value for group in SHARED_GROUPS for name, value in dict(getattr(config, group)).items()}
    return shared | config.params


def _apart(values: SettingValues, usual: SettingValues) -> SettingValues:
    return {name: value for name, value in values.items() if name in usual and value != usual[name]}


def _told(values: Mapping[str, object], labels: Mapping[str, str]) -> list[ToldSetting]:
    return [{"name": name, "label": labels.get(name, name), "value": said(value)} for name, value in values.items()]
