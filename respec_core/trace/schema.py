"""The trace of a run, schema version 1: everything the engine decided and measured, as plain JSON.

Every panel, metric, export and lesson is a function of this object; none needs a model. Imports no torch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    SerializationInfo,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    create_model,
    model_serializer,
    model_validator,
)

from respec_core.boundary.limits import (
    MAX_CANDIDATES,
    MAX_FEW,
    MAX_HITS,
    MAX_OUTPUT,
    MAX_ROUNDS,
    MAX_TEXT,
    MAX_TREE_NODES,
    Count,
    Counts,
    Duration,
    Ids,
    LongText,
    Names,
    Numbers,
    OutputIds,
    Pieces,
    Probability,
    TokenId,
)
from respec_core.boundary.output import write_text

if TYPE_CHECKING:
    import networkx as nx

SCHEMA_VERSION: Literal[1] = 1
NO_RECORDS = {"lattice": None, "adl": None}  # written in every round, also by methods that leave no such record
Fault = tuple[str, str]  # where, and what is wrong there

RETRIEVED_SOURCES = frozenset({"dynamic", "static", "datastore"})
DIFFUSION_SOURCE = "dlm"
MODEL_DRAFTS = frozenset({"model", "fused", "diffusion"})  # decisions that let a trained drafter guess
NodeOutcome = Literal["strict_accept", "relaxed_accept", "rejected", "unreached"]
TokenOutcome = Literal["strict_accept", "relaxed_accept", "correction", "bonus", "plain"]
FinishReason = Literal["eos", "stop", "length", "context", "cancelled"]
PrunedBy = Literal["rerank", "topk_first", "mass_tau", "m_max", "beam", "budget", "score", "limit"]


class Record(BaseModel):
    """Base of everything in a trace: immutable, unknown names refused, numbers finite, texts of moderate length."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_max_length=MAX_TEXT)


class Candidate(Record):
    """A token with its probability."""

    token: TokenId
    text: str
    p: Probability


Candidates = Annotated[tuple[Candidate, ...], Field(max_length=MAX_CANDIDATES, fail_fast=True)]


class Match(Record):
    """Match lengths a length-routed method compared (SAM-Decoding, arXiv 2411.10666)."""

    dyn: Count
    static: Count | None = None
    bias: Count = 0
    threshold: Count


class Sizing(Record):
    """How many draft nodes went to the target, and why (see ``sizing.py``).

    ``rate`` is in tokens a millisecond; ``trust`` is accepted ÷ claimed of the draft's sources so far; of a
    sampled chain, the share of its tokens that was accepted.
    """

    rule: Literal["fixed", "auto"]
    proposed: Count
    kept: Count
    expected_tokens: float | None = None
    forward_ms: float | None = None
    plain_ms: float | None = None
    rate: float | None = None
    trust: dict[str, float] = {}


class Decision(Record):
    """Who drafted this round, and why. ``entropies`` are in nats, newest first.

    ``trained_context`` is how many tokens the drafting model was trained on, where the round's context is longer.
    """

    chosen: Literal["model", "retrieval", "fused", "diffusion", "schema", "none"]
    rule: Literal["entropy", "match_len", "always", "priority"]
    reason: str
    triggered: bool = False
    entropies: Numbers = ()
    H: Numbers = ()
    C: Numbers = ()
    k_star: Count | None = None
    theta: float | None = None
    match: Match | None = None
    budget: Count | None = None
    sizing: Sizing | None = None
    unit: Literal["nats", "ln V"] = "nats"
    trained_context: int | None = None


class Hit(Record):
    """One retrieved continuation: where it stands, what it offered, what came of it.

    ``count`` is how often the match occurs in all; ``first_rank`` the rank of the continuation's first token in a model
    drafter's own guess (RASD), None where it was not asked or cannot say the token.
    """

    id: Count
    corpus: Literal["prompt", "generated", "static", "datastore", "tool_memory", "logits"]
    doc: str | None = None
    end_pos: Count
    match_len: Count
    snippet: str
    continuation: str
    snippet_ids: Ids
    cont_ids: Ids
    count: Count | None = None
    score_before: float | None = None
    score_after: float | None = None
    proposed: Count = 0
    accepted: Count = 0
    status: Literal["kept", "score_filtered", "cap_filtered", "drafter_pruned", "budget_pruned"] = "kept"
    why: str = ""
    first_rank: Count | None = None


class Node(Record):
    """A draft node. ``target_*`` describe the target's distribution at its parent, which judged this token.

    They are None where the target's opinion was not needed: the root and unreached nodes. ``decided_p`` is the probability
    after temperature, top-p, top-k and penalty; None where nothing was sampled.
    """

    id: Count
    parent: Annotated[int, Field(ge=-1, lt=MAX_TREE_NODES)]
    depth: Count
    token: TokenId
    text: str
    sources: Names = ()
    hit_ids: Counts = ()
    draft_p: Probability | None = None
    path_score: float | None = None
    target_p: Probability | None = None
    target_rank: Count | None = None
    target_entropy: float | None = None
    target_top: Candidates = ()
    kept: bool = True
    pruned_by: PrunedBy | None = None
    outcome: NodeOutcome | None = None
    decided_p: Probability | None = None


