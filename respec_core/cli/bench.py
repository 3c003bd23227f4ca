"""``bench``: many questions through many methods; JSON and Markdown, resumable."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from respec_core.bench.questions import Question, read_questions
from respec_core.bench.report import markdown
from respec_core.cli import options
from respec_core.cli.variants import METHODS_HELP, labelled_configs
from respec_core.config import RunConfig
from respec_core.errors import ReSpecError
from respec_core.opening import add_model_options
from respec_core.output import write_text

if TYPE_CHECKING:
    from respec_core.bench.results import Measurement
    from respec_core.models import Models

PROGRESS_FILE = "measurements.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``bench``."""
    parser.add_argument("--questions", type=Path, required=True, metavar="F.jsonl", help="Spec-Bench format")
    parser.add_argument("--limit", type=int, metavar="N", help="questions of each kind")
    parser.add_argument(
        "--methods", default="vanilla,pld,sam,recycling,respec-strict", help=f"{METHODS_HELP} (%(default)s)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--resume", action="store_true", help="go on where an earlier run in DIR stopped")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="time each N times, keep the best")
    parser.add_argument(
        "--replay",
        action="store_true",
        help="count tokens per pass on plain decoding's text, without timing: many times faster",
    )
    options.add_settings_options(parser)
    add_model_options(parser)


def main(args: argparse.Namespace) -> int:
    """Measure; 1 if a method that must equal plain decoding does not."""
    if not 1 <= args.repeat <= 100 or (args.limit is not None and args.limit < 1):
        raise ReSpecError("Give --repeat between 1 and 100, and a --limit of at least 1.")
    labels, configs = zip(*labelled_configs(args), strict=True)
    questions = read_questions(args.questions, args.limit)
    progress_file = _prepare(args.out, resume=args.resume)
    models = options.load_models(args)
    key = _key(configs, models, args)
    measurements = _resumed(progress_file, key)
    done = {(m.question, m.method) for m in measurements}
    bad = False
    for i, question in enumerate(questions, 1):
        if all((question.id, name) in done for name in labels):
            continue
        print(f"[{i}/{len(questions)}] {question.kind}", file=sys.stderr, flush=True)
        found, wrong = _measure(question, labels, configs, models, args)
        bad |= wrong
        measurements += found
        with progress_file.open("a", encoding="utf-8") as file:
            file.writelines(m.model_dump_json() + "\n" for m in found)
    _write(args.out, measurements, models, configs)
    return 1 if bad else 0


def _prepare(out: Path, *, resume: bool) -> Path:
    path = out / PROGRESS_FILE
    if path.exists() and not resume:
        raise ReSpecError(f"{out} holds an earlier run: continue it with --resume or give another --out.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReSpecError(f"{out} cannot be made: {error.strerror}.") from error
    return path


def _key(configs: Sequence[RunConfig], models: Models, args: argparse.Namespace) -> str:
    described = {"configs": [c.model_dump(mode="json") for c in configs], "models": models.describe()}
    how = {"repeat": args.repeat} | ({"replay": True} if args.replay else {})
    return json.dumps({**described, **how}, sort_keys=True)


def _resumed(path: Path, key: str) -> list[Measurement]:
    """Earlier measurements; the file's first line says with which settings they were made."""
    from respec_core.bench.results import Measurement

    if not path.exists():
        path.write_text(key + "\n", encoding="utf-8")
        return []
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    if first != key:
        raise ReSpecError(f"{path.parent} was measured with other methods, settings or models: give another --out.")
    try:
        return [Measurement.model_validate_json(line) for line in lines]
    except ValueError as error:
        raise ReSpecError(f"{path} is damaged: give another --out.") from error


def _measure(
    question: Question, names: Sequence[str], configs: Sequence[RunConfig], models: Models, args: argparse.Namespace
) -> tuple[list[Measurement], bool]:
    from respec_core.bench.results import Measurement
    from respec_core.comparison import compare, replay
    from respec_core.prompts import request_for

    request = request_for(models.target, configs[0], question.text)
    rows = replay(request, configs, models) if args.replay else compare(request, configs, models, args.repeat)
    found = [
        Measurement.of(question.id, question.kind, name, row, row.plain) for name, row in zip(names, rows, strict=True)
    ]
    return found, any(row.must_be_equal and row.first_difference is not None for row in rows)


def _write(out: Path, measurements: list[Measurement], models: Models, configs: Sequence[RunConfig]) -> None:
    import torch

    from respec_core.bench.results import table

    results: dict[str, Any] = {
        **table(measurements),
        "machine": {
            "device": models.target.hardware,
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
        },
        "model": models.target.name,
        "dtype": models.target.dtype_name,
        "max_new_tokens": _common([c.stopping.max_new_tokens for c in configs]),
        "temperature": _common([c.sampling.temperature for c in configs]),
    }
    write_text(out / "results.json", json.dumps(results, indent=1))
    write_text(out / "report.md", markdown(results))
    print(markdown(results))


def _common(values: Sequence[float]) -> float | None:
    """The value that all methods share; None where the variants differ in it, which their labels then say."""
    return values[0] if len(set(values)) == 1 else None
