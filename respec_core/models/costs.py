"""What a target forward costs for 1 … 64 new tokens on this machine: measured, and kept in the user's cache."""

from __future__ import annotations

import hashlib
import json
import math
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import torch

from respec_core.boundary.output import make_folder, write_text
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.checkpoints import Progress, cache_root
from respec_core.models.language_model import LanguageModel
from respec_core.models.lean.place import SIZES as PLACED
from respec_core.models.lean.session import LeanSession
from respec_core.models.session import Session
from respec_core.trace.cost_curve import CONTEXT, CostCurve, learnt

VERSION = 3  # of the file; others are not looked at
SIZES = (1, 2, 4, 8, 16, 32, 64)
FAR = 640  # tokens behind which they are measured again, for what context costs …
READING = 2.0  # … where the model reads so far in so many seconds
SECONDS = 1.2  # the measurement at each place; slow models get fewer repetitions
REPETITIONS = 80
SELDOM = {16: 2, 32: 4, 64: 4}  # of so many repetitions once: whether a draft of few tokens pays hangs on the others
CAREFUL = 8.0  # seconds where predictions rest on it
AGAIN = 1.0  # seconds that a kept curve may take to be looked at again

SizesTimed = tuple[tuple[int, float], ...]  # sizes, and what their forwards took


def cost_curve(model: LanguageModel, progress: Progress = lambda _: None) -> CostCurve:
    """The curve of ``model`` here, kept in ``model.costs``: measured (three seconds at the first start if small), and what the cache knows."""
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
        curve = learnt(kept, measure(model, AGAIN / 2, far=False))
    if curve != kept:
        _keep(model, curve)
    return curve


def _kept(model: LanguageModel) -> CostCurve | None:
    with suppress(ReSpecError, OSError, ValueError, TypeError, RecursionError):
        return _from_file(_cache_file(model))
    return None


def _keep(model: LanguageModel, curve: CostCurve) -> None:
    with suppress(ReSpecError):  # a cache that cannot be written costs a measurement, no more
        path = _cache_file(model)
        make_folder(path.parent)
        write_text(path, json.dumps([curve.points, curve.growth]))


def measure(model: LanguageModel, seconds: float = SECONDS, *, far: bool = True) -> CostCurve:
    """Behind ``CONTEXT`` tokens, and, if asked for and not too slow or too long, what every further one adds, in ``seconds`` each."""
    far = far and FAR + SIZES[-1] <= model.max_context
    session = model.session((FAR if far else CONTEXT) + SIZES[-1])
    _read(session, model, CONTEXT)
    curve = CostCurve(_timed(session, model, seconds))
    if not far or curve.ms(SIZES[-1]) * (FAR - CONTEXT) / SIZES[-1] > READING * 1e3:
        return curve
    _read(session, model, FAR - CONTEXT)
    return CostCurve(curve.points, _growth(curve.points, _timed(session, model, seconds)))


def _growth(near: SizesTimed, far: SizesTimed) -> tuple[float, float]:
    """What a token of context adds to a forward, and for each of its new tokens: the least squares of relative errors, neither below 0."""
    sizes, before = (np.array(column) for column in zip(*near, strict=True))
    more = (np.array([ms for _, ms in far]) - before) / (FAR - CONTEXT) / before
    terms = np.stack((1 / before, sizes / before), axis=1)
    both = np.linalg.lstsq(terms, more, rcond=None)[0]
    if both.min() < 0:  # only the other one explains anything
        i = int(both.argmax())
        both[1 - i], both[i] = 0.0, max(0.0, terms[:, i] @ more / (terms[:, i] @ terms[:, i]))
    return float(both[0]), float(both[1])


def _read(session: Session | LeanSession, model: LanguageModel, tokens: int) -> None:
    for _ in session.prefill([i % model.vocab_size for i in range(tokens)]):
        pass


def _timed(session: Session | LeanSession, model: LanguageModel, seconds: float) -> SizesTimed:
    """Interleaved repetitions in about ``seconds`` (at least one of each size after a warm-up).

    A machine's speed changes between two forwards, so a size's price is what it took of a single token's in the same repetition, the
    median of that; and all are as fast as the fastest was, since what else a machine does only adds time.
    """

    def forward(size: int) -> float:
        tree = DraftTree.chain(0, [i % model.vocab_size for i in range(size - 1)], "probe")
        start = perf_counter()
        session.forward(tree)
        if model.device.type == "cuda":
            torch.cuda.current_stream(model.device).synchronize()
        return (perf_counter() - start) * 1e3

    began = perf_counter()
    for size in SIZES if model.device.type == "cuda" else (SIZES[-1], SIZES[0]):  # a card compiles for every one
        forward(size)
    times: dict[int, list[float]] = {size: [] for size in SIZES}
    ratios: dict[int, list[float]] = {size: [] for size in SIZES}
    for repetition in range(REPETITIONS):
        for size in SIZES:
            if repetition % SELDOM.get(size, 1) == 0:
                times[size].append(forward(size))
                ratios[size].append(times[size][-1] / times[SIZES[0]][-1])
        if perf_counter() - began > seconds:
            break
    shape = {size: median(of_one) for size, of_one in ratios.items()}
    fastest = min(min(ms) / shape[size] for size, ms in times.items())
    return tuple((size, fastest * part) for size, part in shape.items())


def _from_file(path: Path) -> CostCurve:
    """A curve as it was written; raises ``ValueError`` or ``TypeError`` for anything else."""
    points, growth = json.loads(path.read_text())
    curve = CostCurve(tuple((n, float(ms)) for n, ms in points))
    if tuple(n for n, _ in curve.points) != SIZES or not all(0 < ms < math.inf for _, ms in curve.points):
        raise ValueError(f"{path} holds no measured curve")
    if growth is None:
        return curve
    once, each = map(float, growth)
    if not (0 <= once < math.inf and 0 <= each < math.inf):
        raise ValueError(f"{path} holds no measured growth")
    return CostCurve(curve.points, (once, each))


def _cache_file(model: LanguageModel) -> Path:
    key = [VERSION, model.name, model.origin, model.n_layers, model.vocab_size, model.dtype_name, model.hardware]
    key += [torch.get_num_threads(), torch.__version__]
    if model.places is not None:
        key += ["captured", *PLACED]
    return cache_root() / "costs" / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]}.json"
