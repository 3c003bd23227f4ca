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


def paper_sizes(**sizes: Any) -> Preset:
    """The sizes of the method's paper or its authors' code: ``sizes`` where these are not the settings' defaults."""
    return Preset("paper", "the sizes of the paper or its authors' code", (("budget_rule", "own"), *sizes.items()))


EVERYWHERE = ("auto", "paper")  # asked of any method; one that drafts nothing has nothing to change
