"""What a target forward costs for 1 … 64 new tokens on this machine: measured, and the fastest kept in the user's cache."""

from __future__ import annotations

import hashlib
import json
import math
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import torch

from respec_core.boundary.output import make_folder, write_text
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.checkpoints import Progress, cache_root
from respec_core.models.language_model import LanguageModel
from respec_core.models.lean.place import SIZES as PLACED
from respec_core.trace.cost_curve import CostCurve, fastest

SIZES = (1, 2, 4, 8, 16, 32, 64)
CONTEXT = 128  # tokens behind which they are measured, a short run's
SECONDS = 1.8  # the whole measurement; slow models get fewer repetitions
REPETITIONS = 20
CAREFUL = 8.0  # seconds where predictions rest on it
AGAIN = 1.0  # seconds that a kept curve may take to be looked at again


def cost_curve(model: LanguageModel, progress: Progress = lambda _: None) -> CostCurve:
    """The curve of ``model`` here, kept in ``model.costs``: measured (under two seconds if small), and the cache's if faster."""
    if model.costs is None:
        model.costs = _cached_or_measured(model, progress)
    return model.costs


def careful_cost_curve(model: LanguageModel, progress: Progress = lambda _: None) -> CostCurve:
    """As :func:`cost_curve`, but measured anew for longer, and kept: predictions of time rest on it."""
    progress("measuring what a forward costs here, carefully")
    model.costs = measure(model, CAREFUL)
    _keep(model, model.costs)
    return model.costs


def _cached_or_measured(model: LanguageModel, progress: Progress) -> CostCurve:
    kept = _kept(model)
    if kept is None:
        progress("measuring what a forward costs here, once")
        curve = measure(model)
    elif 2 * sum(ms for _, ms in kept.points) > 1e3 * AGAIN:
        return kept
    else:  # what was measured beside other work must not count for ever
        curve = fastest(kept, measure(model, AGAIN / 2))
    if curve != kept:
        _keep(model, curve)
    return curve


def _kept(model: LanguageModel) -> CostCurve | None:
    with suppress(ReSpecError, OSError, ValueError, TypeError, RecursionError):
        return _read(_cache_file(model))
    return None


def _keep(model: LanguageModel, curve: CostCurve) -> None:
    with suppress(ReSpecError):  # a cache that cannot be written costs a measurement, no more
        path = _cache_file(model)
        make_folder(path.parent)
        write_text(path, json.dumps(curve.points))


def measure(model: LanguageModel, seconds: float = SECONDS) -> CostCurve:
    """Interleaved repetitions within ``seconds`` (at least one of each size after a warm-up); the fastest of each.

    What else runs on the machine can only add time, so the fastest is the machine's own.
    """
    session = model.session(CONTEXT + SIZES[-1])
    for _ in session.prefill([i % model.vocab_size for i in range(CONTEXT)]):
        pass
    times: dict[int, list[float]] = {size: [] for size in SIZES}
    began = perf_counter()
    for repetition in range(REPETITIONS):
        for size in SIZES:
            tree = DraftTree.chain(0, [i % model.vocab_size for i in range(size - 1)], "probe")
            start = perf_counter()
            session.forward(tree)
            if model.device.type == "cuda":
                torch.cuda.current_stream(model.device).synchronize()
            if repetition:  # the first is the warm-up
                times[size].append((perf_counter() - start) * 1e3)
        if repetition and perf_counter() - began > seconds * repetition / (repetition + 1):
            break
    return CostCurve(tuple((size, min(ms)) for size, ms in times.items()))


def _read(path: Path) -> CostCurve:
    """A curve as it was written; raises ``ValueError`` or ``TypeError`` for anything else."""
    points = tuple((n, float(ms)) for n, ms in json.loads(path.read_text()))
    if tuple(n for n, _ in points) != SIZES or not all(0 < ms < math.inf for _, ms in points):
        raise ValueError(f"{path} holds no measured curve")
    return CostCurve(points)


def _cache_file(model: LanguageModel) -> Path:
    key = [model.name, model.origin, model.n_layers, model.vocab_size, model.dtype_name, model.hardware]
    key += [torch.get_num_threads(), torch.__version__]
    if model.places is not None:
        key += ["captured", *PLACED]
    return cache_root() / "costs" / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]}.json"