Nodes = Annotated[tuple[Node, ...], Field(min_length=1, max_length=MAX_TREE_NODES, fail_fast=True)]


class Trees(Record):
    """The verified tree, and what it was made from where that differs."""

    final: Nodes
    drafter: Nodes | None = None
    retrieval: Nodes | None = None


class MethodRecord(Record):
    """Base of what a method adds to a round's record: it says itself what shared checks ask of it."""

    def faults(self) -> Iterator[Fault]:
        """Where its parts do not hang together, and how: what anything that reads it relies on."""
        return iter(())

    @property
    def cells(self) -> int:
        """How much it holds, for the limit on all records of a trace together."""
        return 0

    def spelt(self) -> Iterator[tuple[int, str]]:
        """Every token it names, with its text."""
        return iter(())

    @property
    def ends(self) -> frozenset[int]:
        """Tokens that it marks as ends of a text."""
        return frozenset()


Kept = TypeVar("Kept", bound=MethodRecord)


class RecordKinds:
    """The records that methods may add to a round, by name; the context in which traces are validated."""

    def __init__(self, kinds: Mapping[str, type[MethodRecord]]) -> None:
        self._names = kinds.keys()
        fields: Any = {name: (kind | None, None) for name, kind in kinds.items()}
        self._model = create_model("Records", __base__=Record, **fields)

    def json_schema(self) -> dict[str, Any]:
        """Of an object that holds nothing but the records."""
        return self._model.model_json_schema()

    def gather(self, round: Mapping[str, Any]) -> dict[str, Any]:
        """``round`` with its records validated and under ``records``.

        Raises:
            ValidationError: for a record that is not of its kind.
        """
        given = {name: round[name] for name in self._names if name in round}
        records = {name: record for name, record in self._model.model_validate(given) if record is not None}
        empty = {name for name in NO_RECORDS if round.get(name) is None}
        return {name: value for name, value in round.items() if name not in given.keys() | empty} | {"records": records}


class Extra(Record):
    """The token the target adds itself: a correction after a mismatch, a bonus when all was accepted."""

    token: TokenId
    kind: Literal["correction", "bonus"]
    p: Probability


class Commit(Record):
    """What a round committed. ``extra`` is None when the round ended inside the accepted path."""

    path_node_ids: Counts
    n_accepted: Count
    n_strict: Count
    n_relaxed: Count
    extra: Extra | None
    emitted_ids: OutputIds
    stopped: FinishReason | None = None


class Step(Record):
    """One round: decision, draft, verification, commit. ``phase_ms['verify']`` is the target's forward alone.

    ``records`` are what the method adds, by name; in JSON each stands under its name beside the other fields.
    """

    i: Count
    ctx_len: Count
    phase_ms: Annotated[dict[str, Duration], Field(max_length=MAX_FEW)]
    decision: Decision
    retrieval: Annotated[tuple[Hit, ...], Field(max_length=MAX_HITS, fail_fast=True)] = ()
    trees: Trees
    records: Annotated[dict[str, SerializeAsAny[Annotated[MethodRecord, InstanceOf]]], Field(max_length=MAX_FEW)] = {}
    commit: Commit

    def record(self, kind: type[Kept]) -> Kept | None:
        """The method's record of this kind, None where it left none."""
        return next((record for record in self.records.values() if isinstance(record, kind)), None)

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(info.context, RecordKinds) or not isinstance(data, Mapping):
            return data
        if "records" in data:
            raise ValueError("a round's records stand under their own names")
        return info.context.gather(data)

    @model_serializer(mode="wrap")
    def _flattened(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        flat: dict[str, Any] = {}
        for name, value in handler(self).items():
            flat |= ({} if info.exclude_none else NO_RECORDS) | value if name == "records" else {name: value}
        return flat


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


class ReferenceAR(Record):
    """Plain decoding of the same prompt, measured: ids and decode seconds (prefill excluded)."""

    output_ids: OutputIds
    wall_s: Duration


CostPoints = Annotated[tuple[tuple[Count, Duration], ...], Field(max_length=MAX_FEW, fail_fast=True)]


class Run(Record):
    """A whole run.

    ``prompt_specials`` are strings of the user's text that look like special tokens; ``config.prompt.parse_special`` says
    whether they became some. ``cost_curve`` is what a forward of so many new tokens costs here, in ms, where sizes follow it.
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
    prompt_pieces: Pieces = ()
    prompt_specials: Pieces = ()
    steps: Annotated[tuple[Step, ...], Field(max_length=MAX_ROUNDS, fail_fast=True)] = ()
    tokens: Annotated[tuple[Token, ...], Field(max_length=MAX_OUTPUT, fail_fast=True)] = ()
    output_ids: OutputIds = ()
    output_text: LongText = ""
    finish_reason: FinishReason = "cancelled"
    summary: Summary | None = None
    reference_ar: ReferenceAR | None = None
    cost_curve: CostPoints = ()

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
    """The id of a run: the same settings, models and prompt have the same."""
    key = json.dumps([config, models, list(prompt_ids)], sort_keys=True)
    return hashlib.sha256(key.encode()).hexdigest()[:12]
