"""``served``: acceptance as vLLM or AIPerf reported it, in this studio's terms."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from respec_core.errors import ReSpecError
from respec_core.lab.served import MAX_MB, served


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``served``."""
    parser.add_argument("file", type=Path, help="responses of vLLM, or AIPerf's profile_export.jsonl")
    parser.add_argument("--json", action="store_true")


def main(args: argparse.Namespace) -> int:
    """Print means and acceptance by position."""
    try:
        if args.file.stat().st_size > MAX_MB * 2**20:
            raise ReSpecError(f"{args.file} is larger than {MAX_MB} MB.")
        text = args.file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReSpecError(f"{args.file} cannot be read as text: {error}.") from error
    found = served(text, str(args.file))
    positions = found.positions()
    steps = sum(found.steps.values())
    if args.json:
        rows = [one.model_dump() for one in positions]
        known = {"requests": found.requests, "without": found.without, "steps": steps, "drafted": found.drafted}
        print(json.dumps({**known, "accepted": found.accepted, "mean_with_bonus": found.mean + 1, "positions": rows}))
        return 0
    print(f"{found.engine}: {found.requests} requests, {steps} steps; {found.without} requests without any")
    print(f"accepted drafts a step {found.mean:.3f}, with the target's own token {found.mean + 1:.3f}")
    print(f"mean of the requests' means, with it: {sum(found.means) / len(found.means):.3f}")
    print(f"\n{'position':>8}{'drafted':>9}{'judged':>8}{'accepted':>10}{'conditional':>13}{'unconditional':>15}")
    for one in positions:
        rate = "–" if one.conditional is None else f"{one.conditional:.3f}"
        print(f"{one.depth:>8}{one.drafted:>9}{one.judged:>8}{one.accepted:>10}{rate:>13}{one.unconditional:>15.3f}")
    if not found.lengths_known:
        print("\nHow much each step drafted is not told: rates are lower bounds (vLLM tells it with detailed).")
    return 0
