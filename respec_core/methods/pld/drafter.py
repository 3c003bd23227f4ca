"""Prompt lookup decoding (apoorvumang/prompt-lookup-decoding).

For n from ``max_ngram`` down to 1, find the earliest window equal to the last n tokens whose full continuation lies
within the context, and draft that continuation.
"""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.engine.drafting import Context, Draft, Drafter, Round, credit
from respec_core.engine.routing import Always, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.hits import HitMaker
from respec_core.methods.pld.settings import PLDSettings
from respec_core.methods.resources import Models
from respec_core.retrieval.retriever import Occurrence
from respec_core.trace.round import Hit


def build(settings: PLDSettings, models: Models) -> Router:
    """Ask the look-up every round."""
    return Always(PLDDrafter(settings), "retrieval")


class PLDDrafter(Drafter):
    """Keeps, for every n-gram seen, where it first stood: a look-up costs n dictionary reads."""

    def __init__(self, settings: PLDSettings) -> None:
        self.settings = settings
        self._first: dict[tuple[int, ...], int] = {}  # n-gram → position just behind its earliest occurrence
        self._ids: list[int] = []

    def begin(self, prompt: Sequence[int]) -> None:
        """Index the prompt."""
        self._extend(prompt)

    def _extend(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            self._ids.append(token)
            end = len(self._ids)
            for n in range(1, min(self.settings.max_ngram, end) + 1):
                self._first.setdefault(tuple(self._ids[end - n :]), end)

    def propose(self, context: Context) -> Draft:
        """The continuation of the earliest, longest match."""
        with context.clock.phase("retrieve"):
            ids, want = self._ids, self.settings.num_pred
            for n in range(min(self.settings.max_ngram, len(ids) - 1), 0, -1):
                end = self._first[tuple(ids[-n:])]
                if end + want <= len(ids):
                    tokens = ids[end : end + min(want, context.room)]
                    found = Occurrence("dynamic", end, n, tuple(ids[end : end + want]))
                    tree = DraftTree.chain(context.root, tokens, "dynamic", hits=(0,))
                    return Draft(
                        tree,
                        (HitMaker().hit(context, 0, found),),
                        reason=f"the last {n} tokens stood at {end - n} before",
                    )
            return Draft(DraftTree.root(context.root), reason="no earlier occurrence of the last token")

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Index what was committed."""
        self._extend(round.emitted)
        return credit(round)
