"""What if λ, τ or the beam had been different? A recorded lattice searched again, without a model, for the Lattice panel.

The request comes from a browser and may describe a trace that a visitor opened: everything in it is checked and bounded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.panels import JsonOf, RecordJson
from app.panels.labels import count, short
from app.panels.lattice import LatticeDrawn, drawn
from app.panels.lattice_paths import chosen_path, verdict_against
from respec_core.boundary.limits import MAX_VOCABULARY
from respec_core.boundary.untrusted_json import parse_json, place
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.diffuspec.search_again import SearchedAgain, proxy_behind, search_again
from respec_core.settings.from_trace import config_from_trace
from respec_core.settings.run_config import RunConfig

if TYPE_CHECKING:
    from app.loading import Loader
    from respec_core.methods.diffuspec.corpus_counts import CorpusCounts

MAX_BODY = 4 * 2**20  # characters
MAX_IDS = 20_000
MAX_BEAMS = 16
SHOWN = 60  # characters of a path in the sentence

SearchedIds = Annotated[tuple[Annotated[int, Field(ge=0, lt=MAX_VOCABULARY)], ...], Field(max_length=MAX_IDS)]


class WhatIf(BaseModel):
    """A round's lattice, the text around it, how its run searched and verified, and what to try instead.

    Attributes:
        ctx_len: tokens of prompt and output that were there before the round.
        target: name of the run's model.
        rule, temperature: how the run decided about tokens.
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
    rule: str = Field(max_length=40)
    temperature: float = Field(ge=0)
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

    @property
    def settings(self) -> RunConfig:
        """How the run decided about tokens, as a trace's settings."""
        said = {"sampling": {"temperature": self.temperature}, "verify": {"rule": self.rule}}
        return config_from_trace(said, "diffuspec")

    @property
    def exact(self) -> bool:
        """Whether the target's decisions follow from the text: it took its favourite and nothing else."""
        return self.settings.lossless


def answer(asked: Any, loader: Loader) -> str:
    """The Lattice panel's views of the repeated search, or one sentence under ``error``, as JSON text."""
    try:
        wish = parse_wish(asked)
        counts = _corpus(wish, loader)
        again = search_wish(wish, counts)
    except ReSpecError as error:
        return json.dumps(Refusal(error=str(error)))
    view = view_of(wish, again, counted_corpus=counts is not None)
    return json.dumps(view, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


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


class Answer(LatticeDrawn):
    """The repeated search as the panel draws it, and the lattice behind it."""

    lattice: Annotated[RecordJson, JsonOf(Lattice)]


class Refusal(TypedDict):
    """Why there is none, in one sentence."""

    error: str


def view_of(wish: WhatIf, again: SearchedAgain, *, counted_corpus: bool) -> Answer:
    """What the panel shows instead of the recorded search."""
    said = [_chosen(wish.lattice, again.lattice), _accepted(wish, again)]
    if wish.proxy == "none":
        said.append("Without a causal proxy, λ changes nothing.")
    elif wish.proxy == "corpus" and not counted_corpus:
        said.append("Only this run's n-grams were counted: the drafter's corpus is not loaded here.")
    # a relaxed or sampling target might have taken a token that differs from the text
    known = again.known and wish.exact
    verdict = verdict_against(again.lattice, wish.text[wish.ctx_len :], again.accepted, known)
    view = drawn(again.lattice, verdict, " ".join(said))
    return {**view, "lattice": again.lattice.model_dump(mode="json")}


def _chosen(recorded: Lattice, now: Lattice) -> str:
    before, path = chosen_path(recorded), chosen_path(now)
    texts = {c.token: c.text for position in now.positions for c in position.cand}
    quoted = f"‘{short(''.join(texts[token] for token in path), SHOWN)}’"
    if path == before:
        return f"The search chooses {quoted}, as it did in the run."
    return f"The search chooses {quoted}, which leaves the run's choice at position {_same(path, before) + 1}."


def _accepted(wish: WhatIf, again: SearchedAgain) -> str:
    path, before = chosen_path(again.lattice), chosen_path(wish.lattice)
    written, n = wish.text[wish.ctx_len :], len(path)
    whole = count(n, "token")
    if not wish.exact:
        how = "verified by a relaxed rule" if wish.settings.greedy else "sampled"
        return f"{again.accepted} of its {whole} are what was written; the run was {how}, so the target might have taken others."
    if not again.known:
        rest = "nothing was written after this round" if not again.accepted else "there the text ends"
        return f"{again.accepted} of its {whole} are what was written, and {rest}: what the target says to the others is not known."
    instead = "" if path == before else f" (of the run's choice: {_same(before, written)})"
    return f"The target would have accepted {again.accepted} of its {whole}{instead}."


def _same(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two paths share from the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


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
