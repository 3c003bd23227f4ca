"""Many methods on one atlas, as Markdown by kind: tokens a pass, predicted time, and each against one of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from respec_core.bench.intervals import Interval, bootstrap
from respec_core.boundary.output import told, write_text
from respec_core.errors import ReSpecError
from respec_core.lab.atlas import Atlas
from respec_core.lab.manifest import Entry
from respec_core.lab.outcome import summed
from respec_core.lab.recorded_models import Stage
from respec_core.lab.replay import replay
from respec_core.lab.sweep import Tally, tallied
from respec_core.methods.registry import METHODS
from respec_core.methods.resources import Beside
from respec_core.settings.presets import AUTO
from respec_core.settings.run_config import RunConfig
from respec_core.trace.rates import MISSING

REST = "all"


@dataclass
class TableRow:
    """Settings on texts.

    Attributes:
        tallies: by the text's id.
        refused: why it cannot be replayed; then there are none.
    """

    label: str
    config: RunConfig | None
    tallies: dict[str, Tally] = field(default_factory=dict)
    refused: str = ""


def every_method() -> list[str]:
    """A label for every method at every one of its presets, but for sizes that follow the clock."""
    named = [(method.name, [p.name for p in method.presets if p.name != AUTO.name]) for method in METHODS]
    return [f"{name}:preset={preset}" for name, presets in named for preset in presets]


class CountedRuns:
    """What was counted before, a line a text and row, so that an interrupted table can go on.

    Raises:
        ReSpecError: for a file that holds something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, Tally] = {}
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        try:
            for line in whole.splitlines():
                found = json.loads(line)
                key = found.pop("key")
                self._known[key] = Tally(**found)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ReSpecError(f"{path} holds no counts of a table: remove it or give another --out.") from error
        if whole != text:  # cut off while it was written
            write_text(path, whole)

    def of(self, key: str, count: Callable[[], Tally]) -> Tally:
        """The tally under ``key``, counted and written down where it is not known."""
        if key not in self._known:
            self._known[key] = tally = count()
            with told(self.path), self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **asdict(tally)}) + "\n")
        return self._known[key]


def fill(
    atlas: Atlas,
    rows: Sequence[TableRow],
    texts: Sequence[Entry],
    kept: CountedRuns,
    live: Beside | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Replay every text with every row that can be.

    Args:
        live: a datastore to search.
        progress: told how many texts are done.
    """
    for done, entry in enumerate(texts, 1):
        stage = atlas.stage(entry, live)
        for row in rows:
            if row.config is not None and not row.refused:
                _count(atlas, entry, stage, row, row.config, kept)
        progress(done)
    for row in rows:
        if row.refused:
            row.tallies.clear()


def _count(atlas: Atlas, entry: Entry, stage: Stage, row: TableRow, config: RunConfig, kept: CountedRuns) -> None:
    parts = [entry.sha256, config.model_dump(mode="json"), atlas.manifest.cost_curve]
    key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
    try:
        row.tallies[entry.id] = kept.of(key, lambda: tallied(replay(stage, config), stage.costs))
    except ReSpecError as error:
        row.refused = str(error)


def markdown(rows: Sequence[TableRow], texts: Sequence[Entry], against: str | None = None) -> str:
    """The tables; intervals are 95 % by bootstrap over prompts.

    Args:
        against: a row's label, by which all others are divided.
    """
    shown = [row for row in rows if row.tallies]
    kinds = {kind: [one.id for one in texts if one.kind == kind] for kind in dict.fromkeys(one.kind for one in texts)}
    groups = {**kinds, REST: [one.id for one in texts]}
    parts = [_table("tokens per pass", groups, shown, _passes)]
    if all(one.ms is not None for row in shown for one in row.tallies.values()):
        parts.append(_table("× plain, **predicted**", groups, shown, _times))
    base = next((row for row in shown if row.label == against), None)
    if base is not None:
        others = [row for row in shown if row is not base]
        for what, above in (("tokens per pass", "tokens"), ("predicted speed", "plain_ms")):
            title = f"{what} ÷ that of `{base.label}`, same prompts"
            parts.append(_table(title, groups, others, partial(_against, base=base, above=above)))
    counts = ", ".join(f"{kind} {len(ids)}" for kind, ids in kinds.items())
    refused = [f"- `{row.label}`: {row.refused}" for row in rows if row.refused]
    note = ["Not replayed:\n\n" + "\n".join(refused)] if refused else []
    return "\n\n".join([f"*{len(texts)} texts ({counts}); in brackets 95 % over prompts.*", *parts, *note]) + "\n"


Cell = Callable[[Mapping[str, Tally]], str]


def _table(title: str, groups: Mapping[str, Sequence[str]], rows: Sequence[TableRow], cell: Cell) -> str:
    lines = [f"| {title} | {' | '.join(groups)} |", "|---" * (len(groups) + 1) + "|"]
    for row in rows:
        cells = [cell({id: row.tallies[id] for id in ids}) for ids in groups.values()]
        lines.append(f"| `{row.label}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _passes(own: Mapping[str, Tally]) -> str:
    found = summed([*own.values()])
    return _told(found.total.mat, found.mat)


def _times(own: Mapping[str, Tally]) -> str:
    found = summed([*own.values()])
    return _told(found.total.ratio, found.ratio)


def _against(own: Mapping[str, Tally], base: TableRow, above: str) -> str:
    """How many times as much of ``above`` a row brings for what it costs: passes, or milliseconds."""
    below = "passes" if above == "tokens" else "ms"
    pairs = [(own[id], base.tallies[id]) for id in own]
    ups, downs = (np.array([[getattr(one, name) or 0.0 for one in pair] for pair in pairs]) for name in (above, below))

    def ratio(drawn: Any) -> Any:
        rates = ups[drawn].sum(-2) / downs[drawn].sum(-2)
        return rates[..., 0] / rates[..., 1]

    if not downs.all():
        return MISSING
    return _told(float(ratio(np.arange(len(pairs)))), bootstrap(len(pairs), ratio))


def _told(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return MISSING
    return f"{value:.2f}" + ("" if interval is None else f" ({interval[0]:.2f}–{interval[1]:.2f})")


def labels_of(given: str) -> Iterator[str]:
    """Rows as they are named on the command line, ``all`` for every method."""
    for label in (label.strip() for label in given.split(",")):
        yield from every_method() if label == "all" else [label] if label else []
