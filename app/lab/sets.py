"""Sets of recorded texts: the one that comes with the page, and what visitors recorded. Torch comes with the first question."""

from __future__ import annotations

import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from app.lab.turns import Turns
from respec_core.errors import ReSpecError
from respec_core.models.assets import ASSETS

if TYPE_CHECKING:
    from respec_core.lab.atlas import Atlas
    from respec_core.lab.manifest import Entry
    from respec_core.lab.outcome import Outcome
    from respec_core.lab.recorded_models import Stage
    from respec_core.lab.sweep import Alike
    from respec_core.methods.margins import Margin
    from respec_core.methods.resources import Beside
    from respec_core.settings.run_config import RunConfig

SHIPPED = "shipped"
FOLDER = ASSETS / "atlas"
MOST_OWN = 16  # sets of visitors; the oldest gives way
REMEMBERED = 4000  # answers of one set
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Recorded:
    """A text that is open for replays."""

    entry: Entry
    stage: Stage


class TextSet:
    """An atlas, its texts opened once, and what was computed on it. One question at a time: a replay has one clock.

    Args:
        live: a datastore of its tokenizer, to search as in any run.
    """

    def __init__(self, name: str, title: str, folder: Path, live: Beside | None = None) -> None:
        self.name, self.title, self.folder, self.live = name, title, folder, live
        self.turns = Turns()
        self._answers: OrderedDict[tuple[str, ...], object] = OrderedDict()

    @cached_property
    def atlas(self) -> Atlas:
        """Read at the first question.

        Raises:
            ReSpecError: if it is damaged.
        """
        from respec_core.lab.atlas import Atlas

        return Atlas.open(self.folder)

    @cached_property
    def texts(self) -> tuple[Recorded, ...]:
        """All of them, open.

        Raises:
            ReSpecError: if one is damaged, or there is none.
        """
        from respec_core.lab.sweep import chosen_texts

        return tuple(Recorded(entry, self.atlas.stage(entry, self.live)) for entry in chosen_texts(self.atlas))

    def text(self, id: str) -> Recorded:
        """The text called ``id``, else the first."""
        return next((text for text in self.texts if text.entry.id == id), self.texts[0])

    def outcomes(self, config: RunConfig, between: Callable[[], None] = lambda: None) -> tuple[Outcome, ...]:
        """What ``config`` comes to on every text; computed once.

        Args:
            between: called before each.

        Raises:
            ReSpecError: for what cannot be replayed, or was not recorded.
        """
        from respec_core.lab.sweep import Alike

        def computed() -> tuple[Outcome, ...]:
            alike, found = Alike.of(config), []
            for text in self.texts:
                between()
                found.append(self._outcome(text, config, alike))
            return tuple(found)

        return self.once(("outcomes", config.model_dump_json()), computed)

    def _outcome(self, text: Recorded, config: RunConfig, alike: Alike) -> Outcome:
        """One text's; played once for all thresholds between which it is the same."""
        from respec_core.lab.outcome import told
        from respec_core.lab.replay import replay
        from respec_core.lab.sweep import margins_of, within

        known = self.once(("played", text.entry.id, alike.key), _none)
        found = next((one for margins, one in known if within(alike.thresholds, margins)), None)
        if found is None:
            played = replay(text.stage, config)
            found = told(played, text.entry.id, text.entry.kind, text.stage.costs)
            known.append((margins_of(played, config), found))
        return found

    def once(self, key: tuple[str, ...], make: Callable[[], Kept]) -> Kept:
        """What ``make`` gives, kept under ``key``; so is the sentence that it refuses with."""
        with self.turns:
            if key not in self._answers:
                try:
                    self._answers[key] = make()
                except ReSpecError as error:
                    self._answers[key] = error
                while len(self._answers) > REMEMBERED:
                    self._answers.popitem(last=False)
            self._answers.move_to_end(key)
            found = self._answers[key]
            if isinstance(found, ReSpecError):
                raise ReSpecError(str(found))
            return found  # type: ignore[return-value]  # what this key's maker gave

    def known(self, config: RunConfig) -> bool:
        """Whether its outcomes are there already, or refused."""
        return ("outcomes", config.model_dump_json()) in self._answers


def _none() -> list[tuple[dict[str, Margin], Outcome]]:
    return []


class Sets:
    """The shipped set, where it is there, and visitors' own, by names that nobody can guess."""

    def __init__(self, shipped: Path = FOLDER) -> None:
        self._shipped = (
            TextSet(SHIPPED, "Six kinds of prompts", shipped) if (shipped / "manifest.json").exists() else None
        )
        self._own: OrderedDict[str, TextSet] = OrderedDict()
        self._lock = threading.Lock()
        self._room = TemporaryDirectory(prefix="respec-lab-")  # gone with the process

    def folder(self, name: str) -> Path:
        """A new folder for a set that is to be recorded."""
        folder = Path(self._room.name) / name
        folder.mkdir()
        return folder

    def add(self, own: TextSet) -> None:
        """A visitor's; the oldest gives way, with its folder."""
        with self._lock:
            self._own[own.name] = own
            gone = [self._own.popitem(last=False)[1] for _ in range(len(self._own) - MOST_OWN)]
        for one in gone:
            shutil.rmtree(one.folder, ignore_errors=True)

    def find(self, name: str) -> TextSet:
        """The set called ``name``.

        Raises:
            ReSpecError: if it is not there, or not any more.
        """
        found = self._shipped if name in ("", SHIPPED) else self._own.get(name)
        if found is None:
            raise ReSpecError("This set of prompts is not there any more: record it anew, or choose another one.")
        return found
