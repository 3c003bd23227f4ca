"""Silent repeats: settings on one prompt in turn, with nobody watching, each against plain decoding in the same turn.

A single timing beside a page that draws says little. Here every turn runs each of the settings and the plain decoding they
are held against, so that a slow spell of the machine hits all; the ratio is told as median, smallest and largest.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from respec_core.engine.decoding import Request
from respec_core.methods.registry import plain_config
from respec_core.methods.resources import Models
from respec_core.methods.running import decode
from respec_core.trace.events import RunFinished

Key = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Turns:
    """Decode seconds, turn by turn, prompt processing excluded: of the settings, and of plain decoding as they have it."""

    seconds: tuple[float, ...]
    plain: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """× plain in each turn."""
        return tuple(plain / own for own, plain in zip(self.seconds, self.plain, strict=True) if own > 0 and plain > 0)

    @property
    def spread(self) -> tuple[float, float, float] | None:
        """Median, smallest and largest × plain; None where nothing took any time."""
        ratios = self.ratios
        return (median(ratios), min(ratios), max(ratios)) if ratios else None


@dataclass(frozen=True)
class TurnsDone:
    """``done`` of ``total`` runs, and nothing of what they wrote."""

    done: int
    total: int


def take_turns(
    requests: Sequence[Request], models: Models, turns: int
) -> Generator[TurnsDone, None, tuple[Turns, ...]]:
    """Run every request ``turns`` times, interleaved; each turn begins with another one.

    Yields between all events of the engine, so that it can be closed at any point; returns one entry a request. Equal
    requests, and requests with the same plain decoding, share their runs.

    Raises:
        ReSpecError: if one of them cannot be run here.
    """
    plain = [replace(request, config=plain_config(request.config)) for request in requests]
    everyone = {_key(request): request for request in [*plain, *requests]}
    seconds: dict[Key, list[float]] = {key: [] for key in everyone}
    order, done = list(everyone), 0
    for turn in range(turns):
        start = turn % len(order)
        for key in [*order[start:], *order[:start]]:
            for event in decode(everyone[key], models):
                if isinstance(event, RunFinished):
                    seconds[key].append(event.wall_s)
                    done += 1
                yield TurnsDone(done, turns * len(order))
    return tuple(
        Turns(tuple(seconds[_key(own)]), tuple(seconds[_key(base)])) for own, base in zip(requests, plain, strict=True)
    )


def _key(request: Request) -> Key:
    return request.config.model_dump_json(), tuple(request.prompt_ids)
