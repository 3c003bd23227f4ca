"""``settings``: what a run is set to, as a line for a serving engine or for the studio."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import get_args

from respec_core.cli import options
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice, add_model_options
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.serving import command_line, page_query, serving_line, settings_json
from respec_core.methods.studio import DEFAULT_METHOD
from respec_core.methods.traces import read_trace
from respec_core.settings.run_config import RunConfig
from respec_core.settings.serving import Engine

FORMS = ("bash", "powershell", "yaml", "python")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The settings, and for whom."""
    parser.add_argument("--as", dest="wanted", required=True, choices=("json", "link", "cli", *get_args(Engine)))
    parser.add_argument("--form", choices=FORMS, help="of a line: bash, powershell, yaml (default: the first there is)")
    parser.add_argument("--method", help=f"{', '.join(m.name for m in METHODS)} ({DEFAULT_METHOD})")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="the settings of this run, in place of a method")
    options.add_settings_options(parser)
    add_model_options(parser)


def main(args: argparse.Namespace) -> int:
    """The line on standard output, what to know about it on stderr."""
    config, choice = _config(args), ModelChoice.parsed(args)
    if args.wanted in ("json", "link"):
        if args.form:
            raise ReSpecError(f"--form goes with lines, not with --as {args.wanted}.")
        print(settings_json(config) if args.wanted == "json" else page_query(config))
        return 0
    line = command_line(config, choice) if args.wanted == "cli" else serving_line(config, choice, args.wanted)
    form = args.form or next(iter(line.forms))
    if form not in line.forms:
        raise ReSpecError(f"There is no {form} form of --as {args.wanted}; there are: {', '.join(line.forms)}.")
    print(line.forms[form].rstrip("\n"))
    notes = line.told(form)
    print(*notes, sep="\n", end="\n" if notes else "", file=sys.stderr)
    return 0


def _config(args: argparse.Namespace) -> RunConfig:
    given = options.values_from(args)
    if args.trace is None:
        return find_method(args.method or DEFAULT_METHOD).configure(given, args.preset)
    if args.method or args.preset or given:
        raise ReSpecError("--trace says all settings itself: leave out --method, --preset and single settings.")
    config = read_trace(args.trace).settings
    find_method(config.method)
    return config
