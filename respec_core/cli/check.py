"""``check``: is this trace sound?"""

from __future__ import annotations

import argparse
from pathlib import Path

from respec_core.methods.traces import check_names, read_trace, violations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The trace file."""
    parser.add_argument("trace", type=Path)


def main(args: argparse.Namespace) -> int:
    """Print every broken invariant; 1 if there is one."""
    run = read_trace(args.trace)
    problems = violations(run)
    for problem in problems:
        print(problem)
    if not problems:
        print(
            f"{args.trace}: {len(run.steps)} rounds, {len(run.output_ids)} tokens, {len(check_names())} groups of invariants hold"
        )
    return 1 if problems else 0
