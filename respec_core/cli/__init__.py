"""The command line. Exit codes: 0 fine, 1 a check failed, 2 bad usage or input (one line on stderr), 130 interrupted."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from respec_core.boundary.untrusted_json import refuse_odd
from respec_core.errors import ReSpecError, quoted, shortened

# name → module with add_arguments(parser) and main(args) -> int; imported only when called, since torch is slow to load
COMMANDS = {
    "generate": ("respec_core.cli.generate", "write a continuation with one method, and its trace"),
    "compare": ("respec_core.cli.compare", "the same prompt through several methods, checked against plain decoding"),
    "models": ("respec_core.cli.models", "list the known targets, fetch one"),
    "bench": ("respec_core.cli.bench", "many questions through many methods, by kind, with a report"),
    "atlas": ("respec_core.cli.atlas", "record what every drafter proposes at every position, for the lab"),
    "sweep": (
        "respec_core.cli.sweep",
        "what a method would have done with other settings, from an atlas, without the model",
    ),
    "tune": (
        "respec_core.cli.tune",
        "the settings of a method that do best on an atlas, and whether other texts agree",
    ),
    "oracle": (
        "respec_core.cli.oracle",
        "the best that any router could have done on an atlas, and where settings lose",
    ),
    "verdict": ("respec_core.cli.verdict", "whether settings pay on an atlas, text by text, and which term loses"),
    "table": ("respec_core.cli.table", "every method on an atlas, by kind, with intervals, as Markdown"),
    "served": ("respec_core.cli.served", "acceptance as vLLM or AIPerf reported it, by position"),
    "train": ("respec_core.cli.train", "train the drafters of a small target on text it writes itself"),
    "datastore": ("respec_core.cli.datastore", "index documents for retrieval, or describe an index"),
    "export": ("respec_core.cli.export", "a trace as a page that plays anywhere, or a round's draft as a graph"),
    "settings": (
        "respec_core.cli.settings",
        "what a run is set to, as a line for vLLM, SGLang, transformers or the studio",
    ),
    "check": ("respec_core.cli.check", "verify every invariant of a trace"),
}
LONGEST_NAME = 255  # of a file
# what argparse repeats of the user's, which may be long or hold line breaks
REPEATED = re.compile(
    r"(invalid \w+ value: |unrecognized arguments: |invalid choice: )(.*?)(?= \(choose from|$)", re.DOTALL
)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        told = REPEATED.sub(lambda found: found[1] + shortened(found[2]), message)
        self.exit(2, f"{self.prog}: {told} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        _refuse_unreadable(arguments)
    except ReSpecError as error:
        _complain(str(error))
        return 2
    parser = _Parser(prog=_called(), description="Speculative decoding whose every decision can be seen.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for name, (module, help) in COMMANDS.items():
        command = commands.add_parser(name, help=help, description=help)
        if arguments[:1] == [name]:
            import_module(module).add_arguments(command)
    args = parser.parse_args(arguments)
    for stop in (signal.SIGINT, signal.SIGTERM):  # a shell may start background jobs with the first ignored
        signal.signal(stop, signal.default_int_handler)
    try:
        code = int(import_module(COMMANDS[args.command][0]).main(args))
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a full disk is a sentence, and not when the interpreter ends
        return code
    except ReSpecError as error:
        _complain(str(error))
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has seen enough
        _discard_output()
        return 0
    except OSError as error:  # those of named files are sentences by now
        if error.filename is None:
            _discard_output()
        _complain(f"{error.filename or 'standard output'}: {error.strerror or error}.")
        return 2


def _called() -> str:
    """What to type for it again: the installed command, or the module."""
    return "respec" if Path(sys.argv[0]).stem == "respec" else "python -m respec_core"


def _refuse_unreadable(arguments: Sequence[str]) -> None:
    """Names and texts end in traces and reports, which are UTF-8; and no file has a NUL in its name."""
    for argument in arguments:
        refuse_odd(argument, f"The argument {quoted(argument)}")
        if "\0" in argument:
            raise ReSpecError(f"The argument {quoted(argument)} holds a NUL character.")


def _complain(sentence: str) -> None:
    """On one line, whatever a file is called and however long the name is."""
    words = (word if len(word) <= LONGEST_NAME else shortened(word) for word in sentence.split())
    print("error:", *words, file=sys.stderr)


def _discard_output() -> None:
    """So that what is still buffered does not fail once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
