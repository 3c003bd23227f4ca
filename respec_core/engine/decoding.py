"""The decode loop: draft, one target forward, verify, commit, until a stop.

    context ─► router ─► draft tree ─► target forward ─► verifier ─► commit ─► events

A generator: it yields at every phase and holds no thread; closing it at any point leaves nothing behind. All state
of a run lives in the run; models are shared and read-only. Batch is 1 by design.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import torch

from respec_core.engine.clock import PhaseClock, Stopwatch
from respec_core.engine.drafting import Context, Draft, Round
from respec_core.engine.fitting import fitted, sizer_for
from respec_core.engine.probabilities import opinions
from respec_core.engine.routing import Router
from respec_core.engine.sampling import Sampler
from respec_core.engine.stopping import Stopper
from respec_core.engine.target import Loaded
from respec_core.engine.tracing import Verified, draft_nodes, trace_round
from respec_core.engine.verification import verify
from respec_core.errors import ReSpecError
from respec_core.settings.run_config import RunConfig
from respec_core.trace.events import Committed, Drafted, Event, Prefilled, RunFinished, RunStarted
from respec_core.trace.round import LOSSY_ACCEPTS, Decision, FinishReason, Node
from respec_core.trace.schema import Run, run_digest

MAX_PROMPT_TOKENS = 32_768
TREE_ROOM = 160  # cache rows for a draft behind the longest run; more makes the cache grow once


@dataclass(frozen=True)
class Request:
    """What to decode: settings and the exact prompt ids, tokenised once (see ``prompts.py``).

    ``specials`` are strings of the user's text that look like special tokens.
    """

    config: RunConfig
    prompt_ids: tuple[int, ...]
    prompt_text: str = ""
    specials: tuple[str, ...] = ()


def decode(
    request: Request, router: Router, models: Loaded, now: Callable[[], float] = perf_counter
) -> Generator[Event, None, None]:
    """Run ``request`` with a fresh ``router``; yields events that :class:`~respec_core.trace.events.TraceFolder` folds into a trace.

    Args:
        now: seconds since some moment, by which rounds are timed and sizes follow the clock.

    Raises:
        ReSpecError: before the first event, if the prompt does not fit.
    """
    loop = _Loop(request, router, models, now)
    yield RunStarted(loop.head)
    yield from loop.prefill()
    yield from loop.rounds()


class _Loop:
    """One run's state between its events."""

    def __init__(self, request: Request, router: Router, models: Loaded, now: Callable[[], float]) -> None:
        config, target = request.config, models.target
        prompt = request.prompt_ids
        limit = min(target.max_context, MAX_PROMPT_TOKENS)
        if not prompt:
            raise ReSpecError("The prompt is empty: write something to continue.")
        if len(prompt) >= limit:
            raise ReSpecError(
                f"The prompt has {len(prompt)} tokens; {target.name} takes fewer than {limit}. Shorten it."
            )
        if config.contradiction:
            raise ReSpecError(config.contradiction)
        if max(prompt) >= target.vocab_size or min(prompt) < 0:
            raise ReSpecError("The prompt holds token ids that the target does not have.")
        self.config, self.models, self.target = config, models, target
        self.router, self.now = router, now
        self.sampler = Sampler(config.sampling)
        self.stopper = Stopper(config.stopping, target.eos_ids, models.pieces, limit - len(prompt))
        self.ids = list(prompt)
        self.prompt_len = len(prompt)
        self.entropies: list[float] = []
        self.sizer = sizer_for(config.drafting, router, lambda: models.costs.behind(len(prompt)))
        self.watch = Stopwatch()
        self.prefill_s = 0.0
        capacity = len(prompt) + min(config.stopping.max_new_tokens, limit) + TREE_ROOM
        self.session = target.session(capacity, self.router.hidden_layers)
        self.head = self._head(request)

    def _head(self, request: Request) -> Run:
        config = request.config.model_dump(mode="json")
        described = self.models.describe()
        piece = self.models.pieces.piece
        return Run(
            run_id=run_digest(config, described, request.prompt_ids),
            method=request.config.method,
            config=config,
            models=described,
            seed=request.config.sampling.seed,
            prompt_text=request.prompt_text,
            prompt_ids=request.prompt_ids,
            prompt_pieces=tuple(piece(token) for token in request.prompt_ids),
            cost_curve=self.sizer.costs.points if self.sizer.costs else (),
            prompt_specials=request.specials,
        )

    def _pause(self, event: Event) -> Iterator[Event]:
        """Yield without counting the time the consumer takes."""
        self.watch.stop()
        yield event
        self.watch.start()

    def prefill(self) -> Iterator[Event]:
        """Feed the prompt but for its last token, which is the first round's root."""
        self.watch.start()
        for done, hidden in self.session.prefill(self.ids[:-1]):
            self.router.prefilled(hidden)
            yield from self._pause(Prefilled(done, self.prompt_len - 1))
        self.router.begin(self.ids)
        self.watch.stop()
        self.prefill_s, self.watch = self.watch.seconds, Stopwatch()

    def rounds(self) -> Iterator[Event]:
        """Rounds until a stop, then the end."""
        reason: FinishReason | None = None if self.stopper.room > 0 else self.stopper.limited_by
        i = 0
        while reason is None:
            clock = PhaseClock(self.now)
            with clock.phase("route"):
                decision, draft = self.router.route(self._context(clock))
                room, vocab = self.stopper.room, self.target.vocab_size
                decision, draft = fitted(
                    decision, draft, self.router, self.sizer, room=room, vocab=vocab, written=len(self.ids)
                )
                nodes = draft_nodes(draft.tree, self.models.pieces)
            yield from self._pause(Drafted(i, decision, draft.hits, nodes))
            committed = self._verify(i, decision, draft, nodes, clock)
            reason = committed.step.commit.stopped
            yield from self._pause(committed)
            i += 1
        self.watch.stop()
        yield RunFinished(reason, self.watch.seconds, self.prefill_s)

    def _context(self, clock: PhaseClock) -> Context:
        return Context(
            ids=self.ids,
            prompt_len=self.prompt_len,
            room=self.stopper.room - 1,
            entropies=self.entropies[::-1],
            sampler=self.sampler,
            clock=clock,
            pieces=self.models.pieces,
            worth=self.sizer.worth,
        )

    def _verify(
        self, i: int, decision: Decision, draft: Draft, nodes: tuple[Node, ...], clock: PhaseClock
    ) -> Committed:
        tree, ctx_len = draft.tree, len(self.ids)
        with clock.phase("verify"):
            output = self.session.forward(tree)
            if self.target.device.type == "cuda":
                torch.cuda.current_stream(self.target.device).synchronize()
        with clock.phase("commit"):
            verdict = verify(
                tree,
                output.logits,
                self.ids,
                self.sampler,
                self.config.verify,
                draft.distributions,
                self._never_relax,
                self._closes,
                draft.transfer,
            )
            emitted = [tree.tokens[node] for node in verdict.path] + [verdict.extra]
            cut = self.stopper.take(emitted)
            emitted = emitted[: len(cut.texts)]
            path = verdict.path[: len(emitted)]
            self._keep(path)
            self.ids.extend(emitted)
            seen = opinions(_rows(output.logits, [0, *path][: len(emitted)]))
            self.entropies.extend(seen.entropy)
            hits = self.router.observe(
                Round(tree, path, tuple(emitted), output.logits, output.hidden, draft.hits, self.ids)
            )
            passed = LOSSY_ACCEPTS.get(self.config.verify.rule, "relaxed_accept")
            done = Verified(i, ctx_len, decision, draft, nodes, hits, verdict, path, cut, seen, passed)
            traced = trace_round(done, self.models.pieces)
        self.sizer.observe(tree, path, emitted, clock.ms, hits, sampled=draft.sampled)
        step = traced.step.model_copy(update={"phase_ms": clock.ms})
        return Committed(step, traced.tokens)

    def _keep(self, path: Sequence[int]) -> None:
        self.session.keep([0, *path])

    def _closes(self, token: int) -> bool:
        return token in self.target.eos_ids or self.models.pieces.is_special(token)

    def _never_relax(self, token: int) -> bool:
        return self._closes(token) or (not self.config.verify.relax_digits and self.models.pieces.has_digit(token))


def _rows(logits: torch.Tensor, nodes: Sequence[int]) -> torch.Tensor:
    """Rows of ``nodes``; a chain's are a view."""
    chain = nodes[-1] == len(nodes) - 1
    return logits[: len(nodes)] if chain else torch.stack([logits[node] for node in nodes])
