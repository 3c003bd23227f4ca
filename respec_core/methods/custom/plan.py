"""Who is asked in a round, by what the router found. Imports no torch."""

from __future__ import annotations

from respec_core.methods.custom.settings import CustomSettings

TOGETHER = "together"  # the bandit's arm for copies and a model in one tree
Groups = tuple[tuple[str, ...], ...]
"""Groups of drafters: of each the first that has anything drafts; drafts of two groups are joined."""


def arms_of(settings: CustomSettings) -> tuple[str, ...]:
    """What a bandit chooses from."""
    return (*settings.names, *(() if settings.fusion == "off" else (TOGETHER,)))


def plan(settings: CustomSettings, *, copies: bool = False, arm: str = "") -> Groups:
    """The groups of a round.

    Args:
        copies: whether a router that says when to copy says so now.
        arm: the bandit's.
    """
    both = (settings.copying, settings.thinking)
    match settings.router:
        case "bandit":
            return both if arm == TOGETHER else ((arm,),)
        case "always":
            return (settings.names,) if settings.fusion == "off" else both
        case _ if not copies:
            return (settings.thinking,)
        case _:
            return ((*settings.copying, *settings.thinking),) if settings.fusion == "off" else both
