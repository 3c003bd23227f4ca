"""Many settings on one atlas: tokens a pass, predicted time, and which settings nothing else beats in both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from respec_core.errors import ReSpecError
from respec_core.lab.atlas import Atlas
from respec_core.lab.manifest import Entry
from respec_core.lab.replay import Replay, replay
from respec_core.lab.several import shared
from respec_core.methods.margins import Margin, common
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Beside
from respec_core.settings.run_config import RunConfig
from respec_core.trace.cost_curve import CostCurve

Values = dict[str, Any]


@dataclass
class Tally:
    """What settings come to on some texts.

    Attributes:
        ms: predicted milliseconds of decoding; None without a cost curve.
        plain_ms: of plain decoding the same tokens.
    """

    tokens: int = 0
    passes: int = 0
    ms: float | None = None
    plain_ms: float | None = None

    @property
    def mat(self) -> float:
        """Tokens a target pass."""
        return self.tokens / self.passes if self.passes else 0.0

    @property
    def ratio(self) -> float | None:
        """Plain decoding's predicted time ÷ this one's."""
        return self.plain_ms / self.ms if self.ms and self.plain_ms is not None else None

    def add(self, other: Tally) -> None:
        """Other texts too."""
        self.tokens += other.tokens
        self.passes += other.passes
        if other.ms is not None and other.plain_ms is not None:
            self.ms = (self.ms or 0.0) + other.ms
            self.plain_ms = (self.plain_ms or 0.0) + other.plain_ms


def tallied(found: Replay, costs: CostCurve | None) -> Tally:
    """One text's."""
    ms, plain = (None, None) if costs is None else (found.ms(costs), found.tokens * costs.ms(1))
    return Tally(found.tokens, len(found.rounds), ms, plain)


@dataclass(frozen=True)
class SweepRow:
    """Settings, and what they come to on all texts."""

    values: Values
    config: RunConfig
    total: Tally = field(default_factory=Tally)


def configured(atlas: Atlas, method: str, values: Mapping[str, Any], preset: str | None = None) -> RunConfig:
    """Settings of ``method`` for the atlas's texts, whose sampling and stops they share; ``max_new_tokens`` may be less.

    Raises:
        ReSpecError: for an unknown setting, or one under which other texts would have been written.
    """
    recorded, config = atlas.manifest.settings, for_prompts(atlas, method, values, preset)
    ours, theirs = ({**c.sampling.model_dump(), **c.stopping.model_dump()} for c in (config, recorded))
    other = [name for name in ours if name not in ("max_new_tokens", "seed") and ours[name] != theirs[name]]
    if other:
        raise ReSpecError(
            f"The atlas was recorded with {other[0]} = {theirs[other[0]]}: another one writes other texts."
        )
    return config


def for_prompts(atlas: Atlas, method: str, values: Mapping[str, Any], preset: str | None = None) -> RunConfig:
    """Settings of ``method`` for the atlas's prompts, sampled and stopped as recorded but for ``values``.

    Raises:
        ReSpecError: for an unknown setting, or one that is not possible.
    """
    recorded = atlas.manifest.settings
    own = find_method(method).settings.model_fields  # a method may use the name of a shared setting for another
    given = {**recorded.sampling.model_dump(), **recorded.stopping.model_dump()}
    shared = {name: value for name, value in given.items() if name not in own}
    size = {"budget_rule": "own"} if preset is None and not {"budget", "budget_rule"} & set(values) else {}
    return find_method(method).configure({**shared, **size, **values}, preset)


def grid(ranges: Mapping[str, Sequence[Any]]) -> list[Values]:
    """Every combination of the values."""
    return [dict(zip(ranges, combination, strict=True)) for combination in product(*ranges.values())]


