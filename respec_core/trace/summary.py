"""Metrics of a run, all from its steps and tokens. The page's glossary quotes :data:`GLOSSARY`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from respec_core.trace.mean_lengths import LENGTHS
from respec_core.trace.positions import by_position
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
    "else this machine's cost curve",
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
    """The summary of a run that took ``wall_s`` seconds of decoding and ``prefill_s`` before.

    ``draft_rounds`` sent a draft to the target, ``retrieval_rounds`` a retrieved token. ``acceptance_by_depth``, kept for
    older readers, takes a draft's deepest branch for all of it; ``acceptance_by_position`` does not.
    """
    passes = len(steps)
    accepted = sum(step.commit.n_accepted for step in steps)
    drafted = sum(len(step.trees.final) - 1 for step in steps)
    relaxed = sum(step.commit.n_relaxed for step in steps)
    retrieved = sum(map(verified_retrieved, steps))
    phases: Counter[str] = Counter()
    for step in steps:
        phases.update(step.phase_ms)
    spent = sum(phases.values())
    return Summary(
        tokens=len(tokens),
        steps=passes,
        target_passes=passes,
        mat=len(tokens) / passes if passes else 0.0,
        accepted_per_step=accepted / passes if passes else 0.0,
        drafted=drafted,
        acceptance_rate=accepted / drafted if drafted else 0.0,
        trigger_rate=sum(step.decision.triggered for step in steps) / passes if passes else 0.0,
        hit_rate=sum(map(took_retrieved, steps)) / retrieved if retrieved else 0.0,
        acceptance_by_source=_by_source(steps),
        acceptance_by_depth=_by_depth(steps),
        relaxed_accepts=relaxed,
        relaxed_share=relaxed / len(tokens) if tokens else 0.0,
        wall_s=wall_s,
        prefill_s=prefill_s,
        tok_s=len(tokens) / wall_s if wall_s > 0 else 0.0,
        phase_share={name: ms / spent for name, ms in phases.items()} if spent else {},
        draft_rounds=sum(len(step.trees.final) > 1 for step in steps),
        retrieval_rounds=retrieved,
        acceptance_by_position=by_position(steps),
    )


def _by_source(steps: Sequence[Step]) -> dict[str, SourceAcceptance]:
    """A node of several sources counts for each of them, and once as ``shared``."""
    drafted: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for step in steps:
        path = set(step.commit.path_node_ids)
        for node in step.trees.final[1:]:
            buckets = [*node.sources, SHARED] if len(node.sources) > 1 else node.sources
            drafted.update(buckets)
            if node.id in path:
                accepted.update(buckets)
    return {s: SourceAcceptance(drafted=n, accepted=accepted[s], rate=accepted[s] / n) for s, n in drafted.items()}


def _by_depth(steps: Sequence[Step]) -> tuple[float, ...]:
    reached: Counter[int] = Counter()
    passed: Counter[int] = Counter()
    for step in steps:
        if step.commit.stopped:  # cut short: says nothing about acceptance
            continue
        n = step.commit.n_accepted
        deepest = max(node.depth for node in step.trees.final)
        for depth in range(1, min(n + 1, deepest) + 1):
            reached[depth] += 1
            passed[depth] += depth <= n
    return tuple(passed[d] / reached[d] for d in sorted(reached))
