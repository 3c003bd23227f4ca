"""Record the traces that the page opens on: ``python -m app.record [NAME ...]``. They come from the real engine, unedited."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from app.examples import find_example
from app.loading import Loader, ModelChoice
from app.measure import plain_config, with_reference
from app.recorded import RECORDINGS, TRACES
from app.requests import RunRequest, build_request
from app.runs import run_to_end
from respec_core.invariants import violations


def main(names: Sequence[str]) -> None:
    """Record all, or the named ones; each beside plain decoding, measured after it."""
    models = Loader(ModelChoice("smollm2-135m")).start().wait().models
    for wanted in RECORDINGS:
        if names and wanted.name not in names:
            continue
        example = find_example(wanted.example)
        assert example is not None
        request = build_request(example.prompt, wanted.method, {"max_new_tokens": wanted.max_new_tokens})
        run = run_to_end(request, models)
        run = with_reference(run, run_to_end(RunRequest(example.prompt, plain_config(request.config)), models))
        assert not violations(run), violations(run)
        TRACES.mkdir(exist_ok=True)
        wanted.path.write_text(run.to_json(), encoding="utf-8")
        assert run.summary is not None
        s = run.summary
        print(
            f"{wanted.name}: {s.tokens} tokens, {s.mat:.2f} a pass, {s.speedup_measured:.2f}×, {wanted.path.stat().st_size >> 10} kB"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
