"""What must hold of the toy's record."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.checks.reading import Reading
from toy_family.record import Memory


def memory_problems(reading: Reading) -> Iterator[str]:
    """Counts that the tree contradicts, and a memory that forgets."""
    known = 0
    for round in reading.rounds:
        memory = round.step.record(Memory)
        if (memory is None) != (reading.run.method not in ("toy", "toy-noted")):
            yield f"{round.where}: a memory belongs to the toy, and to all of its rounds"
        if memory is None:
            continue
        if (memory.drafted, memory.accepted) != (len(round.nodes) - 1, len(round.path)):
            yield f"{round.where}: the memory drafted {memory.drafted} tokens, of which {memory.accepted} were accepted"
        if memory.known < known:
            yield f"{round.where}: {known} tokens had a successor before, {memory.known} now"
        known = memory.known
