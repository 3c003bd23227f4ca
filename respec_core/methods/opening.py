"""Which models to load, as the command line and the app ask for them, and loading them. Imports no torch by itself."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from respec_core.errors import ReSpecError, quoted
from respec_core.methods.family import named
from respec_core.methods.registry import RESOURCES
from respec_core.models.registry import DEFAULT_TARGET

if TYPE_CHECKING:
    from respec_core.methods.resources import Beside, Models
    from respec_core.models.checkpoints import Progress
    from respec_core.models.language_model import LanguageModel

OWN = ("model", "device", "dtype", "trust_remote_code")
OPTIONS = (OWN[0], *(resource.key for resource in RESOURCES), *OWN[1:])


@dataclass(frozen=True)
class ModelChoice:
    """What to load.

    Attributes:
        model: the target: registry name, hub id, folder or ``.gguf``.
        beside: what to load with it, by the resource's name.
    """

    model: str = DEFAULT_TARGET
    _: KW_ONLY
    beside: Mapping[str, str] = field(default_factory=dict)
    device: str = "auto"
    dtype: str = "auto"
    trust_remote_code: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> ModelChoice:
        """From options by name, as :func:`add_model_options` declares them; those left out have their defaults.

        Raises:
            ReSpecError: for a name that is no option.
        """
        for name in options:
            if name not in OPTIONS:
                raise ReSpecError(f"There is no option {quoted(name)} of load; there are: {', '.join(OPTIONS)}.")
        beside = {resource.name: value for resource in RESOURCES if (value := options.get(resource.key))}
        return cls(beside=beside, **{name: options[name] for name in OWN if name in options})

    @classmethod
    def parsed(cls, args: argparse.Namespace) -> ModelChoice:
        """From a command line with the options of :func:`add_model_options`."""
        return cls.of({name: getattr(args, name) for name in OPTIONS})

    @property
    def files(self) -> tuple[str, ...]:
        """What it names, each of which may be a file."""
        return (self.model, *self.beside.values())

    def load(self, name: str, progress: Progress) -> LanguageModel:
        """The language model called ``name``, with the device and precision chosen.

        Raises:
            ReSpecError: if it cannot be found or loaded, or its cache cannot be rolled back exactly.
        """
        from respec_core.models.language_model import load_model

        trust = self.trust_remote_code
        return load_model(name, self.device, self.dtype, trust_remote_code=trust, progress=progress)


def add_model_options(parser: argparse.ArgumentParser, **defaults: str) -> None:
    """Declare the options of :class:`ModelChoice`, one for every resource; ``defaults`` are some of these' defaults."""
    group = parser.add_argument_group("model")
    group.add_argument("--model", default=DEFAULT_TARGET, help="registry name, hub id, folder or .gguf (%(default)s)")
    for resource in RESOURCES:
        default = defaults.get(resource.key)
        group.add_argument(f"--{resource.name}", default=default, metavar=resource.metavar, help=resource.help)
    group.add_argument("--device", default="auto", help="auto, cpu or cuda (%(default)s)")
    group.add_argument(
        "--dtype",
        default="auto",
        help="auto (bf16 on CUDA; int8 on a CPU where that is exact, else fp32), fp32, bf16, fp16, int8 (%(default)s)",
    )
    group.add_argument("--trust-remote-code", action="store_true", help="let a model's repository run its own code")


def open_models(choice: ModelChoice, progress: Progress) -> Models:
    """Load everything ``choice`` names, and what comes with the target; ``progress`` is told what is being done.

    Raises:
        ReSpecError: for whatever cannot be found, loaded, or does not fit together.
    """
    from respec_core.methods.resources import Models
    from respec_core.models.collecting import give_back

    target = choice.load(choice.model, progress)
    opened: dict[str, Beside] = {}
    for resource in RESOURCES:
        before = Models(target, *(opened[name] for name in resource.after if name in opened))
        found: Beside | None = named(resource.opener)(choice, before, progress)
        if found is not None:
            opened[resource.name] = found
    give_back()
    return Models(target, *opened.values())