def chosen_texts(atlas: Atlas, kinds: Sequence[str] = ()) -> list[Entry]:
    """The atlas's texts of these kinds, all if none is named.

    Raises:
        ReSpecError: for a kind that it does not hold, or where there is no text.
    """
    there = {entry.kind for entry in atlas.manifest.texts}
    if unknown := next((kind for kind in kinds if kind not in there), None):
        raise ReSpecError(f"The atlas has no texts of the kind {unknown!r}; it has: {', '.join(sorted(there))}.")
    texts = [entry for entry in atlas.manifest.texts if not kinds or entry.kind in kinds]
    if not texts:
        raise ReSpecError("The atlas holds no texts yet: record some with `respec atlas`.")
    return texts


def sweep(
    atlas: Atlas,
    tried: Sequence[SweepRow],
    texts: Sequence[Entry],
    live: Beside | None = None,
    progress: Callable[[int], None] = lambda _: None,
    processes: int = 1,
) -> None:
    """Replay every text with all of ``tried``, which are told what came of it; once for thresholds that make no difference.

    Args:
        live: a datastore to search.
        progress: told how many texts are done.
        processes: that share the texts.

    Raises:
        ReSpecError: for what cannot be replayed.
    """
    work = _Work(atlas, [(one.config, Alike.of(one.config)) for one in tried], live)
    for done, tallies in enumerate(shared(work.swept, texts, processes), 1):
        for one, tally in zip(tried, tallies, strict=True):
            one.total.add(tally)
        progress(done)


@dataclass(frozen=True)
class _Work:
    """What is done with each text."""

    atlas: Atlas
    configs: Sequence[tuple[RunConfig, Alike]]
    live: Beside | None

    def swept(self, entry: Entry) -> list[Tally]:
        """A text's tally under every one of the settings."""
        stage, known = self.atlas.stage(entry, self.live), defaultdict[str, list[_Found]](list)
        tallies = []
        for config, like in self.configs:
            found = next((f for f in known[like.key] if f.holds(like.thresholds)), None)
            if found is None:
                found = _Found.of(replay(stage, config), config, stage.costs)
                known[like.key].append(found)
            tallies.append(found.tally)
        return tallies


@dataclass(frozen=True)
class Alike:
    """Settings apart from thresholds of which a round's decision tells how far they could be moved."""

    key: str
    thresholds: Mapping[str, float]

    @classmethod
    def of(cls, config: RunConfig) -> Alike:
        names = find_method(config.method).margins
        rest = {name: value for name, value in config.params.items() if name not in names}
        key = config.model_copy(update={"params": rest}).model_dump_json()
        return cls(key, {name: config.params[name] for name in names})


@dataclass(frozen=True)
class _Found:
    """A text's tally, and the thresholds between which it is the same."""

    tally: Tally
    margins: Mapping[str, Margin]

    @classmethod
    def of(cls, found: Replay, config: RunConfig, costs: CostCurve | None) -> _Found:
        return cls(tallied(found, costs), margins_of(found, config))

    def holds(self, thresholds: Mapping[str, float]) -> bool:
        return within(thresholds, self.margins)


def margins_of(found: Replay, config: RunConfig) -> dict[str, Margin]:
    """Between which thresholds the replay of ``config`` is the same."""
    decisions = [round.decision for round in found.rounds]
    told = find_method(config.method).margins
    return {name: common(tell, config.params, decisions) for name, tell in told.items()}


def within(thresholds: Mapping[str, float], margins: Mapping[str, Margin]) -> bool:
    """Whether all of them lie there."""
    return all(value in margins[name] for name, value in thresholds.items())


def pareto(tried: Sequence[SweepRow]) -> list[SweepRow]:
    """Those that no other beats in tokens a pass and predicted time at once; in passes alone where no time is known."""

    def beats(a: SweepRow, b: SweepRow) -> bool:
        pairs = [(a.total.mat, b.total.mat), (a.total.ratio or 0.0, b.total.ratio or 0.0)]
        return all(x >= y for x, y in pairs) and any(x > y for x, y in pairs)

    return [one for one in tried if not any(beats(other, one) for other in tried)]
