"""Which EAGLE head goes with a target: the shipped one where the registry names it, or one the user gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from respec_core.errors import ReSpecError
from respec_core.methods.eagle.head import MOST_PADDING, WEIGHTS, EagleHead
from respec_core.methods.eagle.level_place import LevelPlace
from respec_core.methods.eagle.public_checkpoints import load_public
from respec_core.methods.eagle.steps import HeadSteps
from respec_core.methods.opening import ModelChoice
from respec_core.methods.resources import Models
from respec_core.models.assets import ASSETS
from respec_core.models.checkpoints import Progress, resolve_head
from respec_core.models.graphs import capturing, launches_of
from respec_core.models.language_model import LanguageModel
from respec_core.models.lean.launching import Launch
from respec_core.models.lean.places import LentPlaces
from respec_core.models.lean.rough import is_fast, roughly
from respec_core.models.registry import find_target


def open_head(choice: ModelChoice, models: Models, progress: Progress) -> EagleHead | None:
    """The head that ``choice`` names, else the one shipped for the target, else None.

    Raises:
        ReSpecError: if what is named is not to be had, no head, or one for another target.
    """
    return load_head(models.target, named_folder(choice, progress))


def named_folder(choice: ModelChoice, progress: Progress) -> Path | None:
    """Where the head that ``choice`` names lies, fetched when missing; None if it names none.

    Raises:
        ReSpecError: if it is not to be had.
    """
    name = choice.beside.get("head")
    return resolve_head(name, progress) if name else None


def load_head(target: LanguageModel, wanted: Path | None = None) -> EagleHead | None:
    """The head in ``wanted`` (our format or a public EAGLE checkpoint), else the one shipped for ``target``, else None.

    Raises:
        ReSpecError: if ``wanted`` holds no head, or one for another target.
    """
    folder = wanted or shipped_head(target.name)
    if folder is None:
        return None
    if wanted is not None and not (folder / WEIGHTS).is_file():
        head = load_public(folder, target.network)
    else:
        head = EagleHead.load(folder, target.embedding, target.network.dtype, str(target.embedding.device))
    if head.device.type == "cpu" and is_fast():  # a draft's precision never changes the text
        fit(target, head)
        roughly(head.float())
    head.steps = HeadSteps.compiled(head)
    if (launch := capturing(target)) is not None:
        head.places = level_places(target, head, launch)
    return head


def level_places(target: LanguageModel, head: EagleHead, launch: Callable[[], Launch]) -> LentPlaces[LevelPlace]:
    """Places for levels of ``head``; ``target`` is told what cannot be launched."""
    launches = launches_of(target, launch, "of the head's levels, ")
    return LentPlaces(lambda rows: LevelPlace(head, rows, launches))


def shipped_head(name: str) -> Path | None:
    """Folder of the head that comes with this program for the registered target ``name``."""
    entry = find_target(name)
    folder = ASSETS / entry.drafters.get("head", "") if entry and "head" in entry.drafters else None
    return folder if folder and (folder / WEIGHTS).is_file() else None


def fit(target: LanguageModel, head: EagleHead) -> None:
    """Raise if ``head`` was made for another target; unlearn ids that are no token of this one.

    Raises:
        ReSpecError: saying what it was made for.
    """
    c, width = head.config, target.embedding.shape[1]
    padding = c.target_vocab - target.vocab_size
    if c.target_width != width or not 0 <= padding <= (0 if target.tokenizer is None else MOST_PADDING):
        raise ReSpecError(
            f"The head was made for a target of width {c.target_width} and {c.target_vocab} tokens; "
            f"{target.name} has {width} and {target.vocab_size}."
        )
    if max(c.feature_layers) > target.n_layers:
        raise ReSpecError(f"The head reads layer {max(c.feature_layers)}; {target.name} has {target.n_layers}.")
    head.limit(target.vocab_size)
