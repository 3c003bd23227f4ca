"""What must hold in every trace; behind ``python -m respec_core check``. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from respec_core.checks.commit import commit_problems
from respec_core.checks.decision import decision_problems
from respec_core.checks.lattice import lattice_problems
from respec_core.checks.length import length_problems
from respec_core.checks.lossless import lossless_problems
from respec_core.checks.output import output_problems
from respec_core.checks.parts import part_problems
from respec_core.checks.sampling import sampling_problems
from respec_core.checks.summary import summary_problems
from respec_core.checks.tree import tree_problems
from respec_core.trace import Run

CHECKS: dict[str, Callable[[Run], Iterator[str]]] = {
    "output": output_problems,
    "commit": commit_problems,
    "tree": tree_problems,
    "parts": part_problems,
    "lossless": lossless_problems,
    "sampling": sampling_problems,
    "summary": summary_problems,
    "routing": decision_problems,
    "lattice": lattice_problems,
    "adl": length_problems,
}


def violations(run: Run) -> list[str]:
    """Every broken invariant as one sentence; empty when the trace is sound."""
    return [f"{name}: {problem}" for name, check in CHECKS.items() for problem in check(run)]
