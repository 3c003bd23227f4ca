"""When a run ends: end-of-text tokens, stop strings, limits. The earliest stop in token order wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from respec_core.engine.pieces import Detokenizer, Pieces
from respec_core.settings.run_config import StopSettings
from respec_core.trace.round import FinishReason


@dataclass(frozen=True)
class Cut:
    """How much of a round's tokens counts: ``texts`` one a kept token, and why it ends there, if it does."""

    texts: tuple[str, ...]
    reason: FinishReason | None


class Stopper:
    """Scans committed tokens in order, across rounds; owns the output's text.

    A stop string ends the run when the text contains it, or when the text with its special tokens shown does: so
    ``<|im_end|>`` is a token stop, and ``.<|im_end|>`` works too.
    """

    def __init__(self, settings: StopSettings, eos_ids: frozenset[int], pieces: Pieces, context_room: int) -> None:
        self._limit = min(settings.max_new_tokens, context_room)
        self.limited_by: FinishReason = "length" if settings.max_new_tokens <= context_room else "context"
        self._eos = frozenset() if settings.ignore_eos else eos_ids
        self._stops = tuple(s for s in settings.stop if s)
        self._window = max((len(s) for s in self._stops), default=0)
        self._pieces = pieces
        self._detokenizer = Detokenizer(pieces)
        self._count = 0
        self._tail = self._raw_tail = ""

    @property
    def room(self) -> int:
        """Tokens that may still be committed."""
        return self._limit - self._count

    def take(self, emitted: Sequence[int]) -> Cut:
        """Accept a round's tokens up to the first stop. Stop strings may span tokens and rounds."""
        texts: list[str] = []
        reason: FinishReason | None = None
        for token in emitted:
            self._count += 1
            texts.append(self._detokenizer.add(token))
            if token in self._eos:
                reason = "eos"
            elif self._completes_stop(texts[-1], token):
                reason = "stop"
            elif self._count >= self._limit:
                reason = self.limited_by
            if reason:
                texts[-1] += self._detokenizer.flush()
                break
        return Cut(tuple(texts), reason)

    def _completes_stop(self, text: str, token: int) -> bool:
        if not self._stops:
            return False
        seen = self._tail + text
        raw = self._raw_tail + (self._pieces.piece(token) if self._pieces.is_special(token) else text)
        self._tail, self._raw_tail = seen[-self._window :], raw[-self._window :]
        return any(stop in seen or stop in raw for stop in self._stops)
