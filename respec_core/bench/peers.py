"""The same prompts through transformers, OpenVINO GenAI and this engine, in turn: ``make peers``.

Whole calls are timed, reading the prompt included. Every one is asked for the same ids greedily; a turn goes through all of
them, so that a slow spell of the machine hits all, and the median of the turns counts. OpenVINO opens the GGUF file that
the embedded model is made of, in precisions of its own; texts are compared where the weights are the same.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any

import torch

from respec_core.bench.questions import Question, read_questions
from respec_core.boundary.output import write_text
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice, open_models
from respec_core.methods.registry import BASELINE, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.assets import ASSETS
from respec_core.models.language_model import LanguageModel
from respec_core.models.prompts import request_for
from respec_core.models.registry import DEFAULT_TARGET, find_target
from respec_core.models.wheels import download_member

QUESTIONS = ASSETS / "bench" / "questions.jsonl"
KINDS = ("copy_code", "copy_text", "summary", "story")
TOKENS, TURNS, COPIED = 96, 3, 10
OURS = ("vanilla", "pld", "sam", "respec-strict")
START, END = "<!-- peers -->", "<!-- /peers -->"

Write = Callable[[Sequence[int], int], Sequence[int]]  # prompt ids and how many new ones, to the new ones


@dataclass(frozen=True)
class Peer:
    """One engine in one way of decoding.

    Attributes:
        weights: peers with the same ones write the same text.
    """

    name: str
    weights: str
    write: Write


@dataclass
class PeerTimes:
    """A peer's seconds and tokens, by kind."""

    peer: Peer
    seconds: dict[str, list[float]] = field(default_factory=dict)
    tokens: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def rate(self, kind: str) -> float:
        """Tokens/s of the median turn."""
        return len(self.tokens[kind]) / median(self.seconds[kind])


def measure(peers: Sequence[Peer], prompts: dict[str, Sequence[int]], tokens: int, turns: int) -> list[PeerTimes]:
    """Every peer on every prompt, ``turns`` times, after a first call of each that is not counted."""
    rows = [PeerTimes(peer) for peer in peers]
    for turn in range(-1, turns):
        for kind, prompt in prompts.items():
            for row in rows:
                start = perf_counter()
                row.tokens[kind] = tuple(row.peer.write(prompt, tokens))
                if turn >= 0:
                    row.seconds.setdefault(kind, []).append(perf_counter() - start)
    return rows


def table(rows: Sequence[PeerTimes]) -> str:
    """Markdown: tokens/s and the ratio to the first row, by kind; and who wrote another text than the first of its weights."""
    kinds, first = list(rows[0].tokens), rows[0]
    lines = [
        f"| tokens/s | {' | '.join(kinds)} | × the first, mean | text |",
        "|---|" + "---:|" * (len(kinds) + 1) + "---|",
    ]
    for row in rows:
        ratios = {kind: row.rate(kind) / first.rate(kind) for kind in kinds}
        alike = next(other for other in rows if other.peer.weights == row.peer.weights)
        same = sum(alike.tokens[kind] == row.tokens[kind] for kind in kinds)
        text = "" if alike is row else f"{same} of {len(kinds)} as {alike.peer.name}"
        cells = " | ".join(f"{row.rate(kind):.0f} ({ratio:.1f}×)" for kind, ratio in ratios.items())
        lines.append(f"| {row.peer.name} | {cells} | {mean(ratios.values()):.2f}× | {text} |")
    return "\n".join(lines)


def through_transformers(model: LanguageModel) -> list[Peer]:
    """Its own ``generate``, plain and with prompt lookup."""
    network: Any = model.network

    def peer(name: str, **options: Any) -> Peer:
        def write(prompt: Sequence[int], tokens: int) -> list[int]:
            ids = torch.tensor([list(prompt)])
            with torch.inference_mode():
                mask = torch.ones_like(ids)
                whole = network.generate(ids, attention_mask=mask, do_sample=False, max_new_tokens=tokens, **options)
            return [int(token) for token in whole[0, len(prompt) :]]

        return Peer(f"transformers, {name}", "fp32", write)

    return [peer("plain"), peer("prompt lookup", prompt_lookup_num_tokens=COPIED)]


