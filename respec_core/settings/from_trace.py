"""Settings as a trace holds them: older or foreign values are welcome, but each must be of the kind its name declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from respec_core.settings.declaring import Settings
from respec_core.settings.run_config import SHARED_GROUPS, RunConfig

Kinds = Mapping[str, frozenset[str]]
"""What each name of a section may hold, in words."""


def config_from_trace(values: Mapping[str, Any], method: str) -> RunConfig:
    """The settings that a trace names, whoever wrote it; ``method`` where it names none.

    What it leaves out has its default, what nobody declares is left out. A value out of its range stays as it is: it is
    what the run had, and a check's to judge.
    """
    named, params = values.get("method"), values.get("params")
    groups: dict[str, Any] = {name: _recorded(group, values.get(name)) for name, group in SHARED_GROUPS.items()}
    return RunConfig(
        method=named if isinstance(named, str) else method,
        params=dict(params) if isinstance(params, Mapping) else {},
        **groups,
    )


def _recorded(group: type[Settings], values: Any) -> Settings:
    known = {name: values[name] for name in group.model_fields if name in values} if isinstance(values, Mapping) else {}
    try:
        return group(**known)
    except ValidationError:
        return group.model_construct(**known)


def fault_in(config: Mapping[str, Any], declared: Mapping[str, Kinds]) -> tuple[str, str] | None:
    """The first section or setting that is not what its name says, with what it should be.

    Sections and names that nothing declares may hold anything: nobody reads them.
    """
    for section, kinds in declared.items():
        if section not in config:
            continue
        values = config[section]
        if not isinstance(values, Mapping):
            return f"config.{section}", "an object of settings is expected"
        for name, value in values.items():
            if name in kinds and _kind(value) not in kinds[name]:
                return f"config.{section}.{name}", f"{' or '.join(sorted(kinds[name]))} is expected"
    return None


def declared_kinds(sections: Mapping[str, Sequence[type[Settings]]]) -> dict[str, Kinds]:
    """Kinds by section and name; classes may share a section, and a name in it."""
    declared: dict[str, Kinds] = {}
    for section, classes in sections.items():
        kinds: dict[str, frozenset[str]] = {}
        for settings in classes:
            for name, field in settings.model_fields.items():
                kinds[name] = kinds.get(name, frozenset()) | _kinds(field.annotation)
        declared[section] = kinds
    return declared


def _kinds(annotation: Any) -> frozenset[str]:
    named = {bool: {"true or false"}, int: {"a whole number"}, float: {"a number", "a whole number"}}
    return frozenset(named.get(annotation, {"a text", "a list of texts"}))


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int():
            return "a whole number"
        case float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple() if all(isinstance(entry, str) for entry in value):
            return "a list of texts"
        case _:
            return "something else"
