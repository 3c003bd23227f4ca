"""``bench``: many questions through many methods; JSON and Markdown, resumable."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from respec_core.bench.lossy import estimates, has_lossy, lossy_drawing
from respec_core.bench.questions import Question, read_questions
from respec_core.bench.report import markdown
from respec_core.boundary.checksum import checksum
from respec_core.boundary.output import check_file, write_text
from respec_core.cli import options
from respec_core.cli.variants import METHODS_HELP, labelled_configs, standing_of
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.opening import add_model_options
from respec_core.methods.registry import plain_config
from respec_core.settings.run_config import RunConfig

if TYPE_CHECKING:
    from respec_core.bench.results import Measurement
    from respec_core.bench.sharing import Share
    from respec_core.engine.decoding import Request
    from respec_core.methods.resources import Models

NOTHING: dict[str, Any] = {}
OWN_SIZES = {"budget_rule": "own"}
RESULTS, REPORT, DRAWING = "results.json", "report.md", "lossy.svg"


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
    parser.add_argument(
        "--decode-others",
        action="store_true",
        help="with --replay: really decode, untimed, what known text cannot tell (Token Recycling, lossy rules)",
    )
    parser.add_argument(
        "--against",
        metavar="ROW",
        help="one of --methods: also report every other's tokens per pass ÷ its, same prompts",
    )
    options.add_settings_options(parser)
    add_model_options(parser)


def main(args: argparse.Namespace) -> int:
    """Measure; 1 if a method that must equal plain decoding does not."""
    if not 1 <= args.repeat <= 100 or (args.limit is not None and args.limit < 1):
        raise ReSpecError("Give --repeat between 1 and 100, and a --limit of at least 1.")
    if args.decode_others and not args.replay:
        raise ReSpecError("--decode-others goes with --replay; without it every run is decoded.")
    labels, configs = zip(*labelled_configs(args, OWN_SIZES if args.replay else NOTHING), strict=True)
    if args.against is not None and args.against not in labels:
        raise ReSpecError(f"--against {quoted(args.against)} is none of the rows: {', '.join(labels)}.")
    questions = read_questions(args.questions, args.limit)
    from respec_core.bench.log import LOG, Log, merge, reserved
    from respec_core.bench.sharing import Share

    share = Share.here()
    args.device = share.device(args.device)
    with reserved(share.folder(args.out)):
        resuming = _earlier_run(args.out, args.questions, resume=args.resume)
        models = options.load_studio(args, configs).models
        _refuse_shared_time(share, models, args)
        if args.replay and share.first:
            print(
                "counting on known text (--replay) has no clock: draft sizes are the methods' own unless given",
                file=sys.stderr,
            )
        requests = _requests(questions, configs, models, args.questions)
        log = Log(args.out / LOG, _settings(labels, configs, models, args), labels)
        measurements = log.everything() if resuming else []
        share.wait()  # until all have read what there is
        own = log.at(share.folder(args.out))
        own.go_on()
        done = {m.question for m in measurements}
        left = [*enumerate(zip(questions, requests, strict=True), 1)]
        for i, (question, request) in share.mine([one for one in left if one[1][0].id not in done]):
            print(f"[{i}/{len(questions)}] {question.kind}", file=sys.stderr, flush=True)
            own.add(_measure(question, request, labels, configs, models, args))
        share.wait()
        if not share.first:
            return 0
        order = [question.id for question in questions]
        measurements = merge(log, order)
        measurements = [
            m for m in measurements if m.question in set(order)
        ]  # an earlier run may have had a higher limit
        _report(args, measurements, models, dict(zip(labels, configs, strict=True)))
    return 1 if any(m.wrong for m in measurements) else 0


def _earlier_run(out: Path, questions: Path, *, resume: bool) -> bool:
    """Whether there is one to go on with; also tries all that will be written."""
    from respec_core.bench.log import LOG
    from respec_core.bench.sharing import parts

    for name in (LOG, RESULTS, REPORT, DRAWING):
        check_file(out / name, [questions])
    there = (out / LOG).exists() or bool(parts(out, LOG))
    if there and not resume:
        raise ReSpecError(f"{out} holds an earlier run: continue it with --resume or give another --out.")
    return there


def _refuse_shared_time(share: Share, models: Models, args: argparse.Namespace) -> None:
    """Processes on the same processor slow each other."""
    if share.processes > 1 and not args.replay and models.target.device.type == "cpu":
        raise ReSpecError(
            "Several processes on one processor slow each other, so nothing can be timed: count with --replay, or "
            "start one process."
        )


def _requests(questions: Sequence[Question], configs: Sequence[RunConfig], models: Models, path: Path) -> list[Request]:
    """What is asked; every prompt and every method is tried before the first is run."""
    from respec_core.methods.running import decode
    from respec_core.models.prompts import request_for

    plain, requests = plain_config(configs[0]), []
    for question in questions:
        try:
            request = request_for(models.target, configs[0], question.text)
            next(decode(replace(request, config=plain), models))  # begins, and is dropped
        except ReSpecError as error:
            raise ReSpecError(f"{path}, line {question.line}: {error}") from error
        requests.append(request)
    for config in configs:
        next(decode(replace(requests[0], config=config), models))
    return requests


def _settings(
    labels: Sequence[str], configs: Sequence[RunConfig], models: Models, args: argparse.Namespace
) -> dict[str, Any]:
    """What measurements must have in common to stand in one report."""
    return {
        "questions": checksum(args.questions),
        "methods": list(labels),
        "configs": [c.model_dump(mode="json") for c in configs],
        "models": models.describe(),
        "machine": _machine(models),
        "repeat": args.repeat,
        "replay": args.replay,
        **({"decode_others": True} if args.decode_others else {}),
    }


def _machine(models: Models) -> dict[str, Any]:
    import torch

    return {"device": models.target.hardware, "threads": torch.get_num_threads(), "torch": torch.__version__}


def _measure(
    question: Question,
    request: Request,
    labels: Sequence[str],
    configs: Sequence[RunConfig],
    models: Models,
    args: argparse.Namespace,
) -> list[Measurement]:
    from respec_core.bench.comparison import compare, count_on_known_text
    from respec_core.bench.results import Measurement

    if args.replay:
        rows = count_on_known_text(request, configs, models, decode_others=args.decode_others)
    else:
        rows = compare(request, configs, models, args.repeat)
    named = zip(labels, rows, estimates(rows), strict=True)
    return [Measurement.of(question.id, question.kind, label, row, row.plain, told) for label, row, told in named]


def _report(
    args: argparse.Namespace, measurements: list[Measurement], models: Models, by_label: dict[str, RunConfig]
) -> None:
    from respec_core.bench.against import against
    from respec_core.bench.results import table

    configs = list(by_label.values())
    results: dict[str, Any] = {
        **table(measurements),
        "rows": {label: _row(args, label, config, measurements) for label, config in by_label.items()},
        **({"against": against(measurements, args.against)} if args.against else {}),
        "machine": _machine(models),
        "model": models.target.name,
        "dtype": models.target.dtype_name,
        "max_new_tokens": _common([c.stopping.max_new_tokens for c in configs]),
        "temperature": _common([c.sampling.temperature for c in configs]),
    }
    print(markdown(results), flush=True)
    write_text(args.out / RESULTS, json.dumps(results, indent=1))
    write_text(args.out / REPORT, markdown(results))
    if has_lossy(results["overall"]):
        write_text(args.out / DRAWING, lossy_drawing(results["overall"]))


def _row(args: argparse.Namespace, label: str, config: RunConfig, measurements: list[Measurement]) -> dict[str, Any]:
    """What a row is: its method, the preset it stands on, what it changes of it, and how its figures came about."""
    standing = standing_of(args, label, config)
    counted = any(m.counted for m in measurements if m.method == label)
    return {
        "method": config.method,
        "preset": standing.preset,
        "changed": dict(standing.changed),
        "how": "counted on known text" if counted else "decoded, untimed" if args.replay else "decoded and timed",
    }


def _common(values: Sequence[float]) -> float | None:
    """The value that all methods share; None where the variants differ in it, which their labels then say."""
    return values[0] if len(set(values)) == 1 else None
