"""``models``: what can be loaded, and fetching it ahead of time."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from respec_core.models.checkpoints import cached, resolve
from respec_core.models.registry import TargetEntry, targets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``list [--json]`` and ``fetch NAME``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|fetch")
    listing = actions.add_parser("list", help="the registry")
    listing.add_argument("--json", action="store_true")
    fetch = actions.add_parser("fetch", help="bring a model into the cache")
    fetch.add_argument("name", help="registry name or hub id")


def main(args: argparse.Namespace) -> int:
    """List or fetch."""
    if args.action == "fetch":
        print(resolve(args.name, lambda text: print(text, file=sys.stderr)))
        return 0
    rows = [_row(target) for target in targets()]
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        print(f"{row['name']:<14} {row['size_mb']:>6} MB  {row['state']:<9} {row['licence']:<28} {row['hardware']}")
        if row["problem"]:
            print(f"{'':<14} {row['problem']}; `models fetch {row['name']}` repairs it")
    return 0


def _row(target: TargetEntry) -> dict[str, Any]:
    found = cached(target)
    problem = str(found.faults[0]) if found and found.faults else None
    return {
        "name": target.name,
        "title": target.title,
        "path": str(found.path) if found else None,
        "state": "not here" if found is None else "damaged" if problem else "cached",
        "problem": problem,
        "size_mb": target.size_mb,
        "licence": target.licence,
        "hardware": target.hardware,
        "hub": target.hub,
        "drafters": target.drafters,
    }
