"""From which context on a drafter that reads less pays: ``python -m respec_core.bench.crossover``.

Documents of growing length are laid together from Markdown files, the repository's own by default, and one of their
sections is asked about. Plain decoding and RAPID (arXiv 2502.20330) answer the same prompt, greedily, so both write the
same text; what is compared is the processor time of a token behind the first round, the prompt's told beside it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

from respec_core.bench.crossover_chart import chart, crossover
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.opening import ModelChoice, add_model_options, open_models
from respec_core.methods.rapid.record import Shortening
from respec_core.methods.registry import find_method, plain_config
from respec_core.methods.resources import Models
from respec_core.methods.running import decode
from respec_core.models.prompts import request_for
from respec_core.settings.run_config import RunConfig
from respec_core.trace.events import Committed, TraceFolder
from respec_core.trace.schema import Run

SIZES = (500, 1000, 2000, 4000, 7000)
TOKENS = 48
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ASKED = "\n\nFrom the document above: what does it say about “{about}”? Answer with its own words."
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Crossing:
    """One prompt: its tokens, those that the drafter read, what came of its drafts, and processor times."""

    prompt: int
    read: int
    per_pass: float
    accepted: float
    plain_ms: float
    ratio: float
    start_s: tuple[float, float]


def documents(files: Sequence[Path], starts: int) -> Iterator[str]:
    """The files one behind the other, each time beginning with another one."""
    texts = [path.read_text(encoding="utf-8") for path in files]
    for start in range(min(starts, len(texts))):
        yield "\n\n".join([*texts[start:], *texts[:start]])


def asked_about(config: RunConfig, models: Models, document: str, size: int) -> Request:
    """A prompt of about ``size`` tokens: the document's beginning, and a question about a section in its middle.

    Raises:
        ReSpecError: for a document that is too short, or a target without a tokenizer.
    """
    tokenizer = models.target.tokenizer
    if tokenizer is None:
        raise ReSpecError("This needs a target with a tokenizer.")
    ids = tokenizer.encode(document, add_special_tokens=False)[: size - 96]
    if len(ids) < size - 96:
        raise ReSpecError(f"The documents have {len(ids)} tokens together; ask for sizes below, or give more files.")
    text = str(tokenizer.decode(ids))
    headings = [*HEADING.finditer(text)]
    middle = min(headings, key=lambda found: abs(found.start() - len(text) // 2), default=None)
    about = middle[1] if middle else "its subject"
    return request_for(models.target, config, text + ASKED.format(about=about))


@dataclass(frozen=True)
class Timed:
    """A run in processor seconds, which other work on the machine hardly changes.

    Attributes:
        start: up to the first round's end: mostly the prompt, the drafter's own included.
        rest: of all rounds behind it.
    """

    run: Run
    start: float
    rest: float

    @property
    def per_token(self) -> float:
        """Of the rounds behind the first."""
        return self.rest / max(len(self.run.output_ids) - len(self.run.steps[0].commit.emitted_ids), 1)


def timed(request: Request, models: Models) -> Timed:
    """The run, and its times."""
    folder, began, first = TraceFolder(), process_time(), 0.0
    for event in decode(request, models):
        folder.add(event)
        if isinstance(event, Committed) and not first:
            first = process_time()
    return Timed(folder.run(), first - began, process_time() - first)


def crossing(request: Request, models: Models) -> Crossing:
    """Plain decoding and the method on one prompt."""
    plain = timed(Request(plain_config(request.config), request.prompt_ids, request.prompt_text), models)
    own = timed(request, models)
    run = own.run
    if run.output_ids != plain.run.output_ids:
        print("note: the texts differ, a near tie of the target's", file=sys.stderr)
    drafted = sum(len(step.trees.final) - 1 for step in run.steps)
    first = run.steps[0].record(Shortening)
    return Crossing(
        len(run.prompt_ids),
        first.read if first else 0,
        len(run.output_ids) / max(len(run.steps), 1),
        sum(step.commit.n_accepted for step in run.steps) / max(drafted, 1),
        plain.per_token * 1e3,
        plain.per_token / own.per_token if own.per_token else 0.0,
        (plain.start, own.start),
    )


HEAD = (
    "| prompt | drafter reads | accepted | tokens per pass | plain, ms a token | × plain | prompt, s: plain, with the drafter's |\n"
    "|---:|---:|---:|---:|---:|---:|---:|"
)


def row(one: Crossing) -> str:
    """A line of the table."""
    return (
        f"| {one.prompt:,} | {one.read:,} | {one.accepted:.0%} | {one.per_pass:.2f} | {one.plain_ms:.0f} | {one.ratio:.2f} "
        f"| {one.start_s[0]:.1f}, {one.start_s[1]:.1f} |"
    )


def middle_of(found: Sequence[Crossing]) -> Crossing:
    """The medians."""
    return Crossing(
        round(median(one.prompt for one in found)),
        round(median(one.read for one in found)),
        median(one.per_pass for one in found),
        median(one.accepted for one in found),
        median(one.plain_ms for one in found),
        median(one.ratio for one in found),
        (median(one.start_s[0] for one in found), median(one.start_s[1] for one in found)),
    )


def _pair(text: str) -> tuple[str, int]:
    name, equals, value = text.partition("=")
    if not equals or not value.isdigit():
        raise ReSpecError(f"--set {quoted(text)} is not NAME=NUMBER.")
    return name, int(value)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print: a table and a chart in Markdown."""
    parser = argparse.ArgumentParser(description="From which context on a drafter that reads less pays.")
    parser.add_argument("files", nargs="*", type=Path, metavar="F.md", help="documents (the repository's own)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="tokens of the prompts")
    parser.add_argument("--documents", type=int, default=1, metavar="N", help="prompts of each size (%(default)s)")
    parser.add_argument("--max-new-tokens", type=int, default=TOKENS, metavar="N", help="of each answer (%(default)s)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of rapid; repeatable"
    )
    add_model_options(parser)
    args = parser.parse_args(argv)
    files = args.files or sorted((ROOT / "docs").glob("*.md"))
    try:
        models = open_models(ModelChoice.parsed(args), lambda text: print(text, file=sys.stderr))
        values = {"budget": "own", "ignore_eos": True, "max_new_tokens": args.max_new_tokens} | dict(
            map(_pair, args.set)
        )
        config = find_method("rapid").configure(values)
        found = []
        for size in args.sizes:
            requests = [asked_about(config, models, text, size) for text in documents(files, args.documents)]
            found.append(middle_of([crossing(request, models) for request in requests]))
            print(row(found[-1]), file=sys.stderr, flush=True)
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join([HEAD, *map(row, found)]))
    at = crossover([one.prompt for one in found], [one.ratio for one in found])
    print(f"\nIt pays {'nowhere up to the longest' if at is None else f'from about {at:,.0f} tokens on'}.\n")
    print(chart([one.prompt for one in found], [one.ratio for one in found]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
