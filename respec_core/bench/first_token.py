"""Time to the first token, and memory, by prompt length: ``python -m respec_core.bench.first_token``.

Each kind of forward in a process of its own, one after another: how long the model takes to load, what of it is resident,
how long a prompt takes until its first token is known, in chunks of several sizes, and what a token of context holds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.language_model import LanguageModel, load_model
from respec_core.models.lean.session import LeanSession
from respec_core.models.registry import DEFAULT_TARGET
from respec_core.models.session import PREFILL_CHUNK, Session

KINDS = ("transformers", "fp32", "int8")
LENGTHS, CHUNKS = (500, 2000, 7500), (256, PREFILL_CHUNK, 1024, 2048)
WHOLE = "whole"  # the prompt in one forward, as generate reads it


@dataclass(frozen=True)
class FirstToken:
    """One kind.

    Attributes:
        resident_mb: of the process with the loaded model; ``bare_mb`` of it before, with torch and transformers imported.
        seconds: to the first token, by chunk size (0: the whole prompt at once) and prompt length.
    """

    kind: str
    load_s: float
    resident_mb: float
    bare_mb: float
    kb_a_token: float
    seconds: dict[tuple[int, int], float]


def loaded_and_read(kind: str, name: str, lengths: Sequence[int], chunks: Sequence[int], repeats: int) -> FirstToken:
    """Load the model called ``name`` in this process and measure it.

    Raises:
        ReSpecError: if it cannot be loaded, and as :func:`read` says.
    """
    bare, start = _resident_mb(), perf_counter()
    model = load_model(name, "cpu", "int8" if kind == "int8" else "fp32")
    return read(kind, model, perf_counter() - start, lengths, chunks, repeats, bare)


def read(
    kind: str,
    model: LanguageModel,
    load_s: float,
    lengths: Sequence[int],
    chunks: Sequence[int],
    repeats: int = 1,
    bare_mb: float = 0.0,
) -> FirstToken:
    """Measure one kind; the fastest of ``repeats`` counts, and ``bare_mb`` were resident before the model.

    Raises:
        ReSpecError: for a model that only runs through transformers, or whose context is shorter than a prompt.
    """
    if kind != "transformers" and model.why_not_lean:
        raise ReSpecError(f"{model.name} runs through transformers alone: {model.why_not_lean}.")
    if max(lengths) >= model.max_context:
        raise ReSpecError(f"{model.name} reads at most {model.max_context - 1} tokens: choose shorter prompts.")
    resident = _resident_mb()
    sizes = (0,) if kind == "transformers" else chunks
    seconds = {
        (chunk, length): min(_first_token(kind, model, length, chunk or length) for _ in range(repeats))
        for length in lengths
        for chunk in dict.fromkeys(min(chunk, length) for chunk in sizes)
    }
    return FirstToken(kind, load_s, resident, bare_mb, _kb_a_token(kind, model), seconds)


def _session(kind: str, model: LanguageModel, room: int) -> Session | LeanSession:
    return Session(model, room) if kind == "transformers" else model.session(room)


def _first_token(kind: str, model: LanguageModel, length: int, chunk: int) -> float:
    """Seconds: all but the last token as a prompt, then the forward that tells what comes first."""
    ids = [i % model.vocab_size for i in range(length)]
    session = _session(kind, model, length + 1)
    start = perf_counter()
    for _ in session.prefill(ids[:-1], chunk):
        pass
    session.forward(DraftTree.chain(ids[-1], (), "probe"))
    return perf_counter() - start


def _kb_a_token(kind: str, model: LanguageModel) -> float:
    """Of keys and values; what the buffer holds beyond the prompt is not counted."""
    if kind != "transformers" and (lean := model.lean) is not None:
        rows = lean.cache(1).rows
        return rows.numel() * rows.element_size() / 1024
    text = model.network.config.get_text_config()
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    head = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    return float(2 * text.num_hidden_layers * heads * head * model.network.dtype.itemsize / 1024)


def _resident_mb() -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def table(readings: Sequence[FirstToken], lengths: Sequence[int]) -> str:
    """Markdown; times beside the first kind's."""
    head = " | ".join(f"{length:,} tokens" for length in lengths)
    lines = [
        f"| | chunk | {head} | loads in | resident | of it the model | a token of context |",
        "|---|---:|" + "---:|" * (len(lengths) + 4),
    ]
    first = readings[0].seconds
    base = {length: next(s for (_, n), s in first.items() if n == length) for length in lengths}
    for reading in readings:
        for chunk in dict.fromkeys(chunk for chunk, _ in reading.seconds):
            times = (reading.seconds.get((chunk, length)) for length in lengths)
            cells = [
                "" if s is None else f"{s:.2f} s, {base[length] / s:.2f}×"
                for s, length in zip(times, lengths, strict=True)
            ]
            memory = f"{reading.resident_mb:.0f} MB | {reading.resident_mb - reading.bare_mb:.0f} MB"
            about = f"{reading.load_s:.1f} s | {memory} | {reading.kb_a_token:.0f} KB"
            lines.append(f"| {reading.kind} | {chunk or WHOLE} | {' | '.join(cells)} | {about} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time to the first token and memory, by prompt length.")
    parser.add_argument("--model", default=DEFAULT_TARGET, help="registry name, hub id or folder (%(default)s)")
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)), metavar="N,N", help="tokens (%(default)s)")
    parser.add_argument("--chunks", default=",".join(map(str, CHUNKS)), metavar="N,N", help="tokens (%(default)s)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="of which the fastest counts (%(default)s)")
    args = parser.parse_args(argv)
    try:
        lengths, chunks = _sizes(args.lengths), _sizes(args.chunks)
        readings = []
        for kind in KINDS:
            with get_context("spawn").Pool(1) as alone:
                readings.append(alone.apply(loaded_and_read, (kind, args.model, lengths, chunks, args.repeat)))
        print(table(readings, lengths))
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 2:
        raise ReSpecError(f"Give lengths and chunks as numbers of at least 2 with commas between, not {text!r}.")
    return sizes


if __name__ == "__main__":
    sys.exit(main())
