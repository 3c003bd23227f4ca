"""What must hold in every trace, whatever its method; methods add their own groups. Imports no torch.

First the structure (``BASICS``), which everything else reads along; where that holds, whatever the trace determines is
computed again and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from respec_core.trace.checks.ahead import ahead_problems
from respec_core.trace.checks.commit import commit_problems
from respec_core.trace.checks.decision import decision_problems
from respec_core.trace.checks.ending import ending_problems
from respec_core.trace.checks.fly import fly_problems
from respec_core.trace.checks.fusion import fusion_problems
from respec_core.trace.checks.head import head_problems
from respec_core.trace.checks.hits import hit_problems
from respec_core.trace.checks.lossless import lossless_problems
from respec_core.trace.checks.opinion import opinion_problems
from respec_core.trace.checks.outcome import outcome_problems
from respec_core.trace.checks.output import output_problems
from respec_core.trace.checks.reading import Reading
from respec_core.trace.checks.relaxed import relaxed_problems
from respec_core.trace.checks.sampling import sampling_problems
from respec_core.trace.checks.sources import source_problems
from respec_core.trace.checks.summary import summary_problems
from respec_core.trace.checks.times import time_problems
from respec_core.trace.checks.tree import tree_problems
from respec_core.trace.checks.verdict import verdict_problems
from respec_core.trace.checks.vocabulary import vocabulary_problems
from respec_core.trace.extensions import Check, Extensions
from respec_core.trace.schema import Run

BASICS: dict[str, Callable[[Run], Iterator[str]]] = {
    "output": output_problems,
    "commit": commit_problems,
    "tree": tree_problems,
    "lossless": lossless_problems,
    "sampling": sampling_problems,
}
DETAILS: dict[str, Check] = {
    "vocabulary": vocabulary_problems,
    "outcome": outcome_problems,
    "opinion": opinion_problems,
    "verdict": verdict_problems,
    "relaxed": relaxed_problems,
    "ahead": ahead_problems,
    "fly": fly_problems,
    "ending": ending_problems,
    "routing": decision_problems,
    "sources": source_problems,
    "hits": hit_problems,
    "fusion": fusion_problems,
    "times": time_problems,
    "summary": summary_problems,
}
SHARED_CHECKS = ("head", *BASICS, *DETAILS)


def broken_rules(run: Run, extensions: Extensions) -> list[str]:
    """Every broken invariant as one sentence; empty when the trace is sound."""
    broken = [f"head: {problem}" for problem in head_problems(run, extensions)]
    broken += [f"{name}: {problem}" for name, check in BASICS.items() for problem in check(run)]
    if broken:
        return broken
    reading = Reading.of(run, extensions)
    checks = {**DETAILS, **extensions.checks}
    return [f"{name}: {problem}" for name, check in checks.items() for problem in check(reading)]