def through_openvino(gguf: Path, threads: int) -> list[Peer]:
    """OpenVINO GenAI on the GGUF file, plain and with prompt lookup."""
    genai = importlib.import_module("openvino_genai")
    openvino = importlib.import_module("openvino")

    def peer(name: str, lookup: bool) -> Peer:
        options = {"prompt_lookup": True} if lookup else {}
        pipeline = genai.LLMPipeline(str(gguf), "CPU", INFERENCE_NUM_THREADS=threads, **options)

        def write(prompt: Sequence[int], tokens: int) -> list[int]:
            config = genai.GenerationConfig()
            config.max_new_tokens, config.do_sample, config.apply_chat_template = tokens, False, False
            if lookup:
                config.num_assistant_tokens, config.max_ngram_size = COPIED, 3
            ids = openvino.Tensor(torch.tensor([list(prompt)]).numpy())
            return [int(token) for token in pipeline.generate(ids, config).tokens[0]]

        return Peer(f"OpenVINO GenAI, {name}", "OpenVINO's", write)

    return [peer("plain", False), peer("prompt lookup", True)]


def ours(models: Models, methods: Sequence[str]) -> list[Peer]:
    """This engine in ``models``' precision, settings of the page."""
    kind = models.target.dtype_name

    def peer(method: str) -> Peer:
        def write(prompt: Sequence[int], tokens: int) -> Sequence[int]:
            config = find_method(method).configure({"max_new_tokens": tokens})
            return complete(Request(config, tuple(prompt)), models).output_ids

        return Peer(f"ours, {kind}, `{method}`", kind, write)

    return [peer(method) for method in methods]


def chosen(questions: Sequence[Question], kinds: Sequence[str]) -> dict[str, str]:
    """The first prompt of each kind."""
    return {kind: next(question.text for question in questions if question.kind == kind) for kind in kinds}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and put it in its place in ``--into``."""
    parser = argparse.ArgumentParser(description="The same prompts through other engines and this one.")
    parser.add_argument("--max-new-tokens", type=int, default=TOKENS, metavar="N")
    parser.add_argument("--repeat", type=int, default=TURNS, metavar="N", help="turns, of which the median counts")
    parser.add_argument("--into", type=Path, metavar="F.md", help=f"write the table there, between {START} and {END}")
    args = parser.parse_args(argv)
    try:
        if args.repeat < 1 or args.max_new_tokens < 1:
            raise ReSpecError("Give --repeat and --max-new-tokens of at least 1.")
        text = _measured(args.max_new_tokens, args.repeat)
        print(text)
        if args.into is not None:
            write_between(args.into, text)
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _measured(tokens: int, turns: int) -> str:
    if importlib.util.find_spec("openvino_genai") is None:
        raise ReSpecError("OpenVINO GenAI is not installed: run `make peers`, or pip install openvino-genai.")
    entry = find_target(DEFAULT_TARGET)
    assert entry is not None and entry.wheel is not None

    def progress(what: str) -> None:
        print(what, file=sys.stderr)

    full, small = (open_models(ModelChoice(device="cpu", dtype=dtype), progress) for dtype in ("fp32", "int8"))
    threads = torch.get_num_threads()
    plain = BASELINE.configure()
    texts = chosen(read_questions(QUESTIONS), KINDS)
    prompts: dict[str, Sequence[int]] = {
        kind: request_for(full.target, plain, text).prompt_ids for kind, text in texts.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        openvino = through_openvino(download_member(entry.wheel, Path(folder)), threads)
        peers = [*through_transformers(full.target), *openvino, *ours(full, OURS[:1]), *ours(small, OURS)]
        rows = measure(peers, prompts, tokens, turns)
    head = f"*{full.target.hardware}, {threads} threads, torch {torch.__version__}; {tokens} tokens, median of {turns} turns.*"
    return f"{head}\n\n{table(rows)}"


def write_between(path: Path, text: str) -> None:
    """Put ``text`` between the two marks in ``path``.

    Raises:
        ReSpecError: if it cannot be read or has no such marks.
    """
    try:
        before, found, rest = path.read_text(encoding="utf-8").partition(START)
    except (OSError, UnicodeDecodeError) as error:
        raise ReSpecError(f"{path} cannot be read as text: {error}.") from error
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise ReSpecError(f"{path} has no {START} followed by {END}: put both where the table belongs.")
    write_text(path, f"{before}{START}\n{text}\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
