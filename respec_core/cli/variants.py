"""Several methods on one command line: ``--methods vanilla,sam,sam:len_threshold=3``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from respec_core.cli import options
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.family import Method, Standing
from respec_core.methods.registry import find_method
from respec_core.settings.run_config import SHARED_GROUPS, PromptSettings, RunConfig

METHODS_HELP = "comma-separated; NAME:setting=value:… or NAME:preset=paper is a variant of its own"
PRESET = "preset"


def labelled_configs(
    args: argparse.Namespace, unless_chosen: Mapping[str, Any] = MappingProxyType({})
) -> list[tuple[str, RunConfig]]:
    """Label and settings of every method in ``args.methods``.

    ``--set`` holds for all of them; a name that only some methods declare is dropped for the others.
    ``unless_chosen`` are settings for methods without a preset or a value of their own for them.

    Raises:
        ReSpecError: for no method, a repeated label, an unknown method, or a setting that nothing declares.
    """
    labels = [label.strip() for label in args.methods.split(",") if label.strip()]
    if not labels:
        raise ReSpecError("Give at least one method.")
    if len(set(labels)) < len(labels):
        raise ReSpecError("A method is named twice; give a variant its own settings: NAME:setting=value.")
    methods = [find_method(label.split(":")[0]) for label in labels]
    _refuse_unknown(args, methods)
    return [
        (label, _configure(args, method, label, unless_chosen)) for label, method in zip(labels, methods, strict=True)
    ]


def _configure(args: argparse.Namespace, method: Method, label: str, unless_chosen: Mapping[str, Any]) -> RunConfig:
    known = _declared([method])
    shared = {name: value for name, value in options.values_from(args).items() if name in known}
    own = options.parse_set(label.split(":")[1:])
    for name in own:
        if name in PromptSettings.model_fields:
            raise ReSpecError(f"The setting {name} is about the prompt, which all methods share: give it with --set.")
    own.pop(PRESET, None)
    preset = _preset(args, label)
    start = unless_chosen if preset is None else {}
    return method.configure({**start, **shared, **own}, preset)


def standing_of(args: argparse.Namespace, label: str, config: RunConfig) -> Standing:
    """Which preset a method of ``args.methods`` stands on, and what it changes of it: the one asked for, else the nearest."""
    return find_method(config.method).standing(config, _preset(args, label))


def in_words(standing: Standing) -> str:
    """``tuned, depth=6``: the preset, then what is changed of it."""
    changed = [
        f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in standing.changed.items()
    ]
    return ", ".join([*([standing.preset] if standing.preset else []), *changed])


def _preset(args: argparse.Namespace, label: str) -> Any:
    """The preset that a label names, else the one of all."""
    return options.parse_set(label.split(":")[1:]).get(PRESET, args.preset)


def _refuse_unknown(args: argparse.Namespace, methods: Sequence[Method]) -> None:
    known = _declared(methods)
    for name in options.parse_set(args.set):
        if name not in known:
            names = ", ".join(method.name for method in methods)
            raise ReSpecError(f"None of {names} has a setting {quoted(name)}; they have: {', '.join(sorted(known))}.")


def _declared(methods: Sequence[Method]) -> set[str]:
    groups = [*SHARED_GROUPS.values(), *(method.settings for method in methods)]
    return {name for group in groups for name in group.model_fields}
