"""Which models to load, as the command line and the app ask for them, and loading them. Imports no torch by itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respec_core.models.assets import ASSETS
from respec_core.models.registry import DEFAULT_TARGET

if TYPE_CHECKING:
    from respec_core.methods.resources import Models
    from respec_core.models.language_model import LanguageModel
    from respec_core.retrieval.datastore import Datastore

DEMO_DATASTORE = "demo"
DEMO_CORPUS = ASSETS / "corpus"


@dataclass(frozen=True)
class ModelChoice:
    """What to load. ``datastore`` is a folder, or ``demo`` for the studio's own small corpus."""

    model: str = DEFAULT_TARGET
    draft_model: str | None = None
    head: str | None = None
    diffusion: str | None = None
    datastore: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    trust_remote_code: bool = False

    @classmethod
    def of(cls, args: argparse.Namespace) -> ModelChoice:
        """From options declared by :func:`add_model_options`."""
        return cls(**{name: getattr(args, name) for name in cls.__dataclass_fields__})


def add_model_options(parser: argparse.ArgumentParser, datastore: str | None = None) -> None:
    """Declare one option for every field of :class:`ModelChoice`; ``datastore`` is that option's default."""
    group = parser.add_argument_group("model")
    group.add_argument("--model", default=DEFAULT_TARGET, help="registry name, hub id, folder or .gguf (%(default)s)")
    group.add_argument("--draft-model", metavar="NAME", help="a smaller model with the same tokenizer")
    group.add_argument("--head", metavar="NAME", help="an EAGLE head for this model, if not its own: folder or hub id")
    group.add_argument("--diffusion", metavar="NAME", help="a masked diffusion model with the same tokenizer")
    group.add_argument(
        "--datastore",
        default=datastore,
        metavar="DIR",
        help="a datastore to retrieve from; demo: the studio's own texts",
    )
    group.add_argument("--device", default="auto", help="auto, cpu or cuda (%(default)s)")
    group.add_argument(
        "--dtype", default="auto", help="auto (bf16 on CUDA, else fp32), fp32, bf16 or fp16 (%(default)s)"
    )
    group.add_argument("--trust-remote-code", action="store_true", help="let a model's repository run its own code")


def open_models(choice: ModelChoice, progress: Callable[[str], None]) -> Models:
    """Load everything ``choice`` names; ``progress`` is told what is being done.

    Raises:
        ReSpecError: for whatever cannot be found, loaded, or does not fit together.
    """
    from respec_core.methods.diffuspec.loading import load_diffusion
    from respec_core.methods.eagle.loading import load_head
    from respec_core.methods.resources import Models
    from respec_core.models.checkpoints import resolve_head
    from respec_core.models.language_model import load_model

    trust = choice.trust_remote_code

    def load(name: str) -> LanguageModel:
        return load_model(name, choice.device, choice.dtype, trust_remote_code=trust, progress=progress)

    target = load(choice.model)
    store = _open_store(choice.datastore, target) if choice.datastore else None
    draft = load(choice.draft_model) if choice.draft_model else None
    folder = resolve_head(choice.head, progress) if choice.head else None
    head = load_head(target, folder)
    diffusion = load_diffusion(target, head, folder, choice.diffusion, trust_remote_code=trust)
    return Models(target, draft, store, head, diffusion)


def _open_store(name: str, target: LanguageModel) -> Datastore:
    from respec_core.models.encoding import TextEncoder
    from respec_core.retrieval.datastore import Datastore

    if name != DEMO_DATASTORE:
        return Datastore.open(name, target.tokenizer_fingerprint())
    return Datastore.from_files([DEMO_CORPUS], TextEncoder(target.tokenizer, target.tokenizer_fingerprint()))
