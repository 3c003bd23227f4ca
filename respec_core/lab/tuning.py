"""Searching all settings of a method on an atlas: the best on some texts, held against the start on the others.

Optuna's tree-structured Parzen estimator, seeded; its journal goes on where it stopped. What was found is believed only
where the texts that it was not searched on agree: the interval of the gain is a bootstrap over these.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import optuna
from optuna.storages import InMemoryStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import Trial, TrialState

from respec_core.bench.intervals import Interval, bootstrap
from respec_core.errors import ReSpecError
from respec_core.lab.atlas import Atlas
from respec_core.lab.manifest import Entry
from respec_core.lab.recorded_models import Stage
from respec_core.lab.replay import replay
from respec_core.lab.sweep import Tally, Values, configured, tallied
from respec_core.settings.knobs import Knob

Objective = Literal["passes", "time"]
FEW = 17  # values of a whole number that are each tried before the search


@dataclass(frozen=True)
class Search:
    """What is searched.

    Attributes:
        base: settings that stay.
        knobs: those that are searched.
    """

    atlas: Atlas
    method: str
    base: Values
    preset: str | None
    knobs: tuple[Knob, ...]
    objective: Objective

    def total(self, stages: Sequence[Stage], values: Mapping[str, Any]) -> list[Tally]:
        """What ``values`` come to on each text.

        Raises:
            ReSpecError: for values that are not possible, or cannot be replayed.
        """
        config = configured(self.atlas, self.method, {**self.base, **values}, self.preset)
        return [tallied(replay(stage, config), stage.costs) for stage in stages]

    def worth(self, tallies: Sequence[Tally]) -> float:
        """What the search maximises."""
        whole = Tally()
        for tally in tallies:
            whole.add(tally)
        return whole.mat if self.objective == "passes" else whole.ratio or 0.0

    def digest(self, train: Sequence[Entry], seed: int) -> str:
        """Equal for searches that one journal may hold."""
        start = configured(self.atlas, self.method, self.base, self.preset).model_dump(mode="json")
        parts = [start, [knob.name for knob in self.knobs], self.objective, [entry.sha256 for entry in train], seed]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def split(texts: Sequence[Entry], share: float, seed: int) -> tuple[list[Entry], list[Entry]]:
    """Texts to search on and texts to judge by: of every kind about ``share`` in the first.

    Raises:
        ReSpecError: where one of them would be empty.
    """
    by_kind: dict[str, list[Entry]] = defaultdict(list)
    for entry in texts:
        by_kind[entry.kind].append(entry)
    rng, train = random.Random(seed), set[str]()
    owed = 0.0
    for entries in by_kind.values():
        owed += share * len(entries)
        take = round(owed)
        owed -= take
        train |= {entry.id for entry in rng.sample(entries, min(take, len(entries)))}
    parts = [e for e in texts if e.id in train], [e for e in texts if e.id not in train]
    if not all(parts):
        raise ReSpecError("The atlas has too few texts to search on some and judge by others: record more.")
    return parts


def allowed(search: Search, stage: Stage) -> dict[str, list[Any] | None]:
    """Values of every knob that can be replayed, each tried alone on a text; None where they are too many to try."""
    found: dict[str, list[Any] | None] = {}
    for knob in search.knobs:
        values = _few(knob)
        found[knob.name] = values and [value for value in values if _possible(search, stage, {knob.name: value})]
    return found


def _few(knob: Knob) -> list[Any] | None:
    if knob.kind == "choice":
        return list(knob.choices)
    if knob.kind == "several":
        return [*dict.fromkeys((knob.default, *knob.choices))]
    if knob.kind == "bool":
        return [False, True]
    if knob.kind == "int" and knob.low is not None and knob.high is not None and knob.high - knob.low < FEW:
        return list(range(int(knob.low), int(knob.high) + 1))
    return None


def _possible(search: Search, stage: Stage, values: Values) -> bool:
    try:
        search.total([stage], values)
    except ReSpecError:
        return False
    return True


def searched(
    search: Search,
    stages: Sequence[Stage],
    trials: int,
    seed: int,
    name: str,
    journal: Path | None = None,
    progress: Callable[[int, float], None] = lambda done, best: None,
) -> tuple[Values, int]:
    """The best values on ``stages`` after ``trials`` in all, and how many of these there were.

    Args:
        name: of the study in the journal.
        progress: told how many trials are done, and the best so far.

    Raises:
        ReSpecError: where the start itself cannot be replayed.
    """
    start = search.total(stages, {})
    choices = allowed(search, stages[0])
    storage = InMemoryStorage() if journal is None else JournalStorage(JournalFileBackend(str(journal)))
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=20)
    study = optuna.create_study(
        storage=storage, sampler=sampler, direction="maximize", study_name=name, load_if_exists=True
    )
    before = len(study.get_trials(deepcopy=False))
    if not before:
        now = configured(search.atlas, search.method, search.base, search.preset).params
        study.enqueue_trial({knob.name: now[knob.name] for knob in search.knobs if knob.name in now})

    def tried(trial: Trial) -> float:
        values = {knob.name: _suggested(trial, knob, choices[knob.name]) for knob in search.knobs}
        try:
            return search.worth(search.total(stages, values))
        except ReSpecError as error:
            raise optuna.TrialPruned(str(error)) from error

    def told(study: optuna.Study, trial: Any) -> None:
        done = len(study.get_trials(deepcopy=False))
        complete = any(one.state == TrialState.COMPLETE for one in study.get_trials(deepcopy=False))
        progress(done, study.best_value if complete else search.worth(start))

    if trials > before:
        study.optimize(tried, n_trials=trials - before, callbacks=[told])
    finished = [one for one in study.get_trials(deepcopy=False) if one.state == TrialState.COMPLETE]
    best = max(finished, key=lambda one: one.value or 0.0, default=None)
    better = best is not None and (best.value or 0.0) > search.worth(start)
    return (dict(best.params) if best is not None and better else {}), len(study.get_trials(deepcopy=False))


def _suggested(trial: Trial, knob: Knob, choices: list[Any] | None) -> Any:
    if choices is not None and (knob.kind != "int" or choices != list(range(choices[0], choices[-1] + 1))):
        return trial.suggest_categorical(knob.name, choices)
    if knob.kind == "int":
        low, high = (choices[0], choices[-1]) if choices else (int(knob.low or 0), int(knob.high or 0))
        return trial.suggest_int(knob.name, low, high)
    step = knob.step or 0.05
    low = float(knob.low or 0.0)
    return trial.suggest_float(knob.name, low if low or knob.low == 0.0 else step, float(knob.high or low), step=step)


@dataclass(frozen=True)
class Gain:
    """On texts: the objective before and after, the ratio, and its interval over texts."""

    before: float
    after: float
    interval: Interval | None

    @property
    def ratio(self) -> float:
        """After ÷ before."""
        return self.after / self.before if self.before else 1.0


def gain(search: Search, before: Sequence[Tally], after: Sequence[Tally]) -> Gain:
    """How the same texts do with other settings; texts are drawn anew in pairs."""
    spent = [np.array([_spent(search, tally) for tally in tallies]) for tallies in (before, after)]
    interval = bootstrap(len(before), lambda drawn: spent[0][drawn].sum(-1) / spent[1][drawn].sum(-1))
    return Gain(search.worth(before), search.worth(after), interval)


def _spent(search: Search, tally: Tally) -> float:
    return float(tally.passes) if search.objective == "passes" else tally.ms or 0.0
