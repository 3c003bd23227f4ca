"""SAM-Decoding's drafter (arXiv 2411.10666; algorithms §5): copy what followed the longest earlier match."""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.config import SAMSettings
from respec_core.drafters.base import Context, Draft, MatchDrafter, Round, credit
from respec_core.drafters.hits import context_hit
from respec_core.models import Models
from respec_core.retrieval.suffix_automaton import SuffixAutomaton, SuffixCursor
from respec_core.routing import MatchLength, Router
from respec_core.trace import Hit
from respec_core.tree import DraftTree


def build(settings: SAMSettings, models: Models) -> Router:
    """Copy behind a long match, else abstain."""
    return MatchLength(SAMDrafter(settings), settings.len_threshold)


class SAMDrafter(MatchDrafter):
    """A suffix automaton over prompt and output. Of several occurrences the newest is copied."""

    def __init__(self, settings: SAMSettings) -> None:
        self.settings = settings
        self.cursor = SuffixCursor(SuffixAutomaton(), grow=True)

    @property
    def match_length(self) -> int:
        """Tokens of the longest suffix that occurred before."""
        return self.cursor.length

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        for token in prompt:
            self.cursor.read(token)

    def propose(self, context: Context) -> Draft:
        """The tokens behind the newest occurrence; only the root without a match."""
        with context.clock.phase("retrieve"):
            ends = self.cursor.occurrences()
            if not ends:
                return Draft(DraftTree.root(context.root), reason="no earlier occurrence")
            end = ends[0]
            continuation = self.cursor.automaton.tokens[end : end + self.settings.n_predicts - 1]
            hit = context_hit(context, 0, end, self.match_length, continuation)
            tree = DraftTree.chain(context.root, continuation[: context.room], "dynamic", hits=(0,))
            return Draft(tree, (hit,), reason=f"{len(ends)} earlier occurrences, newest copied")

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Read what was committed."""
        for token in round.emitted:
            self.cursor.read(token)
        return credit(round)
