"""A round in words: what was drafted, what became of it, how long it took."""

from __future__ import annotations

from typing import TypedDict

from app.panels.labels import count
from app.panels.timeline import duration
from respec_core.trace.round import Step


class Fact(TypedDict):
    """A number with its name."""

    name: str
    value: str


class RoundView(TypedDict):
    """The strip above the panels."""

    facts: list[Fact]
    reason: str
    outcome: str


def round_view(step: Step) -> RoundView:
    """Facts, the decision's reason, and what became of the draft."""
    commit, drafted = step.commit, len(step.trees.final) - 1
    facts: list[Fact] = [
        {"name": "drafted", "value": str(drafted)},
        {"name": "accepted", "value": f"{commit.n_accepted}"},
        {"name": "tokens", "value": str(len(commit.emitted_ids))},
        {"name": "time", "value": duration(sum(step.phase_ms.values()))},
    ]
    return {"facts": facts, "reason": _reason(step), "outcome": _outcome(step, drafted)}


def _reason(step: Step) -> str:
    """The decision's own words, a context beyond training, and the size it was given where something chose one."""
    sizing, reason = step.decision.sizing, step.decision.reason
    if step.decision.trained_context is not None:
        reason += f"; {step.ctx_len} tokens of context, the drafter was trained on {step.decision.trained_context}"
    if sizing is None or sizing.proposed == 0:
        return reason
    size = f"{sizing.kept} of {count(sizing.proposed, 'node')} sent"
    if sizing.expected_tokens is not None and sizing.forward_ms is not None:
        size += f": {sizing.expected_tokens:.1f} tokens expected for {duration(sizing.forward_ms)}"
        if sizing.plain_ms is not None:
            size += f", one plain token takes {duration(sizing.plain_ms)}"
    return f"{reason}; {size}"


def _outcome(step: Step, drafted: int) -> str:
    commit = step.commit
    if not drafted:
        return "no draft: one plain token" if step.decision.chosen == "none" else "no draft was sent: one plain token"
    by = "by FLy" if any(node.outcome == "fly_accept" for node in step.trees.final) else "relaxed"
    relaxed = f" ({commit.n_relaxed} {by})" if commit.n_relaxed else ""
    if commit.extra is None:
        return f"{count(commit.n_accepted, 'draft token')} accepted{relaxed}, then the run ended"
    own = "then a bonus token" if commit.extra.kind == "bonus" else "then the target's correction"
    if commit.n_accepted == 0:
        return "first guess rejected; the target's correction stands"
    return f"{count(commit.n_accepted, 'draft token')} accepted{relaxed}, {own}"
