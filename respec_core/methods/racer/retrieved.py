"""What RACER's automaton has to offer in a round. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from respec_core.methods.racer.automaton import Automaton
from respec_core.methods.racer.ranking import Continued, continued
from respec_core.methods.racer.record import RacerBorder
from respec_core.methods.racer.settings import RacerSettings


@dataclass(frozen=True)
class Retrieved:
    """The borders as they were found, and the tokens behind them, most frequent first."""

    borders: tuple[RacerBorder, ...]
    tokens: Sequence[Continued]


def retrieved(automaton: Automaton, ids: Sequence[int], settings: RacerSettings, room: int) -> Retrieved:
    """Read the text but for its last token, the root, and look what stood behind its ends; these are in use then.

    Args:
        room: the deepest draft that can be committed.
    """
    automaton.follow(ids[:-1])
    found = automaton.borders(ids, settings.min_depth)
    idle = [automaton.read - border.used for border in found]
    for border in found:
        automaton.touch(border)
    tokens = continued(found, settings.total_nodes - 1, room)
    behind = [sum(any(at == i for at, _ in token.states) for token in tokens) for i in range(len(found))]
    told = tuple(
        RacerBorder.model_construct(match_len=border.depth, windows=border.windows, idle=idle[i], sent=behind[i])
        for i, border in enumerate(found)
    )
    return Retrieved(told, tokens)
