"""``verdict``: whether settings pay on an atlas, text by text, by kind and in all; a sentence each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from respec_core.cli import options
from respec_core.cli.sweep import add_atlas_options, datastore_of, opened

if TYPE_CHECKING:
    from respec_core.lab.outcome import Outcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``verdict``."""
    parser.add_argument("--atlas", type=Path, required=True, metavar="DIR", help="as `respec atlas` recorded it")
    parser.add_argument("--method", required=True)
    add_atlas_options(parser)
    parser.add_argument("--json", action="store_true")
    options.add_settings_options(parser)


def main(args: argparse.Namespace) -> int:
    """Print the sentences."""
    from respec_core.lab.outcome import kinds, outcome
    from respec_core.lab.sweep import chosen_texts, configured

    atlas = opened(args)
    config = configured(atlas, args.method, options.values_from(args), args.preset)
    live, texts = datastore_of(args, atlas), chosen_texts(atlas, args.kinds.split(",") if args.kinds else ())
    found = [outcome(atlas.stage(entry, live), entry.id, entry.kind, config) for entry in texts]
    each = [{"id": one.id, "kind": one.kind, **_row([one])} for one in found]
    by_kind = {kind: _row(own) for kind, own in kinds(found).items()}
    whole = _row(found)
    if args.json:
        print(json.dumps({"method": args.method, "texts": each, "kinds": by_kind, "overall": whole}))
        return 0
    print(f"{args.method} on {len(found)} texts of {args.atlas}; replayed, not timed\n")
    for row in each:
        print(f"{row['kind']}, prompt {row['id']}: {row['verdict']}")
    for name, row in [*by_kind.items(), ("all", whole)]:
        print(f"\n{name}: {row['verdict']}")
    return 0


def _row(own: Sequence[Outcome]) -> dict[str, Any]:
    """Texts together; costs are in one-token forwards, None where none can be predicted."""
    from respec_core.lab.outcome import predicted, verdict

    found = predicted(own)
    tokens, passes = sum(one.tokens for one in own), sum(len(one.rounds) for one in own)
    return {
        "tokens": tokens,
        "target_passes": passes,
        "mat": tokens / passes if passes else 0.0,
        "cost": found.cost if found else None,
        "drafting_share": found.drafting / found.cost if found else None,
        "break_even": found.break_even if found else None,
        "predicted_ratio": found.ratio if found else None,
        "verdict": verdict(found),
    }
