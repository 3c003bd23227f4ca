"""Whoever could have drafted on a set, and what each offers at every position of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.form import SettingValues
from app.lab.asked import config_of
from app.lab.sets import Recorded, TextSet
from respec_core.errors import ReSpecError

if TYPE_CHECKING:
    from respec_core.lab.survey import Offered
    from respec_core.settings.run_config import RunConfig

OWN_SIZE = {"budget_rule": "own"}
# label, method, settings; each drafts wherever it can
CANDIDATES: tuple[tuple[str, str, SettingValues], ...] = (
    ("prompt lookup", "pld", {}),
    ("suffix automaton", "sam", {"auxiliary": "none"}),
    ("scored copies", "respec-strict", {"fallback": "none", "switch": "gate", "theta_entropy": 12.0}),
    ("EAGLE head", "eagle2", {}),
    ("block drafter", "diffuspec", {}),
    ("draft model", "draft-model", {}),
)
COPIES, HEAD, BLOCK = "scored copies", "EAGLE head", "block drafter"


def drafters(among: TextSet) -> dict[str, RunConfig]:
    """Those that can be replayed on the set, by label."""

    def made() -> dict[str, RunConfig]:
        from respec_core.lab.playing import refusal

        found = {}
        for label, method, settings in CANDIDATES:
            config = config_of(among.atlas, method, {**OWN_SIZE, **settings, **_recorded(among, label)})
            if not refusal(config, among.texts[0].stage):
                found[label] = config
        return found

    return among.once(("drafters",), made)


def _recorded(among: TextSet, label: str) -> SettingValues:
    """The head's width and depth as far as they were recorded."""
    options = among.atlas.options.get("head") if label == HEAD else None
    if options is None:
        return {}
    said = options.model_dump()
    return {"top_k": max(said["widths"]), "depth": said["depth"]}


def offers_on(among: TextSet, text: Recorded) -> dict[str, tuple[Offered, ...]]:
    """What each offers at every position of the text; computed once.

    Raises:
        ReSpecError: where none can be replayed.
    """

    def made() -> dict[str, tuple[Offered, ...]]:
        from respec_core.lab.survey import survey

        give_way = among.turns.give_way
        found = {label: survey(text.stage, config, give_way) for label, config in drafters(among).items()}
        if not found:
            raise ReSpecError("Nothing in this set drafts: record it with a drafter.")
        return found

    return among.once(("offers", text.entry.id), made)
