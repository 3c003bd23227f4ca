"""``tune``: the settings of a method that do best on an atlas, and whether other texts agree."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from respec_core.boundary.output import check_file
from respec_core.cli import options
from respec_core.cli.sweep import add_atlas_options, datastore_of, opened
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.registry import find_method
from respec_core.settings.knobs import Knob, knobs

if TYPE_CHECKING:
    from respec_core.lab.manifest import Entry
    from respec_core.lab.recorded_models import Stage
    from respec_core.lab.tuning import Gain, Search

MOST_TRIALS = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``tune``."""
    parser.add_argument("--atlas", type=Path, required=True, metavar="DIR", help="as `respec atlas` recorded it")
    parser.add_argument("--method", required=True)
    parser.add_argument("--knobs", metavar="NAME,…", help="settings to search (all that the method declares)")
    parser.add_argument("--trials", type=int, default=100, metavar="N", help="in all (%(default)s)")
    parser.add_argument(
        "--train", type=float, default=0.5, metavar="SHARE", help="of the texts that are searched on (%(default)s)"
    )
    parser.add_argument("--objective", choices=("passes", "time"), default="passes", help="(%(default)s)")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="keep the search there, and go on with it")
    add_atlas_options(parser)
    parser.add_argument("--json", action="store_true")
    options.add_settings_options(parser)


def main(args: argparse.Namespace) -> int:
    """Search, then judge."""
    if not 1 <= args.trials <= MOST_TRIALS or not 0 < args.train < 1:
        raise ReSpecError(f"Give --trials from 1 to {MOST_TRIALS}, and a --train share between 0 and 1.")
    base = options.values_from(args)
    chosen = _knobs(args, base)
    if args.journal is not None:
        check_file(args.journal)
    from respec_core.lab.sweep import chosen_texts
    from respec_core.lab.tuning import Search, gain, searched, split

    atlas, seed = opened(args), base.pop("seed", 0)
    if args.objective == "time" and atlas.target.costs is None:
        raise ReSpecError("The atlas holds no cost curve, so no time can be predicted: use --objective passes.")
    search = Search(atlas, args.method, base, args.preset, chosen, args.objective)
    train, rest = split(chosen_texts(atlas, args.kinds.split(",") if args.kinds else ()), args.train, seed)
    live = datastore_of(args, atlas)
    stages = [atlas.stage(entry, live) for entry in train]
    best, trials = searched(
        search, stages, args.trials, seed, search.digest(train, seed), args.journal, _progress(args.trials)
    )
    judged = [atlas.stage(entry, live) for entry in rest]
    told = _told(search, best, (train, stages), (rest, judged), gain)
    result = {"method": args.method, "objective": args.objective, "trials": trials, "changed": best, **told}
    if args.json:
        print(json.dumps(result))
    else:
        _print(result)
    return 0


def _knobs(args: argparse.Namespace, base: dict[str, Any]) -> tuple[Knob, ...]:
    """The settings to search; what is given with ``--set`` stays."""
    known = {knob.name: knob for knob in knobs(find_method(args.method).settings, "params")}
    if not known:
        raise ReSpecError(f"{args.method} has no settings of its own: there is nothing to search.")
    wanted = [name.strip() for name in args.knobs.split(",")] if args.knobs else [n for n in known if n not in base]
    for name in wanted:
        if name not in known:
            raise ReSpecError(f"{args.method} has no setting {quoted(name)} to search; it has: {', '.join(known)}.")
        if name in base:
            raise ReSpecError(f"{name} is both set and to be searched: leave out one of them.")
    return tuple(known[name] for name in dict.fromkeys(wanted))


def _told(
    search: Search,
    best: dict[str, Any],
    trained: tuple[Sequence[Entry], Sequence[Stage]],
    held: tuple[Sequence[Entry], Sequence[Stage]],
    gain: Any,
) -> dict[str, Any]:
    """What changed on the texts searched on, on the others, and on these by kind."""
    texts, stages = held
    before, after = search.total(stages, {}), search.total(stages, best)
    on_train = gain(search, search.total(trained[1], {}), search.total(trained[1], best))
    whole: Gain = gain(search, before, after)
    by_kind = {}
    for kind in dict.fromkeys(entry.kind for entry in texts):
        here = [i for i, entry in enumerate(texts) if entry.kind == kind]
        by_kind[kind] = _gain(gain(search, [before[i] for i in here], [after[i] for i in here]), len(here))
    low = whole.interval[0] if whole.interval else None
    return {
        "train": _gain(on_train, len(trained[0])),
        "held_out": _gain(whole, len(texts)),
        "kinds": by_kind,
        "beats_default": low is not None and low > 1,
    }


def _gain(found: Gain, texts: int) -> dict[str, Any]:
    ends = None if found.interval is None else list(found.interval)
    return {"texts": texts, "before": found.before, "after": found.after, "gain": found.ratio, "interval": ends}


def _progress(total: int) -> Any:
    def progress(done: int, best: float) -> None:
        if sys.stderr.isatty():
            print(f"\r{done}/{total} trials, best {best:.3f}", end="\n" if done >= total else "", file=sys.stderr)

    return progress


def _print(result: dict[str, Any]) -> None:
    what = "tokens per pass" if result["objective"] == "passes" else "predicted × plain"
    print(f"{result['method']}: {result['trials']} trials; {what}, replayed, not timed")
    print(f"\n{'':<20}{'texts':>6}{'start':>9}{'found':>9}{'gain':>8}  95 % over texts")
    rows = {"searched on": result["train"], "held out": result["held_out"]}
    for name, row in {**rows, **{f"  {kind}": row for kind, row in result["kinds"].items()}}.items():
        ends = row["interval"]
        told = "" if ends is None else f"  {ends[0]:.3f} … {ends[1]:.3f}"
        print(f"{name:<20}{row['texts']:>6}{row['before']:>9.3f}{row['after']:>9.3f}{row['gain']:>8.3f}{told}")
    if result["beats_default"]:
        print("\n" + " ".join(f"--set {name}={json.dumps(value)}" for name, value in result["changed"].items()))
    elif result["changed"]:
        print(
            "\nNothing beats the start beyond noise: on the texts held out the gain's interval holds 1, or they are too few."
        )
    else:
        print("\nNothing that was tried beats the start on the texts searched on.")
