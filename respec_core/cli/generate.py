"""``generate``: one run, streamed; its trace on request."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from respec_core.boundary.output import check_file
from respec_core.cli import options
from respec_core.methods.losses import own_loss
from respec_core.methods.opening import ModelChoice, add_model_options
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.size_rule import size_rule
from respec_core.methods.studio import DEFAULT_METHOD
from respec_core.settings.loss import LOSSY_RULES
from respec_core.trace.benefit import benefit
from respec_core.trace.events import Committed, RunStarted, TraceFolder
from respec_core.trace.notes import notes
from respec_core.trace.rates import node_acceptance, told
from respec_core.trace.schema import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``generate``."""
    parser.add_argument("--method", default=DEFAULT_METHOD, help=f"{', '.join(m.name for m in METHODS)} (%(default)s)")
    options.add_prompt_options(parser)
    options.add_settings_options(parser)
    add_model_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--trace", type=Path, metavar="FILE", help="write the trace here, also when interrupted")
    output.add_argument("--json", action="store_true", help="print the trace instead of the text")


def main(args: argparse.Namespace) -> int:
    """Stream the text to stdout and a summary to stderr."""
    config = find_method(args.method).configure(options.values_from(args), args.preset)
    prompt = options.read_prompt(args)
    if args.trace:
        check_file(args.trace, [args.prompt_file, args.chat, *map(Path, ModelChoice.parsed(args).files)])
    events = options.load_studio(args, [config]).stream(prompt, config, raw=args.raw)
    folder, interrupted = TraceFolder(), False
    try:
        for event in events:
            folder.add(event)
            if isinstance(event, RunStarted):
                options.note_specials(event.run.prompt_specials, config)
            if isinstance(event, Committed) and not args.json:
                print("".join(token.text for token in event.tokens), end="", flush=True)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        events.close()
        if folder.started:
            _report(args, folder.run())
    return 130 if interrupted else 0


def _report(args: argparse.Namespace, run: Run) -> None:
    """Text and trace do not wait for each other: either is given though the other could not be written."""
    try:
        print(run.to_json() if args.json else "", flush=True)
        paid = benefit(run)
        said = [summary_line(run), *([paid.sentence()] if paid else []), *notes(run)]
        print(*said, sep="\n", file=sys.stderr)
    finally:
        if args.trace:
            run.save(args.trace)


def summary_line(run: Run) -> str:
    """What the run amounted to, in one line."""
    s = run.summary
    if s is None:
        return "nothing was decoded"
    parts = [
        f"{s.tokens} tokens in {s.target_passes} target passes ({s.mat:.2f} a pass)",
        f"{told(node_acceptance(run))} draft nodes accepted",
        f"{s.tok_s:.1f} tokens/s",
        f"ended by {run.finish_reason}" + (" (the model's is full)" if run.finish_reason == "context" else ""),
    ]
    if size := size_rule(run.settings):
        parts.append(f"draft size {size}")
    if s.relaxed_accepts:
        parts.append(
            f"LOSSY: {s.relaxed_accepts} token{'s' * (s.relaxed_accepts != 1)} {LOSSY_RULES[run.settings.verify.rule].tokens}"
        )
    if lost := own_loss(run.settings):
        parts.append(f"LOSSY: {lost.name}")
    return " · ".join(parts)
