"""``models``: what can be loaded, and fetching it ahead of time."""

from __future__ import annotations

import argparse
import json
import sys

from respec_core.target.checkpoint import cached_path, resolve
from respec_core.target.registry import targets


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
    rows = [
        {
            "name": target.name,
            "title": target.title,
            "path": str(path) if (path := cached_path(target)) else None,
            "size_mb": target.size_mb,
            "licence": target.licence,
            "hardware": target.hardware,
            "hub": target.hub,
            "drafters": target.drafters,
        }
        for target in targets()
    ]
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        where = "cached" if row["path"] else "not here"
        print(f"{row['name']:<14} {row['size_mb']:>6} MB  {where:<9} {row['licence']:<28} {row['hardware']}")
    return 0
