"""Make the traces of the showcases: ``python -m app.making.traces [NAME ...]``. They come from the real engine, unedited."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from app.examples import find_example
from app.loading import Loader
from app.requests import RunRequest, build_request
from app.runs import request_of, run_to_end
from app.showcases import SHOWCASES, TRACES
from respec_core.bench.reference import measured
from respec_core.boundary.output import make_folder, write_text
from respec_core.methods.opening import ModelChoice
from respec_core.methods.resources import Models
from respec_core.methods.traces import violations
from respec_core.trace.schema import Run
from respec_core.trace.speed import speed_of

REPEATS = 3


def _fastest(request: RunRequest, models: Models) -> Run:
    """The fastest of a few equal runs: the one least disturbed by whatever else the machine did."""
    runs = [run_to_end(request, models) for _ in range(REPEATS)]
    return min(runs, key=lambda run: run.summary.wall_s if run.summary else float("inf"))


def main(names: Sequence[str]) -> None:
    """All, or the named ones; each beside plain decoding, measured after it."""
    make_folder(TRACES)
    models = Loader(ModelChoice("smollm2-135m")).start().wait().models
    for wanted in SHOWCASES:
        if names and wanted.name not in names:
            continue
        example = find_example(wanted.example)
        assert example is not None
        request = build_request(example.prompt, wanted.method, wanted.settings)
        run = measured(request_of(request, models), _fastest(request, models), models)
        assert not violations(run), violations(run)
        write_text(wanted.path, run.to_json())
        s, speed = run.summary, speed_of(run)
        assert s is not None and speed is not None
        print(
            f"{wanted.name}: {s.tokens} tokens, {s.mat:.2f} a pass, {speed.ratio:.2f}× ({speed.low:.2f} to {speed.high:.2f}), "
            f"{wanted.path.stat().st_size >> 10} kB"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
