"""What if λ, τ or the beam had been different? A recorded lattice searched again, without a model, for the Lattice panel,
where the browser cannot (``static/what_if.js``): with a corpus.

The request comes from a browser and may describe a trace that a visitor opened: everything in it is checked and bounded.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.panels import JsonOf, RecordJson
from respec_core.boundary.limits import MAX_VOCABULARY
from respec_core.boundary.untrusted_json import parse_json, place
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.diffuspec.search_again import SearchedAgain, proxy_behind, search_again

if TYPE_CHECKING:
    from app.loading import Loader
    from respec_core.methods.diffuspec.corpus_counts import CorpusCounts

MAX_BODY = 4 * 2**20  # characters
MAX_IDS = 20_000
MAX_BEAMS = 16

SearchedIds = Annotated[tuple[Annotated[int, Field(ge=0, lt=MAX_VOCABULARY)], ...], Field(max_length=MAX_IDS)]


class WhatIf(BaseModel):
    """A round's lattice, the text around it, how its run searched, and what to try instead.

    Attributes:
        ctx_len: tokens of prompt and output that were there before the round.
        target: name of the run's model.
        lambda_dlm, tau, beam: the wishes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    prompt_ids: SearchedIds
    output_ids: SearchedIds
    ctx_len: int = Field(ge=0)
    lattice: Lattice
    proxy: Literal["corpus", "ngram", "recycling", "none"]
    ngram: int = Field(ge=1, le=6)
    length_normalised: bool
    vocab_size: int = Field(ge=1, le=MAX_VOCABULARY)
    target: str = Field(max_length=400)
    lambda_dlm: float = Field(ge=0, le=1)
    tau: float = Field(gt=0, le=1)
    beam: int = Field(ge=1, le=MAX_BEAMS)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        for where, problem in self.lattice.faults():
            raise ValueError(f"at {where}, {problem}")
        if len(self.lattice.beams) > MAX_BEAMS:
            raise ValueError(f"a lattice has up to {MAX_BEAMS} beams")
        offered = [c.token for position in self.lattice.positions for c in position.cand]
        if not all(0 <= token < self.vocab_size for token in (*self.prompt_ids, *self.output_ids, *offered)):
            raise ValueError("a token is not in the vocabulary")
        return self

    @property
    def text(self) -> tuple[int, ...]:
        """Prompt and output."""
        return self.prompt_ids + self.output_ids


def answer(asked: Any, loader: Loader) -> str:
    """The repeated search, or one sentence under ``error``, as JSON text."""
    try:
        wish = parse_wish(asked)
        counts = _corpus(wish, loader)
        again = search_wish(wish, counts)
    except ReSpecError as error:
        return json.dumps(Refusal(error=str(error)))
    found: Answer = {
        "lattice": again.lattice.model_dump(mode="json"),
        "accepted": again.accepted,
        "known": again.known,
        "corpus": counts is not None,
    }
    return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def parse_wish(asked: Any) -> WhatIf:
    """A request from JSON text.

    Raises:
        ReSpecError: one sentence for whatever is wrong with it.
    """
    if not isinstance(asked, str):
        raise ReSpecError("The page sent no what-if: reload it.")
    if len(asked) > MAX_BODY:
        raise ReSpecError(f"This what-if is larger than {MAX_BODY // 2**20} MB.")
    data = parse_json(asked, "This what-if")
    try:
        return WhatIf.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = place(first["loc"]) if first["loc"] else ""
        raise ReSpecError(
            f"This what-if cannot be answered{f', for its {where}' if where else ''}: {first['msg'].removeprefix('Value error, ')}."
        ) from error


def search_wish(wish: WhatIf, counts: CorpusCounts | None) -> SearchedAgain:
    """The search under other settings.

    Raises:
        ReSpecError: if the run's proxy cannot be had again.
    """
    text = wish.text
    prefix, written = text[: wish.ctx_len], text[wish.ctx_len :]
    return search_again(
        wish.lattice,
        proxy_behind(prefix, wish.proxy, wish.ngram, wish.vocab_size, counts),
        prefix,
        written,
        lambda_dlm=wish.lambda_dlm,
        tau=wish.tau,
        beam=wish.beam,
        length_normalised=wish.length_normalised,
    )


class Answer(TypedDict):
    """The lattice as the repeated search leaves it, how far the text that was written agrees, and whether a corpus was counted."""

    lattice: Annotated[RecordJson, JsonOf(Lattice)]
    accepted: int
    known: bool
    corpus: bool


class Refusal(TypedDict):
    """Why there is none, in one sentence."""

    error: str


def _corpus(wish: WhatIf, loader: Loader) -> CorpusCounts | None:
    """The corpus of the run's drafter, if that is what is loaded."""
    if wish.proxy != "corpus":
        return None
    try:
        models = loader.models
    except ReSpecError:
        return None
    from respec_core.methods.diffuspec.denoiser import DiffusionModel

    diffusion = models.get(DiffusionModel)
    if diffusion is None or (models.target.name, models.target.vocab_size) != (wish.target, wish.vocab_size):
        return None
    return diffusion.corpus_counts()
