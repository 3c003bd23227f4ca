"""What a forward costs through transformers and lean: ``python -m respec_core.bench.forwards``.

On a processor lean in fp32 and in int8, on a card kernel by kernel and as captured graphs. All in turn, size after size,
and the fastest of each counts: whatever else the machine does can only add time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from time import perf_counter

from respec_core.engine.target import TargetSession
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.graphs import places_of
from respec_core.models.hardware import choose_device
from respec_core.models.language_model import LanguageModel, load_model
from respec_core.models.lean.capturing import Capturing
from respec_core.models.lean.placed_session import PlacedSession
from respec_core.models.lean.session import LeanSession
from respec_core.models.precision import DTYPES
from respec_core.models.random_models import SHAPES, random_llama
from respec_core.models.registry import DEFAULT_TARGET
from respec_core.models.session import Session

SIZES = (1, 4, 8, 16, 32)
CONTEXT, REPEATS = 300, 12


def sessions(model: LanguageModel, context: int) -> dict[str, TargetSession]:
    """One of each kind behind a prompt of ``context`` tokens.

    Raises:
        ReSpecError: for a model that only runs through transformers.
    """
    if model.lean is None:
        raise ReSpecError(f"{model.name} runs through transformers alone: {model.why_not_lean}.")
    room = context + max(SIZES)
    found: dict[str, TargetSession] = {
        "transformers": Session(model, room),
        model.dtype_name: LeanSession(model, model.lean, model.lean.cache(room)),
    }
    if model.device.type == "cpu":
        found["int8"] = model.in_int8().session(room)
    else:
        places = places_of(model, partial(Capturing, model.device))
        found[f"{model.dtype_name}, captured"] = PlacedSession(model, places, room)
    for session in found.values():
        for _ in session.prefill([i % model.vocab_size for i in range(context)]):
            pass
    return found


def times(found: Mapping[str, TargetSession], repeats: int = REPEATS) -> dict[str, dict[int, float]]:
    """Milliseconds of a forward over each of ``SIZES`` new tokens, after one each that does not count."""
    best = {kind: dict.fromkeys(SIZES, float("inf")) for kind in found}
    for repeat in range(repeats + 1):
        for size in SIZES:
            tree = DraftTree.chain(1, range(2, size + 1), "probe")
            for kind, session in found.items():
                start = perf_counter()
                session.forward(tree).logits[-1, 0].item()  # a card is waited for
                if repeat:
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
    parser = argparse.ArgumentParser(
        description="What a forward costs through transformers, lean, in int8 and captured."
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--model", default=DEFAULT_TARGET, help="registry name, hub id or folder (%(default)s)")
    source.add_argument("--shape", choices=SHAPES, help="random weights of this shape in its place")
    parser.add_argument("--device", default="cpu", help="auto, cpu or cuda (%(default)s)")
    parser.add_argument("--dtype", default="fp32", choices=DTYPES, help="but for the row in int8 (%(default)s)")
    parser.add_argument("--context", type=int, default=CONTEXT, metavar="N", help="tokens before it (%(default)s)")
    parser.add_argument("--repeat", type=int, default=REPEATS, metavar="N", help="of which the fastest counts")
    args = parser.parse_args(argv)
    try:
        if args.context < 1 or args.repeat < 1:
            raise ReSpecError("Give --context and --repeat of at least 1.")
        device = choose_device(args.device)
        if args.shape:
            model = random_llama(args.shape, device, args.dtype)
        else:
            model = load_model(args.model, device, args.dtype)
        print(f"*{model.name} on {model.hardware}, {args.context} tokens before it.*\n")
        print(table(times(sessions(model, args.context), args.repeat)))
        if model.note:
            print(f"\n{model.note}")
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
