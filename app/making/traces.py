"""Record the showcases and the gallery: ``python -m app.making.traces [NAME ...]``. From the real engine, unedited.

It begins nothing new after so many minutes, and names what is left; with these names it goes on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter

from app.examples import examples
from app.gallery import INDEX, line_of, planned
from app.loading import Loader
from app.making.recording import recorded
from app.requests import build_request
from app.runs import request_of
from app.showcases import GALLERY, TRACES, Showcase, run_in_file
from respec_core.boundary.output import make_folder, write_bytes, write_text
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.parts.shared import DEMO_DATASTORE
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models, declared
from respec_core.methods.traces import violations

MODEL = "smollm2-135m"
AT_ONCE = 5
BESIDE = {"draft-model": MODEL, "datastore": DEMO_DATASTORE}  # the smallest of its tokenizer is the target itself


def main(arguments: Sequence[str]) -> None:
    """All, or the named ones; a few that answer one prompt are recorded in turn."""
    parser = argparse.ArgumentParser(prog="app.making.traces", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=5.0)
    options = parser.parse_args(arguments)
    end = perf_counter() + 60 * options.minutes
    make_folder(TRACES)
    make_folder(GALLERY)
    loader = Loader(ModelChoice(MODEL, beside=BESIDE)).start().wait()
    if loader.status.state != "ready":
        raise ReSpecError(loader.status.text)
    chosen = [showcase for showcase in planned() if not options.names or showcase.name in options.names]
    left: list[str] = []
    for group in groups([one for one in chosen if _runs_here(one, loader.models)]):
        if perf_counter() < end:
            record(group, loader.models)
        else:
            left += [one.name for one in group]
    write_index()
    if left:
        print(f"Not recorded for want of time: {' '.join(left)}")


def groups(chosen: Sequence[Showcase]) -> Iterator[Sequence[Showcase]]:
    """A few of one prompt at a time, the showcases first."""
    for packed in (False, True):
        for example in examples():
            found = [one for one in chosen if (one.packed, one.example) == (packed, example.id)]
            yield from (found[at : at + AT_ONCE] for at in range(0, len(found), AT_ONCE))


def write_index() -> None:
    """Say of every recorded run what came of it."""
    lines = [line_of(showcase, run_in_file(showcase.path)) for showcase in planned() if showcase.path.is_file()]
    write_text(INDEX, json.dumps(lines, ensure_ascii=False, indent=1) + "\n")


def _runs_here(showcase: Showcase, models: Models) -> bool:
    missing = [need for need in find_method(showcase.method).needs if not models.meets(need)]
    for need in missing:
        print(f"{showcase.name}: left out, {need}")
    return not missing


def _lent(showcase: Showcase, models: Models) -> Models:
    """Without the draft model where it is not asked for; the showcases copy from prompt and output alone."""
    asked = {need.met_by for need in find_method(showcase.method).needs}
    left_out = {name for name in BESIDE if (name,) not in asked and (name == "draft-model" or not showcase.packed)}
    return Models(models.target, *(other for other in models.others if declared(type(other)).name not in left_out))


def record(group: Sequence[Showcase], models: Models) -> None:
    """Runs of one prompt, written as they are; one that contradicts itself is named and left out."""
    prompt = next(example.prompt for example in examples() if example.id == group[0].example)
    requests = [request_of(build_request(prompt, one.method, one.settings), models) for one in group]
    lent = [_lent(one, models) for one in group]
    for showcase, run in zip(group, recorded(list(zip(requests, lent, strict=True))), strict=True):
        if broken := violations(run):
            print(f"{showcase.name}: left out, it contradicts itself: {broken[0]}")
            continue
        text = run.to_json()
        if showcase.packed:
            write_bytes(showcase.path, gzip.compress(text.encode(), mtime=0))
        else:
            write_text(showcase.path, text)
        line = line_of(showcase, run)
        print(f"{showcase.name}: {line['tokens']} tokens, {line['per_pass']} a pass, {line['speed']}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
