"""What a round costs beside the target's forward: ``python -m respec_core.bench.overhead``.

A round's phases in the median over a run's rounds, of the fastest of a few runs: whatever else the machine does can only
add time. The measure is plain decoding's one-token forward.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from respec_core.bench.questions import read_questions
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice, add_model_options, open_models
from respec_core.methods.registry import BASELINE, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.assets import ASSETS
from respec_core.models.prompts import request_for
from respec_core.trace.round import Step

QUESTIONS = ASSETS / "bench" / "questions.jsonl"
METHODS = "pld,sam,rest,recycling,respec-strict,eagle2,diffuspec"
FORWARD = "verify"
REPEATS = 3


@dataclass(frozen=True)
class Overhead:
    """A method's round in milliseconds.

    Attributes:
        forward: the target's forward.
        outside: everything else.
        phases: everything else by phase; their medians need not add up to that of all.
    """

    method: str
    forward: float
    outside: float
    phases: dict[str, float]


def measure(request: Request, models: Models, methods: Sequence[str], repeats: int = REPEATS) -> list[Overhead]:
    """Plain decoding first, then ``methods`` with their default settings and ``request``'s stops and sampling."""
    found = []
    for name in dict.fromkeys((BASELINE.name, *methods)):
        shared = {"stopping": request.config.stopping, "sampling": request.config.sampling}
        config = find_method(name).configure().model_copy(update=shared)
        runs = [_of(name, complete(replace(request, config=config), models).steps) for _ in range(repeats)]
        found.append(min(runs, key=lambda row: row.forward + row.outside))
    return found


def _of(name: str, steps: Sequence[Step]) -> Overhead:
    forwards = [step.phase_ms.get(FORWARD, 0.0) for step in steps]
    totals = [sum(step.phase_ms.values()) for step in steps]
    names = dict.fromkeys(phase for step in steps for phase in step.phase_ms if phase != FORWARD)
    return Overhead(
        name,
        forward=median(forwards),
        outside=median(total - forward for total, forward in zip(totals, forwards, strict=True)),
        phases={phase: median(step.phase_ms.get(phase, 0.0) for step in steps) for phase in names},
    )


def table(rows: Sequence[Overhead]) -> str:
    """The rows as Markdown; plain decoding comes first."""
    one = rows[0].forward
    lines = [
        "| method | target's forward | outside it | of a one-token forward | by phase |",
        "|---|---:|---:|---:|---|",
    ]
    for row in rows:
        phases = ", ".join(f"{name} {ms:.2f}" for name, ms in row.phases.items() if ms >= 0.005)
        share = f"{row.outside / one:.1%}" if one else "–"
        lines.append(f"| `{row.method}` | {row.forward:.2f} ms | {row.outside:.2f} ms | {share} | {phases} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="What a round costs beside the target's forward.")
    parser.add_argument("--methods", default=METHODS, help="(%(default)s)")
    parser.add_argument("--max-new-tokens", type=int, default=96, metavar="N")
    parser.add_argument("--repeat", type=int, default=REPEATS, metavar="N", help="runs, of which the fastest counts")
    add_model_options(parser, datastore="demo")
    args = parser.parse_args(argv)
    try:
        if args.repeat < 1:
            raise ReSpecError("Give --repeat of at least 1.")
        config = BASELINE.configure({"max_new_tokens": args.max_new_tokens})
        models = open_models(ModelChoice.parsed(args), lambda text: print(text, file=sys.stderr))
        request = request_for(models.target, config, read_questions(QUESTIONS, limit=1)[0].text)
        print(table(measure(request, models, args.methods.split(","), args.repeat)))
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
