"""The settings where the cursor stands, as lines for the studio and for serving engines."""

from __future__ import annotations

from typing import TypedDict, get_args

from app.lab.asked import Question
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import find_method
from respec_core.methods.serving import command_line, page_query, serving_line, settings_json
from respec_core.settings.serving import TITLES, Engine


class Copied(TypedDict):
    """A line to copy, and what to know about it; no text where there is no equivalent."""

    name: str
    text: str
    notes: list[str]


class ExportAnswer(TypedDict):
    """Every form that there is."""

    lines: list[Copied]


def export_answer(asked: Question, choice: ModelChoice) -> ExportAnswer:
    """All of them, the studio's own first.

    Raises:
        ReSpecError: for settings that are not possible.
    """
    config = find_method(asked.method).configure(asked.pinned)
    lines: list[Copied] = [
        {"name": "settings (JSON)", "text": settings_json(config), "notes": []},
        {"name": "link", "text": page_query(config), "notes": ["The part of the page's address behind its name."]},
    ]
    own = command_line(config, choice)
    lines += [
        {"name": f"respec ({form})", "text": text, "notes": [*own.told(form)]} for form, text in own.forms.items()
    ]
    for engine in get_args(Engine):
        try:
            line = serving_line(config, choice, engine)
        except ReSpecError as error:
            lines.append({"name": TITLES[engine], "text": "", "notes": [str(error)]})
            continue
        lines += [
            {"name": f"{TITLES[engine]} ({form})", "text": text.rstrip("\n"), "notes": [*line.told(form)]}
            for form, text in line.forms.items()
        ]
    return {"lines": lines}
