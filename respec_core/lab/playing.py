"""A method's router and drafters on a recorded text: the counterpart of the engine's loop, with the verdict known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, cast

from respec_core.engine.clock import PhaseClock
from respec_core.engine.decoding import MAX_PROMPT_TOKENS
from respec_core.engine.drafting import Context, Draft, Round
from respec_core.engine.fitting import fitted, sizer_for
from respec_core.engine.pieces import Pieces
from respec_core.engine.sampling import Sampler
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.lab.recorded_models import Stage
from respec_core.methods.registry import find_method
from respec_core.settings.run_config import RunConfig
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import Decision, Hit

BARE = Pieces(None)  # ids as they are
REALLY = "decode it with `respec bench`, or confirm it on the Lab page"


@dataclass(frozen=True)
class Played:
    """A draft and what the target makes of it.

    Attributes:
        draft: with the tree as it is verified.
        path: nodes that the text goes on with.
        clock: the round's.
        ms: recorded milliseconds of drafting.
    """

    decision: Decision
    draft: Draft
    path: tuple[int, ...]
    clock: PhaseClock
    ms: float


class Player:
    """One run's state.

    Args:
        length: how many of the recorded tokens it writes.
        pieces: how they read, where anybody reads what is said of the rounds.

    Raises:
        ReSpecError: for settings that cannot be replayed, see :func:`refusal`.
    """

    def __init__(self, stage: Stage, config: RunConfig, length: int, pieces: Pieces | None = None) -> None:
        if why := refusal(config, stage):
            raise ReSpecError(why)
        text, router = stage.text, find_method(config.method).build(config.params, stage.models)
        if router.hidden_layers:
            raise ReSpecError(
                f"{config.method} reads the target's hidden states, which an atlas does not hold: {REALLY}."
            )
        self.stage, self.router, self.pieces, self.told = stage, router, pieces or BARE, pieces is not None
        self.prompt_len, self.answer = len(text.prompt_ids), text.output_ids[:length]
        limit = min(stage.target.max_context, MAX_PROMPT_TOKENS)
        self.room = min(config.stopping.max_new_tokens, limit - self.prompt_len)
        self.ids = list(text.prompt_ids)
        self.newest_first = text.entropy.tolist()[::-1]
        self.sampler = Sampler(config.sampling)
        self.sizer = sizer_for(config.drafting, router, lambda: cast(CostCurve, stage.target.costs))
        router.begin(self.ids)

    def draft(self, at: int) -> Played:
        """The draft behind the output's first ``at`` tokens, which are committed."""
        self.stage.time.restart()
        clock, room = PhaseClock(self.stage.time.now), self.room - at
        context = Context(
            ids=self.ids,
            prompt_len=self.prompt_len,
            room=room - 1,
            entropies=self.newest_first[len(self.newest_first) - at :],
            sampler=self.sampler,
            clock=clock,
            pieces=self.pieces,
            worth=self.sizer.worth,
            told=self.told,
        )
        decision, draft = self.router.route(context)
        vocab, written = self.stage.target.vocab_size, len(self.ids)
        decision, draft = fitted(decision, draft, self.router, self.sizer, room=room, vocab=vocab, written=written)
        return Played(decision, draft, draft.tree.along(self.answer[at:]), clock, sum(clock.ms.values()))

    def commit(
        self, played: Played, tree: DraftTree, path: tuple[int, ...], emitted: tuple[int, ...]
    ) -> tuple[Hit, ...]:
        """Commit ``emitted``: router and sizer are told that ``tree`` was verified and ``path`` accepted; hits afterwards."""
        self.ids.extend(emitted)
        clock = played.clock
        if self.sizer.costs is not None:
            clock.ms["verify"] = self.sizer.costs.ms(len(tree))
        hits = self.router.observe(Round(tree, path, emitted, UNKNOWN, UNKNOWN, played.draft.hits, self.ids))
        self.sizer.observe(tree, path, emitted, clock.ms, hits)
        return hits


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


class _Unknown:
    """Logits and hidden states of a round, which no atlas holds."""

    def __getattr__(self, name: str) -> NoReturn:
        raise ReSpecError(
            f"This method reads the target's scores round by round, which an atlas does not hold: {REALLY}."
        )

    def __getitem__(self, key: object) -> NoReturn:
        self.__getattr__("")


UNKNOWN: Any = _Unknown()
