"""How fast an atlas is replayed: ``python -m respec_core.lab.speed --atlas DIR``. One process, one thread.

Positions of the text a second of processor time, for settings whose drafts are copies and for settings with a model's trees. *first* is the
first replay of every text, which builds the trees it comes by; *again* the fastest of the further ones, as in a sweep. What a
process loads once, such as the corpus that DiffuSpec's proxy counts, is loaded before.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import torch

from respec_core.errors import ReSpecError
from respec_core.lab.atlas import Atlas
from respec_core.lab.replay import replay
from respec_core.lab.sweep import SweepRow, chosen_texts, configured, sweep

ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vanilla", {}),
    ("pld", {}),
    ("sam", {}),
    ("respec-strict", {"fallback": "none"}),
    ("sam", {"auxiliary": "eagle2", "auxiliary_nodes": 32}),
    ("eagle2", {"total_tokens": 32, "top_k": 8}),
    ("respec-strict", {}),
    ("respec-strict", {"switch": "gate"}),
    ("diffuspec", {}),
)
CURVE = ("respec-strict", {"switch": "gate"}, "theta_entropy", [i * 4 / 59 for i in range(60)])
REPEATS = 3


@dataclass(frozen=True)
class ReplaySpeed:
    """Positions a second, and rounds a position."""

    first: float
    again: float
    rounds: float


def measure(atlas: Atlas, method: str, values: dict[str, Any], repeats: int = REPEATS) -> ReplaySpeed:
    """Replays of all texts, which are opened before.

    Raises:
        ReSpecError: for what cannot be replayed.
    """
    config = configured(atlas, method, values)
    texts = chosen_texts(atlas)
    replay(atlas.stage(texts[0]), config)
    stages = [atlas.stage(entry) for entry in texts]
    seconds, tokens, rounds = [], 0, 0
    for _ in range(1 + repeats):
        start = process_time()
        found = [replay(stage, config) for stage in stages]
        seconds.append(process_time() - start)
        tokens, rounds = sum(one.tokens for one in found), sum(len(one.rounds) for one in found)
    return ReplaySpeed(tokens / seconds[0], tokens / min(seconds[1:]), rounds / tokens)


def curve(atlas: Atlas, processes: int) -> tuple[int, float]:
    """Positions of all values of :data:`CURVE` on all texts, opened anew, and the seconds that they take.

    Raises:
        ReSpecError: for what cannot be replayed.
    """
    method, base, knob, values = CURVE
    tried = [SweepRow({knob: value}, configured(atlas, method, {**base, knob: value})) for value in values]
    start = perf_counter()
    sweep(atlas, tried, chosen_texts(atlas), processes=processes)
    return sum(one.total.tokens for one in tried), perf_counter() - start


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atlas", type=Path, required=True, metavar="DIR")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    try:
        atlas = Atlas.open(args.atlas)
        print(f"{'':<52}{'positions/s first':>18}{'again':>10}{'rounds/position':>17}")
        for method, values in ROWS:
            label = ":".join([method, *(f"{name}={value}" for name, value in values.items())])
            try:
                speed = measure(atlas, method, values)
            except ReSpecError as error:
                print(f"{label:<52}  {error}")
                continue
            print(f"{label:<52}{speed.first:>18,.0f}{speed.again:>10,.0f}{speed.rounds:>17.2f}")
        print(f"\n{CURVE[2]}, {len(CURVE[3])} values, {CURVE[0]} with the gate:")
        for processes in (1, 2):
            positions, seconds = curve(atlas, processes)
            print(
                f"{processes} processes: {positions:,} positions in {seconds:.2f} s, {positions / seconds:,.0f} a second"
            )
    except ReSpecError as error:
        print("error:", error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
