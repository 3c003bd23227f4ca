"""The loaded models of a process, shared by all runs and read-only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from respec_core.engine.pieces import Pieces
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.denoiser import DiffusionModel
from respec_core.methods.eagle.head import MOST_PADDING, EagleHead
from respec_core.models.costs import cost_curve
from respec_core.models.language_model import DTYPES, LanguageModel
from respec_core.retrieval.datastore import Datastore
from respec_core.trace.cost_curve import CostCurve

MODEL_DRAFTER = "model-drafter"  # a head or a draft model, whichever there is
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True)
class Models:
    """A target and whatever drafters were loaded beside it.

    Raises:
        ReSpecError: if the draft model's vocabulary is not the target's, or the head was made for another target.
    """

    target: LanguageModel
    draft: LanguageModel | None = None
    datastore: Datastore | None = None
    head: EagleHead | None = None
    diffusion: DiffusionModel | None = None

    def __post_init__(self) -> None:
        if self.draft is not None:
            _same_vocabulary(self.target, self.draft)
        if self.head is not None:
            _fits(self.target, self.head)
            self.head.limit(self.target.vocab_size)

    @cached_property
    def pieces(self) -> Pieces:
        """How the target's tokens read."""
        return Pieces(self.target.tokenizer)

    def has(self, need: str) -> bool:
        """Whether a method that needs this can run."""
        have = {
            "draft-model": self.draft is not None,
            "datastore": self.datastore is not None,
            "head": self.head is not None,
            "diffusion": self.diffusion is not None,
        }
        return have["draft-model"] or have["head"] if need == MODEL_DRAFTER else have[need]

    def how_to_get(self, need: str) -> str:
        """What the user should do to have it."""
        return {
            "draft-model": "give --draft-model NAME, a smaller model with the same tokenizer.",
            "head": "give --head NAME, an EAGLE head made for this target, or train one with `python -m respec_core train`.",
            MODEL_DRAFTER: "give --head NAME (an EAGLE head for this target) or --draft-model NAME (a smaller model).",
            "diffusion": "give --diffusion NAME, a masked diffusion model with the target's tokenizer, or train one with `python -m respec_core train diffusion`.",
            "datastore": "build one with `python -m respec_core datastore build` and give --datastore DIR.",
        }[need]

    def require(self, need: str, who: str) -> None:
        """Raise if ``who`` cannot run for lack of ``need``.

        Raises:
            ReSpecError: saying how to get it.
        """
        if not self.has(need):
            raise ReSpecError(f"{who} needs a {need}: {self.how_to_get(need)}")

    @property
    def costs(self) -> CostCurve:
        """What the target's forwards cost here (measured once a machine, under two seconds on a small model)."""
        return cost_curve(self.target)

    def describe(self) -> dict[str, Any]:
        """For the trace: names, origin of the weights, precision, device."""
        described: dict[str, Any] = {"target": _describe(self.target)}
        if self.draft is not None:
            described["draft"] = _describe(self.draft)
        if self.head is not None:
            c, weight = self.head.config, self.head.lm_head.weight
            described["head"] = {"layout": c.layout, "vocab_size": c.draft_vocab, "dtype": DTYPE_NAMES[weight.dtype]}
        if self.diffusion is not None:
            described["diffusion"] = self.diffusion.describe()
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


def _fits(target: LanguageModel, head: EagleHead) -> None:
    c, width = head.config, target.embedding.shape[1]
    padding = c.target_vocab - target.vocab_size
    if c.hidden_size != width or not 0 <= padding <= (0 if target.tokenizer is None else MOST_PADDING):
        raise ReSpecError(
            f"The head was made for a target of width {c.hidden_size} and {c.target_vocab} tokens; "
            f"{target.name} has {width} and {target.vocab_size}."
        )
    if max(c.feature_layers) > target.n_layers:
        raise ReSpecError(f"The head reads layer {max(c.feature_layers)}; {target.name} has {target.n_layers}.")


def _same_vocabulary(target: LanguageModel, draft: LanguageModel) -> None:
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
