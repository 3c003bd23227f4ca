"""``oracle``: the best that any router could have done on an atlas, and where a method's settings lose against it."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from respec_core.cli import options
from respec_core.cli.sweep import add_atlas_options, datastore_of, opened
from respec_core.errors import ReSpecError, quoted

if TYPE_CHECKING:
    from respec_core.lab.oracle import Regret
    from respec_core.settings.run_config import RunConfig

DRAFTERS = "pld,sam,eagle2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``oracle``."""
    parser.add_argument("--atlas", type=Path, required=True, metavar="DIR", help="as `respec atlas` recorded it")
    parser.add_argument("--method", required=True, help="whose settings are held against the oracle")
    parser.add_argument(
        "--drafters",
        default=DRAFTERS,
        metavar="METHOD,…",
        help="what the oracle chooses from, each as METHOD:setting=value:… (%(default)s)",
    )
    parser.add_argument(
        "--objective",
        choices=("passes", "time"),
        default="passes",
        help="what the oracle spends least of (%(default)s)",
    )
    add_atlas_options(parser)
    parser.add_argument("--json", action="store_true")
    options.add_settings_options(parser)


def main(args: argparse.Namespace) -> int:
    """Print what is lost, and by what."""
    from respec_core.lab.oracle import regret
    from respec_core.lab.replay import replay
    from respec_core.lab.survey import survey
    from respec_core.lab.sweep import chosen_texts, configured

    atlas = opened(args)
    base = options.values_from(args)
    config = configured(atlas, args.method, base, args.preset)
    length = {"max_new_tokens": config.stopping.max_new_tokens}
    drafters: dict[str, RunConfig] = {}
    for label in (label.strip() for label in args.drafters.split(",") if label.strip()):
        name, *pairs = label.split(":")
        drafters[label] = configured(atlas, name, length | options.parse_set(pairs))
    if not drafters:
        raise ReSpecError(f"--drafters {quoted(args.drafters)} names none: give methods, such as {DRAFTERS}.")
    timed = args.objective == "time"
    if timed and atlas.target.costs is None:
        raise ReSpecError("The atlas holds no cost curve, so no time can be predicted: use --objective passes.")
    live, found = datastore_of(args, atlas), []
    for entry in chosen_texts(atlas, args.kinds.split(",") if args.kinds else ()):
        stage = atlas.stage(entry, live)
        run = replay(stage, config)
        offers = {label: survey(stage, drafter) for label, drafter in drafters.items()}
        found.append((entry.kind, run.tokens, regret(run, offers, run.tokens, stage.costs if timed else None)))
    kinds = list(dict.fromkeys(kind for kind, _, _ in found))
    rows = {kind: _row([one for one in found if one[0] == kind]) for kind in kinds}
    whole = _row(found)
    if args.json:
        print(json.dumps({"method": args.method, "objective": args.objective, "overall": whole, "kinds": rows}))
    else:
        _print(args, whole, rows)
    return 0


def _row(found: Sequence[tuple[str, int, Regret]]) -> dict[str, Any]:
    """Sums over texts: what was spent, what the oracle spends, what is lost by cause and in how many rounds."""
    lost: Counter[str] = Counter()
    rounds: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for _, _, one in found:
        lost.update(one.lost)
        rounds.update(one.rounds)
        taken.update(leg.drafter for leg in one.path)
    return {
        "texts": len(found),
        "tokens": sum(tokens for _, tokens, _ in found),
        "spent": sum(one.spent for _, _, one in found),
        "best": sum(one.best for _, _, one in found),
        "lost": dict(lost.most_common()),
        "rounds": dict(rounds),
        "oracle_takes": dict(taken.most_common()),
    }


def _print(args: argparse.Namespace, whole: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> None:
    unit = "passes" if args.objective == "passes" else "predicted ms"
    print(f"{args.method} against the best that a router could do with {args.drafters}, in {unit}; replayed, not timed")
    print(f"\n{'':<16}{'texts':>6}{'tokens':>8}{'spent':>10}{'best':>10}{'spent ÷ best':>14}")
    for name, row in {**rows, "all": whole}.items():
        share = row["spent"] / row["best"] if row["best"] else 1.0
        print(f"{name:<16}{row['texts']:>6}{row['tokens']:>8}{row['spent']:>10.0f}{row['best']:>10.0f}{share:>14.2f}")
    print(f"\n{'lost by':<20}{unit:>14}{'rounds':>8}")
    for cause, amount in whole["lost"].items():
        print(f"{cause:<20}{amount:>14.1f}{whole['rounds'][cause]:>8}")
    takes = ", ".join(f"{name} {times}" for name, times in whole["oracle_takes"].items())
    print(f"\nThe oracle's rounds: {takes}. It knows the text, which no router does.")
