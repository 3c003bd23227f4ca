"""What the browser asks Compare for, checked; and what a shared address asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from app.compare.contestants import FEWEST, LETTERS, MOST
from app.form import SettingValues
from app.gallery import recording, recordings
from app.requests import RunRequest, build_request, from_query
from app.serving.line import MAX_NAME
from respec_core.errors import ReSpecError
from respec_core.methods.traces import parse_trace
from respec_core.trace.schema import Run

MAX_TURNS = 5
TURNS = 3
PAGE_MAX_TRACE_MB = 16
MAX_POSITION = 100_000


@dataclass(frozen=True)
class CompareRequest:
    """Runs to make one after another, and how often to repeat them silently."""

    runs: tuple[RunRequest, ...]
    turns: int
    stream: str


class LaneWishes(TypedDict):
    """One configuration of the form."""

    method: str
    settings: SettingValues


class CompareWishes(TypedDict):
    """The form's state from a shared address, and whether that asks for any.

    ``traces`` are showcases, ``runs`` runs that the browser keeps, to be compared instead of running anything.
    """

    example: str
    prompt: str
    lanes: list[LaneWishes]
    turns: int
    traces: list[str]
    runs: list[str]
    position: int | None
    asked: bool


def compare_request(payload: Any) -> CompareRequest:
    """A request from the page's ``compare`` event.

    Raises:
        ReSpecError: one sentence for whatever is wrong with it.
    """
    lanes = payload.get("lanes") if isinstance(payload, Mapping) else None
    if (
        not isinstance(lanes, Sequence)
        or isinstance(lanes, str)
        or not all(isinstance(lane, Mapping) for lane in lanes)
    ):
        raise ReSpecError("The page sent no configurations: reload it.")
    if not FEWEST <= len(lanes) <= MOST:
        raise ReSpecError(f"A comparison takes two to four configurations; these are {len(lanes)}.")
    stream, turns = payload.get("stream"), payload.get("turns")
    if not isinstance(turns, int) or isinstance(turns, bool) or not 0 <= turns <= MAX_TURNS:
        raise ReSpecError(f"Repeat silently 0 to {MAX_TURNS} times.")
    return CompareRequest(tuple(_lane(payload.get("prompt"), lane) for lane in lanes), turns, str(stream or "")[:64])


def _lane(prompt: Any, lane: Mapping[str, Any]) -> RunRequest:
    settings = lane.get("settings")
    if not isinstance(settings, Mapping):
        raise ReSpecError("The page sent no settings: reload it.")
    return build_request(prompt, lane.get("method"), dict(settings))


def wishes_from(query: Mapping[str, str]) -> CompareWishes:
    """``a=sam&a.temperature=0.7&b=pld`` and so on; unknown names are ignored, values are clamped to their range."""
    shared = from_query({name: query[name] for name in ("example", "prompt") if name in query})
    lanes = [found for letter in LETTERS.lower() if (found := _wished(letter, query))]
    lanes = lanes if len(lanes) >= FEWEST else []
    traces = [name for name in query.get("traces", "").split(",") if name in recordings()][:MOST]
    return {
        "example": shared["example"],
        "prompt": shared["prompt"],
        "lanes": lanes,
        "turns": _number(query.get("turns", ""), MAX_TURNS, TURNS),
        "traces": traces,
        "runs": [name[:MAX_NAME] for name in query.get("runs", "").split(",") if name][:MOST],
        "position": _number(query["position"], MAX_POSITION, 0) if "position" in query else None,
        "asked": bool(shared["prompt"] or lanes or traces),
    }


def again(names: Sequence[str], wishes: CompareWishes) -> CompareWishes:
    """``wishes`` with the prompt and the configurations of these showcases, where they ask for none of their own."""
    found = [recordings()[name] for name in names if name in recordings()]
    if wishes["lanes"] or wishes["prompt"] or len(found) < FEWEST:
        return wishes
    shared = from_query({"example": found[0].example})
    lanes: list[LaneWishes] = [{"method": showcase.method, "settings": showcase.settings} for showcase in found]
    return {**wishes, "example": shared["example"], "prompt": shared["prompt"], "lanes": lanes}


def _wished(letter: str, query: Mapping[str, str]) -> LaneWishes | None:
    own = {name.removeprefix(f"{letter}."): value for name, value in query.items() if name.startswith(f"{letter}.")}
    found = from_query({**own, "method": query.get(letter, "")})
    return {"method": found["method"], "settings": found["settings"]} if found["method"] else None


def _number(raw: str, most: int, otherwise: int) -> int:
    return min(int(raw), most) if raw.isascii() and raw.isdigit() and len(raw) < 9 else otherwise


def runs_from(payload: Any) -> tuple[Run, ...]:
    """Showcases by name and traces by their text, in the order in which they were picked.

    Raises:
        ReSpecError: for whatever is none of these, too large, or not two to four.
    """
    picked = payload.get("runs") if isinstance(payload, Mapping) else None
    if not isinstance(picked, Sequence) or isinstance(picked, str) or not FEWEST <= len(picked) <= MOST:
        raise ReSpecError("Pick two to four runs to compare.")
    return tuple(_picked(entry) for entry in picked)


def _picked(entry: Any) -> Run:
    match entry:
        case {"showcase": str(name)}:
            run = recording(name)
            if run is None:
                raise ReSpecError("One of the recorded runs is not there any more: reload the page.")
            return run
        case {"text": str(text)} if len(text) <= PAGE_MAX_TRACE_MB * 2**20:
            return parse_trace(text)
        case _:
            raise ReSpecError(f"This page opens traces of up to {PAGE_MAX_TRACE_MB} MB.")
