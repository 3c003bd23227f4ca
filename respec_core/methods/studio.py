"""The studio as a library: load models once, decode with any method. Imports no torch until a model is loaded.

::

    studio = respec_core.load("smollm2-135m")
    run = studio.generate("Say hello.", method="respec-strict", theta_entropy=1.2)
    run.save("run.json")
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice, open_models
from respec_core.methods.registry import find_method
from respec_core.models.registry import DEFAULT_TARGET
from respec_core.settings.run_config import RunConfig
from respec_core.trace.events import Event, folded
from respec_core.trace.schema import Run

if TYPE_CHECKING:
    from respec_core.engine.decoding import Request
    from respec_core.methods.resources import Models
    from respec_core.models.checkpoints import Progress

DEFAULT_METHOD = "sam"
Prompt = str | Sequence[dict[str, Any]]  # the user's message, or a chat of {"role", "content"} messages


def load(model: str = DEFAULT_TARGET, *, progress: Progress = lambda _: None, **choice: Any) -> Studio:
    """Load a target and what is to draft for it.

    Args:
        model: registry name, hub id, folder or ``.gguf``.
        progress: told what is being done, in a few words.
        choice: further options of the command line's group *model*, such as ``datastore="demo"``.

    Raises:
        ReSpecError: for an unknown option, or whatever cannot be found, loaded, or does not fit together.
    """
    return Studio.open(ModelChoice.of({"model": model, **choice}), progress)


@dataclass(frozen=True)
class Studio:
    """Loaded models, shared by all runs and read-only; each run has its own state."""

    models: Models
    progress: Progress = lambda _: None

    @classmethod
    def open(cls, choice: ModelChoice, progress: Progress) -> Studio:
        """Load what ``choice`` names.

        Raises:
            ReSpecError: as :func:`~respec_core.methods.opening.open_models`.
        """
        return cls(open_models(choice, progress), progress)

    def generate(self, prompt: Prompt, method: str | RunConfig = DEFAULT_METHOD, **options: Any) -> Run:
        """The finished trace of :meth:`stream`, which says what the options are."""
        return folded(self.stream(prompt, method, **options))

    def stream(
        self,
        prompt: Prompt,
        method: str | RunConfig = DEFAULT_METHOD,
        *,
        raw: bool = False,
        preset: str | None = None,
        **settings: Any,
    ) -> Generator[Event, None, None]:
        """Decode step by step; closing the generator ends the run.

        Args:
            method: a method's name, or a whole configuration (then without ``preset`` and ``settings``).
            raw: continue the text itself, without the chat template.
            preset: what the settings start from; None follows the clock of this machine.
            settings: any declared setting of the method, by name.

        Raises:
            ReSpecError: for an unknown method or setting, a prompt that does not fit, or a model that is missing.
        """
        from respec_core.methods.running import decode

        config = self._config(method, preset, settings)
        request = self.request(prompt, config, raw=raw)
        self.prepare([config])
        return decode(request, self.models)

    def request(self, prompt: Prompt, config: RunConfig, *, raw: bool = False) -> Request:
        """The prompt as the target reads it, for runs of ``config``.

        Raises:
            ReSpecError: for a prompt that is empty or too long, or a chat that is none.
        """
        from respec_core.models.prompts import chat_request, request_for

        if isinstance(prompt, str):
            return request_for(self.models.target, config, prompt, raw=raw)
        return chat_request(self.models.target, config, list(prompt))

    def prepare(self, configs: Iterable[RunConfig]) -> None:
        """Measure what a forward costs here, once a machine, if a size in ``configs`` follows the clock."""
        from respec_core.models.costs import cost_curve

        if any(config.drafting.budget_rule == "auto" for config in configs):
            cost_curve(self.models.target, self.progress)  # before a run, which would wait for it

    def _config(self, method: str | RunConfig, preset: str | None, settings: dict[str, Any]) -> RunConfig:
        if isinstance(method, str):
            return find_method(method).configure(settings, preset)
        if settings or preset is not None:
            raise ReSpecError("Give settings and a preset with a method's name, not with a whole configuration.")
        return method
