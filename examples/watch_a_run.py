"""Watch a run round by round, then save its trace: ``python examples/watch_a_run.py [MODEL] [FILE]``."""

from __future__ import annotations

import sys

import respec_core
from respec_core.trace.events import Committed, Drafted, TraceFolder

model = sys.argv[1] if len(sys.argv) > 1 else "smollm2-135m"
file = sys.argv[2] if len(sys.argv) > 2 else "run.json"
studio = respec_core.load(model, progress=print)

folder = TraceFolder()
for event in studio.stream(
    "Say the days of the week twice.", method="respec-strict", theta_entropy=1.2, max_new_tokens=48
):
    folder.add(event)
    if isinstance(event, Drafted):
        print(f"round {event.i}: {len(event.nodes) - 1} guesses, because {event.decision.reason}")
    elif isinstance(event, Committed):
        print(f"  {event.step.commit.n_accepted} were right: {''.join(token.text for token in event.tokens)!r}")

run = folder.run()
run.save(file)
print(f"{run.summary.mat:.2f} tokens a pass; `python -m respec_core check {file}` verifies the trace")
