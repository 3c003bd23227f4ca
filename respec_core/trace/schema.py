"""The trace of a run, schema version 1: everything the engine decided and measured, as plain JSON.

Every panel, metric, export and lesson is a function of this object; none needs a model. Imports no torch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    Field,
)

from respec_core.boundary.limits import (
    MAX_FEW,
    MAX_OUTPUT,
    MAX_ROUNDS,
    MAX_TREE_NODES,
    Count,
    Duration,
    Ids,
    LongText,
    OutputIds,
    PieceTexts,
    Probability,
    TokenId,
)
from respec_core.boundary.output import write_text
from respec_core.settings.from_trace import config_from_trace
from respec_core.settings.run_config import RunConfig
from respec_core.trace.record import Candidate, Candidates, Record
from respec_core.trace.round import FinishReason, LossyOutcome, Step

if TYPE_CHECKING:
    import networkx as nx

SCHEMA_VERSION: Literal[1] = 1
TokenOutcome = Literal["strict_accept", LossyOutcome, "correction", "bonus", "plain"]


class Token(Record):
    """A committed token.

    ``text`` is what it adds to the output (empty while a character is incomplete, and for special tokens); ``piece``
    shows the token itself, raw bytes as ``⟨F0 9F⟩``. ``p``, ``rank`` and ``entropy`` (nats) are the target's at temperature 1; ``decided_p``
    is the probability after temperature, top-p, top-k and penalty, where these were used.
    """

    id: TokenId
    text: str
    piece: str
    special: bool = False
    p: Probability
    rank: Count
    entropy: float
    decided_p: Probability | None = None
    top: Candidates = ()
    source: str
    outcome: TokenOutcome
    round: Count
    wish: Candidate | None = None


class SourceAcceptance(Record):
    """Drafted and accepted nodes of one source; ``rate`` is accepted / drafted."""

    drafted: Count
    accepted: Count
    rate: float


class PositionAcceptance(Record):
    """Acceptance at one depth of the draft; counts are rounds (see ``positions.py``)."""

    depth: int
    drafted: int
    judged: int
    accepted: int
    conditional: float | None
    unconditional: float


class Summary(Record):
    """Counts and ratios of the run; all recomputable from steps and tokens (see ``summary.py``).

    Fields that default to None came later: older traces lack them.
    """

    tokens: Count
    steps: Count
    target_passes: Count
    mat: float
    accepted_per_step: float
    drafted: Count
    acceptance_rate: float
    trigger_rate: float
    hit_rate: float
    acceptance_by_source: dict[str, SourceAcceptance]
    acceptance_by_depth: Annotated[tuple[float, ...], Field(max_length=MAX_TREE_NODES, fail_fast=True)]
    relaxed_accepts: Count
    relaxed_share: float
    wall_s: Duration
    prefill_s: Duration
    tok_s: float
    phase_share: dict[str, float]
    first_divergence_vs_ar: Count | None = None
    speedup_measured: float | None = None
    draft_rounds: int | None = None
    retrieval_rounds: int | None = None
    acceptance_by_position: tuple[PositionAcceptance, ...] | None = None


class Repeat(Record):
    """Decode seconds of the run and of plain decoding, run again in one turn with nothing drawn."""

    run_s: Duration
    plain_s: Duration


class ReferenceAR(Record):
    """Plain decoding of the same prompt, measured: ids, text and decode seconds (prefill excluded).

    ``repeats`` time both again, in turn; older traces lack them and the text.
    """

    output_ids: OutputIds
    wall_s: Duration
    output_text: LongText | None = None
    repeats: Annotated[tuple[Repeat, ...], Field(max_length=MAX_FEW, fail_fast=True)] = ()


CostPoints = Annotated[tuple[tuple[Count, Duration], ...], Field(max_length=MAX_FEW, fail_fast=True)]


class Run(Record):
    """A whole run.

    ``prompt_specials`` are strings of the user's text that look like special tokens; ``config.prompt.parse_special`` says
    whether they became some. ``config`` is kept as it was written: read it through ``settings``. ``cost_curve`` is what a forward of so many new tokens costs here, in ms, where sizes follow it; ``predicted_by`` the curve that a replay's times are predicted by.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    run_id: str
    method: str
    variant: str = ""
    config: dict[str, Any]
    models: dict[str, Any]
    seed: int
    prompt_text: LongText
    prompt_ids: Ids
    prompt_pieces: PieceTexts = ()
    prompt_specials: PieceTexts = ()
    steps: Annotated[tuple[Step, ...], Field(max_length=MAX_ROUNDS, fail_fast=True)] = ()
    tokens: Annotated[tuple[Token, ...], Field(max_length=MAX_OUTPUT, fail_fast=True)] = ()
    output_ids: OutputIds = ()
    output_text: LongText = ""
    finish_reason: FinishReason = "cancelled"
    summary: Summary | None = None
    reference_ar: ReferenceAR | None = None
    cost_curve: CostPoints = ()
    predicted_by: CostPoints = ()

    @property
    def settings(self) -> RunConfig:
        """What ``config`` says, with today's defaults for what it does not."""
        return config_from_trace(self.config, self.method)

    def to_json(self) -> str:
        """Compact JSON."""
        return self.model_dump_json(exclude_none=False)

    def save(self, path: str | Path) -> None:
        """Write the trace: whole, or ``path`` stays as it was.

        Raises:
            ReSpecError: if it cannot be written.
        """
        write_text(Path(path), self.to_json())

    def graph(self, round: int, part: str = "final") -> nx.DiGraph:
        """A tree or a lattice of a round as a graph (see ``graphs.py``).

        Raises:
            ReSpecError: if there is no such round, or nothing of that name in it.
        """
        from respec_core.trace.graphs import round_graph

        return round_graph(self, round, part)


def run_digest(config: Mapping[str, Any], models: Mapping[str, Any], prompt_ids: Sequence[int]) -> str:
    """The id of a run: the same settings, models and prompt have the same, however their numbers are written."""
    return _digest(_whole([config, models, list(prompt_ids)]))


def written_digest(config: Mapping[str, Any], models: Mapping[str, Any], prompt_ids: Sequence[int]) -> str:
    """The id that earlier runs have: of numbers as they stand, which a browser writes otherwise."""
    return _digest([config, models, list(prompt_ids)])


def _digest(of: Any) -> str:
    return hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()[:12]


def _whole(value: Any) -> Any:
    """With 1 for 1.0, as a browser writes it."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case Mapping():
            return {name: _whole(one) for name, one in value.items()}
        case list() | tuple():
            return [_whole(one) for one in value]
    return value
