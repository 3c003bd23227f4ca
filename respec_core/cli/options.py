"""Options that several commands share: which model, which prompt, which settings."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from respec_core.boundary.chat import check_chat
from respec_core.boundary.untrusted_json import parse_json
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import PRESETS
from respec_core.methods.studio import Studio
from respec_core.settings.run_config import PromptSettings, RunConfig, spelled_out
from respec_core.trace.summary import specials_note

MAX_PROMPT_FILE = 4 * 2**20


def add_prompt_options(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Exactly one of ``--prompt``, ``--prompt-file``, ``--chat``, which are returned; ``--raw`` to bypass the chat template."""
    group = parser.add_argument_group("prompt")
    one = group.add_mutually_exclusive_group(required=True)
    one.add_argument("--prompt", help="the user's message (put into the model's chat template, see --raw)")
    one.add_argument("--prompt-file", type=Path, help="a file holding it")
    one.add_argument("--chat", type=Path, help='a JSON file: [{"role": "user", "content": "…"}, …]')
    group.add_argument("--raw", action="store_true", help="continue the text itself, without the chat template")
    return one


def add_settings_options(parser: argparse.ArgumentParser) -> None:
    """Shared settings as flags; any declared setting through ``--set``."""
    group = parser.add_argument_group("settings")
    group.add_argument("--max-new-tokens", type=int, metavar="N")
    group.add_argument("--temperature", type=float, metavar="T")
    group.add_argument("--seed", type=int, metavar="S")
    group.add_argument("--stop", action="append", metavar="TEXT", help="end when the text contains TEXT; repeatable")
    group.add_argument(
        "--preset",
        choices=PRESETS,
        help="what the settings start from: auto, sizes by the clock (default); paper, the authors'; tuned, ours",
    )
    group.add_argument(
        "--parse-special",
        action="store_true",
        default=None,
        help=PromptSettings.model_fields["parse_special"].description,
    )
    group.add_argument(
        "--set", action="extend", nargs="+", default=[], metavar="NAME=VALUE", help="any declared settings; repeatable"
    )


def parse_set(pairs: list[str]) -> dict[str, Any]:
    """``NAME=VALUE`` pairs; values are JSON where they parse as JSON, else text.

    Raises:
        ReSpecError: for a pair without ``=``.
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ReSpecError(f"--set {quoted(pair)} is not NAME=VALUE.")
        try:
            values[name.strip()] = json.loads(value)
        except ValueError:
            values[name.strip()] = value
        except RecursionError as error:
            raise ReSpecError(f"--set {quoted(pair)} is nested too deeply.") from error
    return spelled_out(values)


def values_from(args: argparse.Namespace) -> dict[str, Any]:
    """The settings given on the command line, by name."""
    flags = ("max_new_tokens", "temperature", "seed", "parse_special")
    values = {name: value for name in flags if (value := getattr(args, name)) is not None}
    if args.stop:
        values["stop"] = tuple(args.stop)
    return values | parse_set(args.set)


def load_studio(args: argparse.Namespace, configs: Sequence[RunConfig]) -> Studio:
    """The models asked for, and what their forwards cost if a size in ``configs`` follows the clock; progress on stderr."""

    def progress(text: str) -> None:
        print(text, file=sys.stderr)

    studio = Studio.open(ModelChoice.parsed(args), progress)
    studio.prepare(configs)
    return studio


def read_prompt(args: argparse.Namespace) -> str | list[Any]:
    """The prompt text, or the chat's messages. Read before any model is loaded, so that bad input fails at once.

    Raises:
        ReSpecError: for a file that cannot be read, is too large, or is not UTF-8, JSON or a chat.
    """
    if args.prompt is not None:
        return str(args.prompt)
    path: Path = args.prompt_file or args.chat
    try:
        if path.stat().st_size > MAX_PROMPT_FILE:
            raise ReSpecError(f"{path} is larger than {MAX_PROMPT_FILE // 2**20} MB.")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReSpecError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ReSpecError(f"{path} is not UTF-8 text.") from error
    if args.chat is None:
        return text
    messages = parse_json(text, str(path))
    messages = messages if isinstance(messages, list) else [messages]
    check_chat(messages)
    return messages


def note_specials(specials: Sequence[str], config: RunConfig) -> None:
    """Say on stderr what became of special tokens named in the prompt."""
    if note := specials_note(specials, parsed=config.prompt.parse_special):
        print(note, file=sys.stderr)
