"""``sweep``: what a method would have done with every value of a setting, from an atlas, without the model."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from respec_core.cli import options
from respec_core.errors import ReSpecError, quoted
from respec_core.lab.ranges import parse_range
from respec_core.methods.registry import find_method
from respec_core.settings.run_config import SHARED_GROUPS, spelled_out

if TYPE_CHECKING:
    from respec_core.lab.atlas import Atlas
    from respec_core.lab.sweep import SweepRow
    from respec_core.retrieval.datastore import Datastore

MOST_COMBINATIONS = 10_000
MOST_PROCESSES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``sweep``."""
    parser.add_argument("--atlas", type=Path, required=True, metavar="DIR", help="as `respec atlas` recorded it")
    parser.add_argument("--method", required=True)
    parser.add_argument(
        "--param",
        action="append",
        required=True,
        metavar="NAME=FIRST:LAST:STEP",
        help="a setting and its values, or NAME=VALUE,VALUE,…; repeatable: all combinations",
    )
    parser.add_argument(
        "--objective", choices=("passes", "time"), default="passes", help="what the best row is best in (%(default)s)"
    )
    add_atlas_options(parser)
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="that share the texts (%(default)s)")
    parser.add_argument("--json", action="store_true")
    options.add_settings_options(parser)


def add_atlas_options(parser: argparse.ArgumentParser) -> None:
    """Which of an atlas is looked at, and what is searched beside it."""
    parser.add_argument("--kinds", metavar="KIND,…", help="texts of these kinds only")
    parser.add_argument(
        "--datastore", type=Path, metavar="DIR", help="a datastore to retrieve from, searched as in a run"
    )
    parser.add_argument("--dtype", help="refuse an atlas of another precision")


def main(args: argparse.Namespace) -> int:
    """Print the table."""
    ranges = dict(map(parse_range, args.param))
    if len(ranges) < len(args.param):
        raise ReSpecError("A setting is given to --param twice: name all of its values at once.")
    if not 1 <= args.processes <= MOST_PROCESSES:
        raise ReSpecError(f"Give --processes from 1 to {MOST_PROCESSES}.")
    combinations = 1
    for values in ranges.values():
        combinations *= len(values)
    if combinations > MOST_COMBINATIONS:
        raise ReSpecError(f"These are {combinations} combinations; at most {MOST_COMBINATIONS} are tried at once.")
    known = {
        name for group in (*SHARED_GROUPS.values(), find_method(args.method).settings) for name in group.model_fields
    }
    if unknown := next((name for name in ranges if name not in known), None):
        raise ReSpecError(f"{args.method} has no setting {quoted(unknown)}; it has: {', '.join(sorted(known))}.")
    from respec_core.lab.sweep import SweepRow, chosen_texts, configured, grid, pareto, sweep

    atlas = opened(args)
    base = options.values_from(args)
    tried = [
        SweepRow(values, configured(atlas, args.method, {**base, **spelled_out(values)}, args.preset))
        for values in grid(ranges)
    ]
    texts = chosen_texts(atlas, args.kinds.split(",") if args.kinds else ())
    if args.objective == "time" and atlas.target.costs is None:
        raise ReSpecError("The atlas holds no cost curve, so no time can be predicted: use --objective passes.")
    sweep(atlas, tried, texts, datastore_of(args, atlas), progress_on(len(texts)), args.processes)
    best = max(tried, key=lambda one: (one.total.ratio or 0.0) if args.objective == "time" else one.total.mat)
    if args.json:
        print(json.dumps(_as_json(args.method, list(ranges), tried)))
    else:
        _print(args, list(ranges), tried, best, pareto(tried), len(texts))
    return 0


def opened(args: argparse.Namespace) -> Atlas:
    """The atlas that is named, in the precision asked for."""
    from respec_core.lab.atlas import Atlas

    atlas = Atlas.open(args.atlas)
    recorded = atlas.manifest.target["dtype"]
    if args.dtype not in (None, "auto", recorded):
        raise ReSpecError(f"{args.atlas} was recorded in {recorded}, not in {quoted(args.dtype)}: record it anew.")
    return atlas


def datastore_of(args: argparse.Namespace, atlas: Atlas) -> Datastore | None:
    """The datastore that is named, if one is; it must have the atlas's tokenizer."""
    if args.datastore is None:
        return None
    from respec_core.retrieval.datastore import Datastore

    return Datastore.open(args.datastore, atlas.manifest.tokenizer)


def progress_on(total: int) -> Any:
    """Tells a terminal how many of ``total`` texts are done."""

    def progress(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done}/{total} texts", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return progress


def _as_json(method: str, names: Sequence[str], tried: Sequence[SweepRow]) -> dict[str, Any]:
    """With one setting, its name and bare values; with several, lists in their order."""
    alone = len(names) == 1
    return {
        "method": method,
        "param": names[0] if alone else list(names),
        "rows": [
            {
                "value": one.values[names[0]] if alone else [one.values[name] for name in names],
                "tokens": one.total.tokens,
                "target_passes": one.total.passes,
                "mat": one.total.mat,
                "predicted_ratio": one.total.ratio,
            }
            for one in tried
        ],
    }


def _print(
    args: argparse.Namespace,
    names: Sequence[str],
    tried: Sequence[SweepRow],
    best: SweepRow,
    front: Sequence[SweepRow],
    texts: int,
) -> None:
    widths = [max(len(name), 8) + 2 for name in names]
    print(
        f"{args.method} on {texts} texts of {args.atlas}; replayed, not timed: × plain is predicted from measured costs"
    )
    heads = "".join(name.rjust(width) for name, width in zip(names, widths, strict=True))
    print(f"\n{heads}{'tokens':>9}{'passes':>9}{'tokens/pass':>13}{'× plain':>9}")
    for one in tried:
        shown = "".join(f"{one.values[name]!s:>{width}}" for name, width in zip(names, widths, strict=True))
        ratio = "–" if one.total.ratio is None else f"{one.total.ratio:.2f}"
        marks = ("  best" if one is best else "") + ("  front" if any(one is other for other in front) else "")
        print(f"{shown}{one.total.tokens:>9}{one.total.passes:>9}{one.total.mat:>13.3f}{ratio:>9}{marks}")
    if len(tried) > 1 and len({(one.total.passes, one.total.ratio) for one in tried}) == 1:
        print("\nAll rows are the same: what was varied does not act under the other settings.")
    print("\nfront: no other row has both more tokens a pass and less predicted time")
