"""What a run has to say about itself, whoever shows it: sentences from the trace. Imports no torch."""

from __future__ import annotations

from respec_core.trace.repetition import find_loop
from respec_core.trace.schema import Run


def notes(run: Run) -> tuple[str, ...]:
    """Everything that a reader of the run's figures should know."""
    return tuple(note for note in (loop_note(run), context_note(run), lacking_note(run)) if note)


def loop_note(run: Run) -> str | None:
    """That the text loops, if it does."""
    loop = find_loop(run.output_ids)
    if loop is None:
        return None
    cycle = "the same token" if loop.period == 1 else f"the same {loop.period} tokens"
    return (
        f"The text loops: {cycle} {loop.cycles} times over, {loop.length} of {len(run.output_ids)} tokens. "
        "Such text is easy to draft: its speed-up is not representative."
    )


def context_note(run: Run) -> str | None:
    """That the drafter read more than it was trained on, if it did."""
    beyond = [step for step in run.steps if step.decision.trained_context is not None]
    if not beyond:
        return None
    trained, longest = beyond[-1].decision.trained_context, beyond[-1].ctx_len
    return (
        f"The context grew to {longest} tokens; the drafter was trained on up to {trained}: it guesses worse beyond "
        f"({len(beyond)} of {len(run.steps)} rounds)."
    )


def lacking_note(run: Run) -> str | None:
    """That a setting asks for a part of a drafter that it does not have: its description then says no to that name."""
    asked = [name for name, value in run.settings.params.items() if value is True]
    lacking = next((name for name in asked if any(model.get(name) is False for model in run.models.values())), None)
    if lacking is None:
        return None
    return f"The drafter has no part for the setting {lacking}: it drafted as with {lacking}=false."
