"""What visitors may have of the engine, from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from app.form import PAGE_MAX_NEW_TOKENS
from respec_core.errors import ReSpecError
from respec_core.settings.run_config import RunConfig, StopSettings

USUAL_TOKENS: int = StopSettings.model_fields["max_new_tokens"].default


@dataclass(frozen=True)
class Limits:
    """
    Attributes:
        queued: runs that may wait.
        at_once: runs that share this process's model at one time; with more than one, their times are not their own.
        tokens: that a run may write.
        per_visitor: runs that one address may have waiting and under way; 0 for any number.
    """

    queued: int = 24
    at_once: int = 1
    tokens: int = PAGE_MAX_NEW_TOKENS
    per_visitor: int = 0

    @classmethod
    def parsed(cls, options: argparse.Namespace) -> Limits:
        """From a command line with the options of :func:`add_limits`."""
        return cls(options.max_queued, options.runs_at_once, options.max_tokens, options.per_visitor)

    def check(self, *configs: RunConfig) -> None:
        """
        Raises:
            ReSpecError: where one of them writes more than a run may here.
        """
        if any(config.stopping.max_new_tokens > self.tokens for config in configs):
            raise ReSpecError(f"A run writes up to {self.tokens} tokens here: ask for fewer, or use the command line.")


def whole(least: int, most: int) -> Callable[[str], int]:
    """For argparse: a whole number of that range."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text[:40]} is no whole number from {least} to {most}")
        return int(text)

    return read


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare the options of :class:`Limits`, ``--replicas`` and ``--grace``."""
    group = parser.add_argument_group("many visitors")
    usual = Limits()
    group.add_argument(
        "--replicas",
        type=whole(1, 64),
        default=1,
        metavar="N",
        help="models, each in a process or on a card (%(default)s)",
    )
    group.add_argument(
        "--max-queued", type=whole(0, 200), default=usual.queued, metavar="N", help="runs that may wait (%(default)s)"
    )
    group.add_argument(
        "--runs-at-once",
        type=whole(1, 16),
        default=usual.at_once,
        metavar="N",
        help="runs that share the first model at one time; more than one disturb each other's times (%(default)s)",
    )
    group.add_argument(
        "--max-tokens",
        type=whole(USUAL_TOKENS, PAGE_MAX_NEW_TOKENS),
        default=usual.tokens,
        metavar="N",
        help="tokens that a run may write (%(default)s)",
    )
    group.add_argument(
        "--per-visitor",
        type=whole(0, 200),
        default=usual.per_visitor,
        metavar="N",
        help="runs that one address may have waiting and under way, 0 for any number; a class often has one (%(default)s)",
    )
    group.add_argument(
        "--grace",
        type=whole(0, 3600),
        default=8,
        metavar="SECONDS",
        help="how long runs may go on when the server is asked to stop (%(default)s)",
    )
