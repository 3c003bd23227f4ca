"""Another engine's run in the Lab's panels: what vLLM or AIPerf reported of it."""

from __future__ import annotations

import logging
from typing import Any, TypedDict

from app.json_text import json_text
from app.lab.look import lengths_view, positions_panel
from app.panels.labels import count
from app.panels.panel import GeneralView
from respec_core.errors import ReSpecError
from respec_core.lab.served import ServedRequests, served

log = logging.getLogger(__name__)


class ServedAnswer(TypedDict):
    """What it says in a sentence, and the panels."""

    sentence: str
    facts: list[tuple[str, str]]
    lengths: GeneralView
    positions: GeneralView


def served_answer(text: Any) -> str:
    """The panels of a file's text as JSON text, or one sentence under ``error``."""
    found: Any
    try:
        if not isinstance(text, str):
            raise ReSpecError("The page sent no file: reload it.")
        found = served_view(served(text))
    except ReSpecError as error:
        found = {"error": str(error)}
    except Exception:
        log.exception("a report could not be read")
        found = {"error": "This file could not be read: its parts do not fit together."}
    return json_text(found)


def served_view(found: ServedRequests) -> ServedAnswer:
    """Means under each convention, rounds by length, acceptance by position."""
    steps, mean = sum(found.steps.values()), sum(found.means) / len(found.means)
    facts = [
        ("requests", str(found.requests)),
        ("steps that drafted", str(steps)),
        ("accepted drafts", f"{found.accepted} of {found.drafted}"),
        ("mean length with the target's own token (vLLM, AIPerf)", f"{found.mean + 1:.3f}"),
        ("without it", f"{found.mean:.3f}"),
        ("mean of the requests' means", f"{mean:.3f}"),
    ]
    if found.without:
        facts.append(("requests without a step", str(found.without)))
    known = (
        ""
        if found.lengths_known
        else (
            " How much each step drafted is not told, so its rates are lower bounds and every chain counts as the longest."
        )
    )
    sentence = f"{found.engine}: {count(found.requests, 'request')}. Steps in which nothing was drafted are not reported.{known}"
    longest = max(drafted or accepted for drafted, accepted in found.steps)
    lengths = [
        (drafted if drafted is not None else longest, accepted)
        for (drafted, accepted), n in found.steps.items()
        for _ in range(n)
    ]
    return {
        "sentence": sentence,
        "facts": facts,
        "lengths": lengths_view(lengths),
        "positions": positions_panel(found.positions()),
    }
