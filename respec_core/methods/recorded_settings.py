"""Settings as a trace holds them: older or foreign values are welcome, but each must be of the kind its name declares."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from respec_core.methods.registry import METHODS
from respec_core.settings.run_config import SHARED_GROUPS

PARAMS = "params"


def settings_fault(config: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first section or setting that is not what its name says, with what it should be.

    Sections and names that nothing declares may hold anything: nobody reads them.
    """
    for section, kinds in _declared().items():
        if section not in config:
            continue
        values = config[section]
        if not isinstance(values, Mapping):
            return f"config.{section}", "an object of settings is expected"
        for name, value in values.items():
            if name in kinds and _kind(value) not in kinds[name]:
                return f"config.{section}.{name}", f"{' or '.join(sorted(kinds[name]))} is expected"
    return None


@cache
def _declared() -> dict[str, dict[str, frozenset[str]]]:
    """Kinds by section and name; the methods' own settings share a section."""
    sections = {name: [settings] for name, settings in SHARED_GROUPS.items()}
    sections[PARAMS] = [method.settings for method in METHODS]
    return {
        section: {
            name: frozenset[str]().union(
                *(
                    _kinds(settings.model_fields[name].annotation)
                    for settings in classes
                    if name in settings.model_fields
                )
            )
            for name in {name for settings in classes for name in settings.model_fields}
        }
        for section, classes in sections.items()
    }


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
