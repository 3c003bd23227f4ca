"""Metrics of a run, all from its steps and tokens. The page's glossary quotes :data:`GLOSSARY`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from respec_core.trace.mean_lengths import LENGTHS
from respec_core.trace.positions import Positions
from respec_core.trace.rates import took_retrieved, verified_retrieved
from respec_core.trace.round import Step
from respec_core.trace.schema import SourceAcceptance, Summary, Token

GLOSSARY: dict[str, str] = {
    "tokens per target pass": "committed tokens ÷ target forwards after prefill; plain decoding has 1.00",
    "accepted per pass": "accepted draft tokens ÷ target forwards (the target's own token not counted)",
    "levels accepted": "accepted draft tokens ÷ levels drafted, a tree's branches side by side being one level; rounds that "
    "a stop cut short left out",
    "tree nodes accepted": "accepted draft nodes ÷ draft nodes sent to the target, rejected branches included: one path of a "
    "tree is taken at most, so a tree's share is small where it does well",
    "by depth": "accepted at depth d ÷ rounds whose draft had a token there, right behind what was accepted before "
    "(conditional), or ÷ all rounds whose draft was that deep (unconditional); a depth not drafted is no rejection",
    "trigger rate": "rounds whose rule chose to retrieve ÷ all rounds",
    "hit rate": "rounds with at least one retrieved token accepted ÷ rounds that verified retrieved tokens",
    "tokens/s": "committed tokens ÷ decode seconds, prompt processing excluded",
    "× plain": "decode seconds of plain decoding ÷ of this run, on the same prompt and machine: the median of "
    "repeats in turn with nothing drawn, or one run each, which says little",
    "cost of a pass": "time of a round ÷ time of a one-token forward: plain decoding's of this prompt where it was measured, "
    "else this machine's cost curve, at the level of the run's own forwards",
    "draft size": "who decides how many draft nodes the target verifies: auto (what pays here, by the clock), own (the "
    "method, as in its paper) or a limit",
    **LENGTHS,
}

SHARED = "shared"
SPECIALS_NAMED = 5


def specials_note(specials: Sequence[str], *, parsed: bool) -> str:
    """How strings of the user's text that look like special tokens were read; empty if there were none."""
    if not specials:
        return ""
    names = ", ".join(specials[:SPECIALS_NAMED]) + (" …" if len(specials) > SPECIALS_NAMED else "")
    if parsed:
        return f"The text contains {names}: read as special tokens, as the setting parse_special asks."
    return f"The text contains {names}: kept as ordinary text; with the setting parse_special they are special tokens."


def summarise(steps: Sequence[Step], tokens: Sequence[Token], wall_s: float, prefill_s: float) -> Summary:
    """The summary of a run that took ``wall_s`` seconds of decoding and ``prefill_s`` before."""
    tally = SummaryCounts()
    for step in steps:
        tally.add(step)
    return tally.summary(len(tokens), wall_s, prefill_s)


class SummaryCounts:
    """What a summary counts, round by round, so that one of a run that goes on costs no more as it grows."""

    def __init__(self) -> None:
        self.passes = self.accepted = self.drafted = self.relaxed = self.drafts = 0
        self.triggered = self.retrieved = self.took = 0
        self.spent: Counter[str] = Counter()  # milliseconds by phase
        self.spent_ms = 0.0
        self._sources: tuple[Counter[str], Counter[str]] = (Counter(), Counter())  # drafted, accepted
        self._reached, self._passed = Counter[int](), Counter[int]()
        self._positions = Positions()

    def add(self, step: Step) -> None:
        """The next round."""
        nodes = len(step.trees.final) - 1
        self.passes += 1
        self.accepted += step.commit.n_accepted
        self.relaxed += step.commit.n_relaxed
        self.drafted += nodes
        self.drafts += nodes > 0
        self.triggered += step.decision.triggered
        self.retrieved += verified_retrieved(step)
        self.took += took_retrieved(step)
        self.spent.update(step.phase_ms)
        self.spent_ms += sum(step.phase_ms.values())
        self._positions.add(step)
        self._count_sources(step)
        self._count_depths(step)

    def _count_sources(self, step: Step) -> None:
        """A node of several sources counts for each of them, and once as ``shared``."""
        path, (drafted, accepted) = set(step.commit.path_node_ids), self._sources
        for node in step.trees.final[1:]:
            buckets = [*node.sources, SHARED] if len(node.sources) > 1 else node.sources
            drafted.update(buckets)
            if node.id in path:
                accepted.update(buckets)

    def _count_depths(self, step: Step) -> None:
        """Kept for older readers, takes a draft's deepest branch for all of it; ``acceptance_by_position`` does not."""
        if step.commit.stopped:  # cut short: says nothing about acceptance
            return
        n = step.commit.n_accepted
        deepest = max(node.depth for node in step.trees.final)
        for depth in range(1, min(n + 1, deepest) + 1):
            self._reached[depth] += 1
            self._passed[depth] += depth <= n

    def summary(self, tokens: int, wall_s: float, prefill_s: float) -> Summary:
        """Of the rounds so far; ``draft_rounds`` sent a draft to the target, ``retrieval_rounds`` a retrieved token."""
        passes, spent = self.passes, sum(self.spent.values())
        drafted, accepted = self._sources
        return Summary(
            tokens=tokens,
            steps=passes,
            target_passes=passes,
            mat=tokens / passes if passes else 0.0,
            accepted_per_step=self.accepted / passes if passes else 0.0,
            drafted=self.drafted,
            acceptance_rate=self.accepted / self.drafted if self.drafted else 0.0,
            trigger_rate=self.triggered / passes if passes else 0.0,
            hit_rate=self.took / self.retrieved if self.retrieved else 0.0,
            acceptance_by_source={
                s: SourceAcceptance(drafted=n, accepted=accepted[s], rate=accepted[s] / n) for s, n in drafted.items()
            },
            acceptance_by_depth=tuple(self._passed[d] / self._reached[d] for d in sorted(self._reached)),
            relaxed_accepts=self.relaxed,
            relaxed_share=self.relaxed / tokens if tokens else 0.0,
            wall_s=wall_s,
            prefill_s=prefill_s,
            tok_s=tokens / wall_s if wall_s > 0 else 0.0,
            phase_share={name: ms / spent for name, ms in self.spent.items()} if spent else {},
            draft_rounds=self.drafts,
            retrieval_rounds=self.retrieved,
            acceptance_by_position=self._positions.found(),
        )
