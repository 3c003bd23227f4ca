"""Presets: bundles of settings that a method declares under a name. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Preset:
    """Settings chosen together; single ones given beside it win.

    Attributes:
        about: when to choose it, for the form and the command line's help.
    """

    name: str
    about: str
    values: tuple[tuple[str, Any], ...]


AUTO = Preset("auto", "sizes that pay for themselves on this machine", (("budget_rule", "auto"),))


def paper_preset(**values: Any) -> Preset:
    """What the method's paper or its authors' code sets: ``values`` where that is not the settings' default."""
    return own_sizes("paper", "as in the paper or its authors' code", **values)


def tuned_preset(**values: Any) -> Preset:
    """Our own sizes: 32 nodes where there is a tree, which small machines verify faster than the papers' 60."""
    return own_sizes("tuned", "our sizes for small machines, 32 nodes where there is a tree", **values)


def own_sizes(name: str, about: str, **values: Any) -> Preset:
    """Settings whose draft sizes are the method's own, whatever the clock says."""
    return Preset(name, about, (("budget_rule", "own"), *values.items()))


EVERYWHERE = ("auto", "paper", "tuned")  # asked of any method; one that drafts nothing has nothing to change
