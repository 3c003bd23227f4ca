"""The families there are, the studio's own and those of installed packages, and what they load. Imports no torch.

A package adds one with an entry point of the group ``respec_studio.methods`` that names its ``FAMILY``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points

from respec_core.errors import ReSpecError, quoted, reason
from respec_core.methods.family import Family, Method
from respec_core.methods.needs import Resource, opening_order
from respec_core.methods.parts.shared import SHARED
from respec_core.settings.run_config import RunConfig

GROUP = "respec_studio.methods"
# one folder each beside this file, in the order in which they are shown
ROOMS = (
    "vanilla",
    "pld",
    "sam",
    "suffix",
    "rest",
    "recycling",
    "racer",
    "toolspec",
    "draft_model",
    "eagle",
    "rasd",
    "diffuspec",
    "respec",
    "rapid",
    "custom",
)


def _families() -> tuple[Family, ...]:
    """The studio's, then the installed ones; one of those that cannot be used is left out with a warning."""
    families: list[Family] = [import_module(f"respec_core.methods.{room}").FAMILY for room in ROOMS]
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        try:
            family = entry.load()
            if not isinstance(family, Family):
                raise TypeError(f"{entry.value} is no Family")
            _check_beside(family, families)
        except Exception as error:  # code from outside: whatever it raises, the studio's own methods go on
            warnings.warn(f"The method family {entry.name} is left out: {reason(error)}.", stacklevel=2)
            continue
        families.append(family)
    return tuple(families)


def _check_beside(family: Family, others: Sequence[Family]) -> None:
    """Raise ``ValueError`` if ``family`` takes a name that ``others`` have, is a baseline, or needs what nobody declares."""
    if any(method.baseline for method in family.methods):
        raise ValueError("there is a baseline already")
    taken = {method.name for other in others for method in other.methods}
    if again := next((method.name for method in family.methods if method.name in taken), None):
        raise ValueError(f"there is a method {again} already")
    there = {resource.name for resource in _resources([*others, family])}
    for method in family.methods:
        if unknown := next((need.name for need in method.needs if there.isdisjoint(need.met_by)), None):
            raise ValueError(f"{method.name} needs a {unknown}, which no family declares")


def _resources(families: Sequence[Family]) -> tuple[Resource, ...]:
    return opening_order([*SHARED, *(resource for family in families for resource in family.resources)])


FAMILIES = _families()
METHODS: tuple[Method, ...] = tuple(method for family in FAMILIES for method in family.methods)
RESOURCES = _resources(FAMILIES)
"""What can be loaded beside a target, each behind those that its opener looks at."""
BASELINE: Method = next(method for method in METHODS if method.baseline)
PRESETS = tuple(dict.fromkeys(preset.name for method in METHODS for preset in method.presets))


def find_method(name: str) -> Method:
    """The method called ``name``.

    Raises:
        ReSpecError: listing the names there are.
    """
    found = next((m for m in METHODS if m.name == name), None)
    if found is None:
        raise ReSpecError(f"There is no method {quoted(name)}; there are: {', '.join(m.name for m in METHODS)}.")
    return found


def drafts(name: str) -> bool:
    """Whether the method called ``name`` drafts; one that is not installed is taken to."""
    return all(method.drafts for method in METHODS if method.name == name)


def plain_config(run: RunConfig) -> RunConfig:
    """What ``run`` is measured against: the same prompt, sampling and stops, decoded plainly; no draft, so no size or rule."""
    return BASELINE.configure().model_copy(
        update={"prompt": run.prompt, "sampling": run.sampling, "stopping": run.stopping}
    )
