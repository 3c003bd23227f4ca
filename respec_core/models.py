"""The loaded models of a process, shared by all runs and read-only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from respec_core.costs import CostCurve, cost_curve
from respec_core.detokenize import Pieces
from respec_core.errors import ReSpecError
from respec_core.retrieval.datastore import Datastore
from respec_core.target.model import LanguageModel


@dataclass(frozen=True)
class Models:
    """A target and whatever drafters were loaded beside it.

    Raises:
        ReSpecError: if the draft model's vocabulary is not the target's.
    """

    target: LanguageModel
    draft: LanguageModel | None = None
    datastore: Datastore | None = None

    def __post_init__(self) -> None:
        if self.draft is not None:
            _same_vocabulary(self.target, self.draft)

    @cached_property
    def pieces(self) -> Pieces:
        """How the target's tokens read."""
        return Pieces(self.target.tokenizer)

    def has(self, need: str) -> bool:
        """Whether a method that needs this can run."""
        return {"draft-model": self.draft is not None, "datastore": self.datastore is not None}[need]

    def how_to_get(self, need: str) -> str:
        """What the user should do to have it."""
        return {
            "draft-model": "give --draft-model NAME, a smaller model with the same tokenizer.",
            "datastore": "build one with `python -m respec_core datastore build` and give --datastore DIR.",
        }[need]

    def require(self, need: str, who: str) -> None:
        """Raise if ``who`` cannot run for lack of ``need``.

        Raises:
            ReSpecError: saying how to get it.
        """
        if not self.has(need):
            raise ReSpecError(f"{who} needs a {need}: {self.how_to_get(need)}")

    @cached_property
    def costs(self) -> CostCurve:
        """What the target's forwards cost here (measured once a machine, under two seconds on a small model)."""
        return cost_curve(self.target)

    def describe(self) -> dict[str, Any]:
        """For the trace: names, origin of the weights, precision, device."""
        described: dict[str, Any] = {"target": _describe(self.target)}
        if self.draft is not None:
            described["draft"] = _describe(self.draft)
        if self.datastore is not None:
            manifest = self.datastore.manifest
            described["datastore"] = {"tokens": manifest.tokens, "sources": len(manifest.sources)}
        return described


def _describe(model: LanguageModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "weights": model.origin,
        "dtype": model.dtype_name,
        "device": model.device.type,
        "vocab_size": model.vocab_size,
    }


def _same_vocabulary(target: LanguageModel, draft: LanguageModel) -> None:
    if target.tokenizer is None or draft.tokenizer is None:
        if target.vocab_size != draft.vocab_size:
            raise ReSpecError(
                f"The draft model has {draft.vocab_size} tokens, the target {target.vocab_size}; they must share a tokenizer."
            )
        return
    theirs, ours = draft.tokenizer.get_vocab(), target.tokenizer.get_vocab()
    if theirs == ours:
        return
    by_id = {i: token for token, i in theirs.items()}
    for token, i in sorted(ours.items(), key=lambda item: item[1]):
        if by_id.get(i) != token:
            raise ReSpecError(
                f"{draft.name} cannot draft for {target.name}: token {i} is {by_id.get(i)!r} there and {token!r} here; "
                "choose a draft model with the target's tokenizer."
            )
    raise ReSpecError(f"{draft.name} has tokens that {target.name} lacks; choose a draft model with its tokenizer.")
