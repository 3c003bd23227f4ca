"""A smaller model with the target's tokenizer, loaded beside it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from respec_core.engine.drafting import Drafter
from respec_core.errors import ReSpecError
from respec_core.methods.family import named
from respec_core.methods.opening import ModelChoice
from respec_core.methods.resources import Models

if TYPE_CHECKING:
    from respec_core.methods.draft_model.settings import DraftModelSettings
    from respec_core.models.checkpoints import Progress
    from respec_core.models.language_model import LanguageModel

DRAFTER = "respec_core.methods.draft_model.drafter:DraftModelDrafter"


class Smaller(ABC):
    """What is loaded once and shared by all runs: a model, or the record of one."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """For the trace."""

    @abstractmethod
    def drafter(self, settings: DraftModelSettings) -> Drafter:
        """A fresh one for a run."""


@dataclass(frozen=True)
class DraftModel(Smaller):
    """Its type tells it from the target, which is a language model too."""

    model: LanguageModel

    def describe(self) -> dict[str, Any]:
        """For the trace."""
        return self.model.describe()

    def drafter(self, settings: DraftModelSettings) -> Drafter:
        """One that asks the model."""
        build: Callable[[DraftModelSettings, LanguageModel], Drafter] = named(DRAFTER)
        return build(settings, self.model)


def open_draft_model(choice: ModelChoice, models: Models, progress: Progress) -> DraftModel | None:
    """The model that ``choice`` names, if it names one.

    Raises:
        ReSpecError: if it cannot be found or loaded, or cannot be rolled back exactly.
    """
    name = choice.beside.get("draft-model")
    return DraftModel(choice.load(name, progress)) if name else None


def same_vocabulary(target: LanguageModel, drafter: DraftModel) -> None:
    """Raise unless token ids can be exchanged.

    Raises:
        ReSpecError: naming the first token that differs.
    """
    draft = drafter.model
    if target.tokenizer is None or draft.tokenizer is None:
        if target.vocab_size != draft.vocab_size:
            raise ReSpecError(
                f"The draft model has {draft.vocab_size} tokens, the target {target.vocab_size}; they must share a tokenizer."
            )
        return
    theirs, ours = draft.tokenizer.get_vocab(), target.tokenizer.get_vocab()
    if theirs == ours and draft.vocab_size == target.vocab_size:
        return
    if theirs == ours:
        raise ReSpecError(
            f"{draft.name} and {target.name} share a tokenizer, but their networks have rows for {draft.vocab_size} and "
            f"{target.vocab_size} of its tokens; choose a draft model of the same release."
        )
    by_id = {i: token for token, i in theirs.items()}
    for token, i in sorted(ours.items(), key=lambda item: item[1]):
        if by_id.get(i) != token:
            raise ReSpecError(
                f"{draft.name} cannot draft for {target.name}: token {i} is {by_id.get(i)!r} there and {token!r} here; "
                "choose a draft model with the target's tokenizer."
            )
    raise ReSpecError(f"{draft.name} has tokens that {target.name} lacks; choose a draft model with its tokenizer.")
