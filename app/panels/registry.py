"""The panels there are beside the page's own: those that method families declare, and those for every method."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from app.files import STATIC
from app.panels.acceptance import PANEL as ACCEPTANCE
from app.panels.beside_plain import PANEL as BESIDE_PLAIN
from app.panels.lossy_rules import PANEL as LOSSY_RULES
from app.panels.mask_strip import PANEL as MASK_STRIP
from app.panels.panel import Described, Panel, RoundPanel, RunPanel, View
from app.panels.room import WHOLE
from respec_core.errors import reason
from respec_core.methods.family import named
from respec_core.methods.registry import FAMILIES
from respec_core.trace.round import Step
from respec_core.trace.schema import Run, Token

FOR_EVERY_METHOD: tuple[Panel, ...] = (ACCEPTANCE, MASK_STRIP, LOSSY_RULES)


def _panels() -> Iterator[Panel]:
    """In the order of the families; one that cannot be used is left out with a warning."""
    taken = {BESIDE_PLAIN.id, *(panel.id for panel in FOR_EVERY_METHOD)}
    yield BESIDE_PLAIN
    for place in dict.fromkeys(place for family in FAMILIES for place in family.panels):
        try:
            panel = named(place)
            if not isinstance(panel, RoundPanel | RunPanel):
                raise TypeError(f"{place} is no panel")
            if panel.id in taken:
                raise ValueError(f"there is a panel {panel.id} already")
            if panel.module and not (STATIC / f"{panel.module}.js").is_file():
                raise ValueError(f"there is no {STATIC.name}/{panel.module}.js")
        except Exception as error:  # code from outside: whatever it raises, the page has its other panels
            warnings.warn(f"The panel {place} is left out: {reason(error)}.", stacklevel=2)
            continue
        taken.add(panel.id)
        yield panel
    yield from FOR_EVERY_METHOD


PANELS = tuple(_panels())


def described() -> list[Described]:
    """All of them, for the browser."""
    return [panel.described() for panel in PANELS]


def round_views(step: Step, tokens: Sequence[Token], room: int = WHOLE) -> dict[str, View | None]:
    """What the panels about rounds show of one, by their ids."""
    return {panel.id: panel.of(step, tokens, room) for panel in PANELS if isinstance(panel, RoundPanel)}


def run_views(run: Run) -> dict[str, View | str | None]:
    """What the panels about runs show of one; of those about rounds, their line about the whole run."""
    found: dict[str, View | str | None] = {}
    for panel in PANELS:
        if isinstance(panel, RunPanel):
            found[panel.id] = panel.of(run)
        elif isinstance(panel, RoundPanel) and panel.total is not None:
            found[panel.id] = panel.total(run)
    return found


def live_views(run: Run) -> dict[str, View | None]:
    """What the panels about runs show while one goes on."""
    return {panel.id: panel.of(run) for panel in PANELS if isinstance(panel, RunPanel) and panel.live}
