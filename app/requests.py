"""What the browser asks for, checked: nothing from outside reaches the engine unvalidated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from app.examples import find_example
from app.form import PAGE_MAX_NEW_TOKENS, Control, SettingValue, SettingValues, page_knobs, preset_values
from app.message_types import Place
from respec_core.boundary.untrusted_json import parse_json, refuse_odd
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS, find_method
from respec_core.settings.run_config import RunConfig
from respec_core.settings.several import JOINED, names_in

PAGE_MAX_PROMPT = 60_000
LINK_MAX_PROMPT = 2_000
MAX_SETTINGS_JSON = 10_000
DEFAULT_METHOD = "respec-strict"


@dataclass(frozen=True)
class RunRequest:
    """A run to make for one visitor."""

    prompt: str
    config: RunConfig
    measure_plain: bool = False
    stream: str = ""


class RunAsked(TypedDict):
    """What the page sends with its ``run`` event, if it is our page."""

    stream: str
    prompt: str
    method: str
    settings: SettingValues
    plain: bool


def run_request(payload: Any) -> RunRequest:
    """A request from the page's ``run`` event.

    Raises:
        ReSpecError: one sentence for whatever is wrong with it.
    """
    if not isinstance(payload, Mapping):
        raise ReSpecError("The page sent no settings: reload it.")
    settings = payload.get("settings")
    if not isinstance(settings, Mapping):
        raise ReSpecError("The page sent no settings: reload it.")
    stream = payload.get("stream")
    return build_request(
        payload.get("prompt"),
        payload.get("method"),
        dict(settings),
        measure_plain=payload.get("plain") is True,
        stream=stream[:64] if isinstance(stream, str) else "",
    )


def build_request(
    prompt: Any,
    method: Any,
    settings: Mapping[str, object],
    *,
    preset: str | None = None,
    measure_plain: bool = False,
    stream: str = "",
) -> RunRequest:
    """Checked prompt, method and settings; those not given are the preset's, else the method's defaults.

    Raises:
        ReSpecError: for an empty or oversized prompt, an unknown method, preset or setting, a value out of range.
    """
    if not isinstance(prompt, str) or not prompt.strip():
        raise ReSpecError("The prompt is empty: write something, or pick an example.")
    refuse_odd(prompt, "The prompt")
    if len(prompt) > PAGE_MAX_PROMPT:
        raise ReSpecError(f"The prompt has {len(prompt)} characters; this page takes up to {PAGE_MAX_PROMPT}.")
    if not isinstance(method, str):
        raise ReSpecError("No method was chosen.")
    config = find_method(method).configure(settings, preset)
    if config.stopping.max_new_tokens > PAGE_MAX_NEW_TOKENS:
        raise ReSpecError(
            f"This page writes up to {PAGE_MAX_NEW_TOKENS} tokens a run; the command line has no such limit."
        )
    return RunRequest(prompt, config, measure_plain, stream)


def parse_settings(given: Any) -> dict[str, object]:
    """Settings as the API takes them: JSON text, or the object itself; nothing means none.

    Raises:
        ReSpecError: if it is not a JSON object of moderate size.
    """
    text = given if isinstance(given, str) else json.dumps(given)
    refuse_odd(text, "settings_json")
    if len(text) > MAX_SETTINGS_JSON:
        raise ReSpecError(f"settings_json is longer than {MAX_SETTINGS_JSON} characters.")
    values = parse_json(text.strip() or "{}", "settings_json")
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ReSpecError('settings_json must be an object such as {"temperature": 0.7}.')
    return values


class Wishes(TypedDict):
    """The form's state; ``asked`` is whether an address asked for anything of it."""

    method: str
    example: str
    prompt: str
    settings: SettingValues
    plain: bool
    asked: bool


def from_query(query: Mapping[str, str]) -> Wishes:
    """The form's state from a shared link. Unknown names are ignored, values are clamped to their range."""
    method = query.get("method", "")
    if all(m.name != method for m in METHODS):
        method = ""
    example = find_example(query.get("example", ""))
    fields = page_knobs(method or DEFAULT_METHOD)
    settings = preset_values(method or DEFAULT_METHOD, query.get("preset", ""))
    for name, raw in query.items():
        if name in fields and (value := _clamped(fields[name], raw)) is not None:
            settings[name] = value
    prompt = query.get("prompt", "")[:LINK_MAX_PROMPT]
    return {
        "method": method,
        "example": example.id if example else "",
        "prompt": example.prompt if example else prompt,
        "settings": settings,
        "plain": query.get("plain") == "1",
        "asked": bool(method or example or prompt or settings),
    }


PLACE = ("round", "token")
MOST_PLACE = 100_000


def place_of(query: Mapping[str, str]) -> Place:
    """The round and token of a shared link, which count from 1 there; None for what is no such number."""
    round, token = (_counted(query.get(name, "")) for name in PLACE)
    return {"round": round, "token": token}


def place_in(given: Any) -> Place:
    """The round and token, from 0, that the page sends; None for what is no such number."""
    named = given if isinstance(given, Mapping) else {}
    round, token = (
        value if type(value := named.get(name)) is int and 0 <= value < MOST_PLACE else None for name in PLACE
    )
    return {"round": round, "token": token}


def _counted(raw: str) -> int | None:
    return int(raw) - 1 if raw.isascii() and raw.isdigit() and 0 < len(raw) < 6 and int(raw) > 0 else None


def _clamped(field: Control, raw: str) -> SettingValue:
    match field["kind"]:
        case "bool":
            return {"true": True, "false": False}.get(raw)
        case "choice":
            return raw if raw in field["choices"] else None
        case "several":
            named = [name for name in dict.fromkeys(names_in(raw)) if name in field["choices"]]
            return JOINED.join(named) or None
        case "lines":
            return [line for line in raw[:400].split("\n") if line][:8]
        case kind:
            try:
                value = float(raw)
            except ValueError:
                return None
            if value != value or abs(value) == float("inf"):
                return None
            low, high = field["low"], field["high"]
            value = min(max(value, low if low is not None else value), high if high is not None else value)
            return int(value) if kind == "int" else value
