"""A method's run on a recorded text, round by round, without any model.

Under strict greedy verification the target accepts exactly what it writes itself, so the recorded text says of every
draft what is accepted. The method's own router drafts: copies are looked for as in a run, the models' drafts come from
the record. So decisions, drafts and accepted paths are those of the run, as long as what a drafter makes of a text does
not hang on the rounds in which it was written: a head reads the same features of a token whichever round committed it.
(In low precision it may round them otherwise, and decide a near tie otherwise.)
"""

from __future__ import annotations

from dataclasses import dataclass

from respec_core.engine.drafting import Draft
from respec_core.errors import ReSpecError
from respec_core.lab.playing import Player
from respec_core.lab.recorded_models import Stage
from respec_core.lab.recorded_text import RecordedText
from respec_core.settings.run_config import RunConfig
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import Decision, FinishReason, Hit


@dataclass(frozen=True)
class ReplayedRound:
    """A round as the run would have had it.

    Attributes:
        position: of the output, where it began.
        draft: with the tree as it was verified.
        path: accepted nodes.
        emitted: committed ids.
        hits: as they stand after the round.
        draft_ms: recorded milliseconds of drafting, by phase.
    """

    position: int
    decision: Decision
    draft: Draft
    path: tuple[int, ...]
    emitted: tuple[int, ...]
    hits: tuple[Hit, ...]
    draft_ms: float


@dataclass(frozen=True)
class Replay:
    """All rounds, and why they end."""

    rounds: tuple[ReplayedRound, ...]
    finish: FinishReason

    @property
    def tokens(self) -> int:
        """Committed."""
        return sum(len(round.emitted) for round in self.rounds)

    def ms(self, costs: CostCurve) -> float:
        """Predicted milliseconds: forwards by the curve, drafting as recorded; the search for copies counts nothing."""
        return sum(costs.ms(len(round.draft.tree)) + round.draft_ms for round in self.rounds)


def replay(stage: Stage, config: RunConfig) -> Replay:
    """The run of ``config`` on the text.

    Args:
        config: ends no later than the recorded text, see :func:`ending`.

    Raises:
        ReSpecError: for what cannot be replayed, or was not recorded.
    """
    length, finish = ending(stage.text, config)
    player, rounds, at = Player(stage, config, length), list[ReplayedRound](), 0
    while at < length:
        drafted = player.draft(at)
        emitted = stage.text.output_ids[at : min(at + len(drafted.path) + 1, length)]
        path = drafted.path[: len(emitted)]
        hits = player.commit(drafted, drafted.draft.tree, path, emitted)
        rounds.append(ReplayedRound(at, drafted.decision, drafted.draft, path, emitted, hits, drafted.ms))
        at += len(emitted)
    return Replay(tuple(rounds), finish)


def ending(text: RecordedText, config: RunConfig) -> tuple[int, FinishReason]:
    """How many of the recorded tokens a run of ``config`` writes, and why it ends there.

    Raises:
        ReSpecError: if it would write more than was recorded.
    """
    limit = config.stopping.max_new_tokens
    if limit > len(text) and text.finish == "length":
        raise ReSpecError(
            f"The atlas holds {len(text)} tokens of this text, and max_new_tokens is {limit}: ask for no more, or record it anew."
        )
    return (limit, "length") if limit < len(text) else (len(text), text.finish)
