"""A recorded run as a text to replay on: what copying would have done under any setting, counted by the lab's simulator.

A strict greedy run's text is plain decoding's, and copies need token ids and entropies only, which its trace holds. So
this is exact, without a model and without an atlas.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from respec_core.errors import ReSpecError
from respec_core.lab.recorded_models import RecordedModels, RecordedTarget, Stage
from respec_core.lab.recorded_text import RecordedText
from respec_core.lab.replay import Replay, replay
from respec_core.methods.registry import find_method
from respec_core.trace.schema import Run

GATE = {"switch": "gate", "when_triggered": "retrieval", "fallback": "none"}
CONTEXT = 2**20  # nothing is read, so nothing limits it


def stage_of(run: Run) -> Stage:
    """The stage of a run's text.

    Raises:
        ReSpecError: if its text is not plain decoding's.
    """
    if not run.settings.lossless or not run.tokens:
        raise ReSpecError("Only a strict greedy run can be replayed: name a trace of one.")
    n, nothing = len(run.tokens), np.zeros((len(run.tokens), 0))
    text = RecordedText(
        run.prompt_ids,
        run.output_ids,
        run.finish_reason,
        np.array([token.entropy for token in run.tokens], np.float32),
        nothing.astype(np.int32),
        nothing.astype(np.float32),
        np.zeros(n, np.float32),
        {},
        np.zeros(0, np.uint8),
    )
    vocab = 1 + max(*run.prompt_ids, *run.output_ids, int(run.models["target"].get("vocab_size", 0)) - 1)
    target = RecordedTarget("recorded", vocab, CONTEXT, frozenset())
    return Stage(text, target, RecordedModels(target))


def replayed(run: Run, stage: Stage, method: str, settings: Mapping[str, object]) -> Replay:
    """``method`` on the run's text, at sizes of its own."""
    shared = {"max_new_tokens": run.settings.stopping.max_new_tokens, "budget_rule": "own"}
    return replay(stage, find_method(method).configure({**shared, **settings}))


def gated(run: Run, stage: Stage, theta: float) -> Replay:
    """ReSpec's entropy gate on the run's text, copies alone (arXiv 2511.01282, Algorithm 1); θ in nats."""
    return replayed(run, stage, "respec-strict", {**GATE, "theta_entropy": theta})
