"""Loading the models beside the page: the page is there at once and says when they are ready."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice, open_models
from respec_core.methods.registry import METHODS
from respec_core.models.registry import INT8, find_target

if TYPE_CHECKING:
    from respec_core.methods.resources import Models
    from respec_core.models.language_model import LanguageModel

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Status:
    """What the header shows. ``missing`` has one sentence for every method that cannot run here."""

    state: Literal["loading", "ready", "error"]
    text: str
    model: str
    missing: dict[str, str]


class Loader:
    """Loads in a thread of its own; torch is imported there and nowhere before."""

    def __init__(self, choice: ModelChoice) -> None:
        self.choice = choice
        self._models: Models | None = None
        self._status = Status("loading", f"loading {choice.model} …", choice.model, {})
        self._thread = threading.Thread(target=self._load, daemon=True, name="model-loader")

    def start(self) -> Loader:
        """Begin; returns at once."""
        self._thread.start()
        return self

    def wait(self, seconds: float | None = None) -> Loader:
        """Wait until loading ended, well or not."""
        self._thread.join(seconds)
        return self

    @property
    def status(self) -> Status:
        """The state right now."""
        return self._status

    @property
    def models(self) -> Models:
        """The loaded models.

        Raises:
            ReSpecError: while they are not there, saying why.
        """
        if self._models is None:
            raise ReSpecError(self._status.text if self._status.state == "error" else "The model is still loading.")
        return self._models

    def _load(self) -> None:
        choice = self.choice
        try:
            models = self._read()
            _warm_up(models, self._progress)
        except ReSpecError as error:
            self._status = Status("error", str(error), choice.model, {})
        except Exception:
            log.exception("loading %s failed", choice.model)
            text = f"{choice.model} could not be loaded; the server's log says why."
            self._status = Status("error", text, choice.model, {})
        else:
            self._models = models
            target = models.target
            missing = {method.name: str(need) for method in METHODS for need in method.needs if not models.meets(need)}
            self._status = Status("ready", how_it_runs(target), choice.model, missing)

    def _read(self) -> Models:
        return open_models(self.choice, self._progress)

    def _progress(self, text: str) -> None:
        self._status = Status("loading", f"{text} …", self.choice.model, {})


def how_it_runs(target: LanguageModel) -> str:
    """Device and precision; of int8 how far it is from fp32, where that was measured."""
    text = f"{target.device.type} · {target.dtype_name}"
    entry = find_target(target.name)
    if target.dtype_name == INT8 and entry is not None and entry.int8_kl is not None:
        text = f"{text}, KL {entry.int8_kl} to fp32"
    return f"{text} · {target.note}" if target.note else text


def _warm_up(models: Models, progress: Callable[[str], None]) -> None:
    """What forwards cost, and a few tokens: the first run is not the one that pays for what happens once."""
    from respec_core.methods.registry import find_method
    from respec_core.methods.running import decode
    from respec_core.models.costs import cost_curve
    from respec_core.models.prompts import request_for

    cost_curve(models.target, progress)
    config = find_method("pld").configure({"max_new_tokens": 12, "ignore_eos": True})
    for _ in decode(request_for(models.target, config, "one two three one two three one two"), models):
        pass
