"""``export``: a trace for others, as a page that plays anywhere or as a graph of what a round drafted."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from respec_core.boundary.output import check_file, write_text
from respec_core.errors import ReSpecError
from respec_core.methods.traces import read_trace
from respec_core.trace.graphs import FORMATS
from respec_core.trace.schema import Run

PAGE = "app.saved_page"  # of the app, which lies above this and is not part of the package


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The trace, and what to make of it."""
    parser.add_argument("trace", type=Path)
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--html", type=Path, metavar="FILE", help="the page as one file, which needs no network")
    wanted.add_argument("--graph", choices=tuple(FORMATS), help="what a round drafted")
    graph = parser.add_argument_group("graph")
    graph.add_argument("--round", type=int, metavar="N", help="which round, from 0 (default 0)")
    graph.add_argument("--part", help="final (default), drafter, retrieval or lattice, where a round has it")
    graph.add_argument("--out", type=Path, metavar="FILE", help="the file to write (default: standard output)")


def main(args: argparse.Namespace) -> int:
    """Write the page or the graph."""
    if args.html:
        if [args.round, args.part, args.out] != [None, None, None]:
            raise ReSpecError("--round, --part and --out go with --graph; --html takes the whole run.")
        check_file(args.html, [args.trace])
        write_text(args.html, _page(read_trace(args.trace)))
        return 0
    if args.out:
        check_file(args.out, [args.trace])
    graph = read_trace(args.trace).graph(args.round or 0, args.part or "final")
    text = FORMATS[args.graph](graph) + "\n"
    if args.out:
        write_text(args.out, text)
    else:
        sys.stdout.write(text)
    return 0


def _page(run: Run) -> str:
    try:
        module = import_module(PAGE)
    except ImportError as error:
        raise ReSpecError(
            "--html needs the studio's page, which is not part of the package: "
            "run `python -m respec_core export` in a checkout with its requirements."
        ) from error
    return str(module.saved_page(run))
