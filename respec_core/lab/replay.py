"""A method's run on a recorded text, round by round, without any model.

Under strict greedy verification the target accepts exactly what it writes itself, so the recorded text says of every
draft what is accepted. The method's own router drafts: copies are looked for as in a run, the models' drafts come from
the record. So decisions, drafts and accepted paths are those of the run, as long as what a drafter makes of a text does
not hang on the rounds in which it was written: a head reads the same features of a token whichever round committed it.
(In low precision it may round them otherwise, and decide a near tie otherwise.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from respec_core.engine.clock import PhaseClock
from respec_core.engine.decoding import MAX_PROMPT_TOKENS
from respec_core.engine.drafting import Context, Draft, Round
from respec_core.engine.fitting import fitted, sizer_for
from respec_core.engine.pieces import Pieces
from respec_core.engine.routing import Router
from respec_core.engine.sampling import Sampler
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.lab.recorded_models import Stage
from respec_core.lab.recorded_text import RecordedText
from respec_core.methods.registry import find_method
from respec_core.settings.run_config import RunConfig
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import Decision, FinishReason, Hit

REALLY = "decode it with `respec bench`"


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


def refusal(config: RunConfig, stage: Stage) -> str:
    """Why a run so set cannot be replayed; empty if it can."""
    method = find_method(config.method)
    if not config.lossless:
        return f"Only strict greedy decoding can be replayed, other rules write other texts: {REALLY}."
    if unmet := next((need for need in method.needs if not stage.models.meets(need)), None):
        return f"{method.name} drafts with a {unmet.name}, which this atlas does not hold: {REALLY}."
    if method.learns_from_rejected(config.params, stage.models.meets):
        return f"{config.method} so set learns from rejected tokens, of which an atlas does not hold the target's opinion: {REALLY}."
    if config.drafting.budget_rule == "auto" and stage.target.costs is None and method.drafts:
        return "The draft size auto follows what forwards cost, which this atlas does not hold: choose budget=own or a number."
    return ""


def replay(stage: Stage, config: RunConfig) -> Replay:
    """The run of ``config`` on the text.

    Args:
        config: ends no later than the recorded text, see :func:`ending`.

    Raises:
        ReSpecError: for what cannot be replayed, or was not recorded.
    """
    if why := refusal(config, stage):
        raise ReSpecError(why)
    router = find_method(config.method).build(config.params, stage.models)
    if router.hidden_layers:
        raise ReSpecError(f"{config.method} reads the target's hidden states, which an atlas does not hold: {REALLY}.")
    length, finish = ending(stage.text, config)
    return Replay(tuple(_Rounds(stage, config, router, length).all()), finish)


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


class _Rounds:
    """One replay's state between its rounds; the counterpart of the engine's loop, with the verdict known."""

    def __init__(self, stage: Stage, config: RunConfig, router: Router, length: int) -> None:
        text = stage.text
        self.stage, self.router, self.length = stage, router, length
        self.prompt_len, self.answer = len(text.prompt_ids), text.output_ids
        limit = min(stage.target.max_context, MAX_PROMPT_TOKENS)
        self.room = min(config.stopping.max_new_tokens, limit - self.prompt_len)
        self.ids = list(text.prompt_ids)
        self.newest_first = text.entropy.tolist()[::-1]
        self.sampler, self.pieces = Sampler(config.sampling), Pieces(None)
        self.sizer = sizer_for(config.drafting, router, lambda: cast(CostCurve, stage.target.costs))

    def all(self) -> Iterator[ReplayedRound]:
        """To the end of the text."""
        self.router.begin(self.ids)
        at = 0
        while at < self.length:
            round = self._round(at)
            yield round
            at += len(round.emitted)

    def _round(self, at: int) -> ReplayedRound:
        clock = PhaseClock(self.stage.time.now)
        room = self.room - at
        context = Context(
            ids=self.ids,
            prompt_len=self.prompt_len,
            room=room - 1,
            entropies=self.newest_first[len(self.newest_first) - at :],
            sampler=self.sampler,
            clock=clock,
            pieces=self.pieces,
            worth=self.sizer.worth,
        )
        decision, draft = self.router.route(context)
        vocab, written = self.stage.target.vocab_size, len(self.ids)
        decision, draft = fitted(decision, draft, self.router, self.sizer, room=room, vocab=vocab, written=written)
        tree, draft_ms = draft.tree, sum(clock.ms.values())
        path = self._accepted(tree, at)
        emitted = self.answer[at : min(at + len(path) + 1, self.length)]
        path = path[: len(emitted)]
        self.ids.extend(emitted)
        if self.sizer.costs is not None:
            clock.ms["verify"] = self.sizer.costs.ms(len(tree))
        hits = self.router.observe(Round(tree, path, emitted, UNKNOWN, UNKNOWN, draft.hits, self.ids))
        self.sizer.observe(tree, path, len(emitted), sum(clock.ms.values()))
        return ReplayedRound(at, decision, draft, path, emitted, hits, draft_ms)

    def _accepted(self, tree: DraftTree, at: int) -> tuple[int, ...]:
        """Nodes down from the root for as long as the text goes on so."""
        path: list[int] = []
        node = 0
        for token in self.answer[at : self.length]:
            child = tree.child(node, token)
            if child is None:
                break
            path.append(child)
            node = child
        return tuple(path)


class _Unknown:
    """Logits and hidden states of a round, which no atlas holds."""

    def __getattr__(self, name: str) -> NoReturn:
        raise ReSpecError(
            f"This method reads the target's scores round by round, which an atlas does not hold: {REALLY}."
        )

    def __getitem__(self, key: object) -> NoReturn:
        self.__getattr__("")


UNKNOWN: Any = _Unknown()
