"""What a forward costs through transformers, lean in fp32, and in int8: ``python -m respec_core.bench.forwards``.

All three in turn, size after size, and the fastest of each counts: whatever else the machine does can only add time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from time import perf_counter

from respec_core.engine.target import TargetSession
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.language_model import LanguageModel, load_model
from respec_core.models.registry import DEFAULT_TARGET
from respec_core.models.session import Session

SIZES = (1, 4, 8, 16, 32)
CONTEXT, REPEATS = 300, 12


def sessions(model: LanguageModel, context: int) -> dict[str, TargetSession]:
    """One of each kind behind a prompt of ``context`` tokens.

    Raises:
        ReSpecError: for a model that only runs through transformers.
    """
    if model.why_not_lean:
        raise ReSpecError(f"{model.name} runs through transformers alone: {model.why_not_lean}.")
    room = context + max(SIZES)
    found: dict[str, TargetSession] = {
        "transformers": Session(model, room),
        model.dtype_name: model.session(room),
        "int8": model.in_int8().session(room),
    }
    for session in found.values():
        for _ in session.prefill([i % model.vocab_size for i in range(context)]):
            pass
    return found


def times(found: Mapping[str, TargetSession], repeats: int = REPEATS) -> dict[str, dict[int, float]]:
    """Milliseconds of a forward over each of ``SIZES`` new tokens."""
    best = {kind: dict.fromkeys(SIZES, float("inf")) for kind in found}
    for _ in range(repeats):
        for size in SIZES:
            tree = DraftTree.chain(1, range(2, size + 1), "probe")
            for kind, session in found.items():
                start = perf_counter()
                session.forward(tree)
                best[kind][size] = min(best[kind][size], (perf_counter() - start) * 1e3)
    return best


def table(best: Mapping[str, Mapping[int, float]]) -> str:
    """Markdown: milliseconds, and how many times as fast as the first row."""
    first = next(iter(best.values()))
    lines = [f"| tokens | {' | '.join(map(str, SIZES))} |", "|---|" + "---:|" * len(SIZES)]
    for kind, row in best.items():
        cells = (f"{row[size]:.1f} ms, {first[size] / row[size]:.2f}×" for size in SIZES)
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a forward costs through transformers, lean, and in int8.")
    parser.add_argument("--model", default=DEFAULT_TARGET, help="registry name, hub id or folder (%(default)s)")
    parser.add_argument("--context", type=int, default=CONTEXT, metavar="N", help="tokens before it (%(default)s)")
    parser.add_argument("--repeat", type=int, default=REPEATS, metavar="N", help="of which the fastest counts")
    args = parser.parse_args(argv)
    try:
        if args.context < 1 or args.repeat < 1:
            raise ReSpecError("Give --context and --repeat of at least 1.")
        print(table(times(sessions(load_model(args.model, "cpu", "fp32"), args.context), args.repeat)))
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
