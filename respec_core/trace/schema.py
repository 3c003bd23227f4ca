"""The trace of a run, schema version 1: everything the engine decided and measured, as plain JSON.

Every panel, metric, export and lesson is a function of this object; none needs a model. Imports no torch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from respec_core.boundary.limits import (
    MAX_BEAMS,
    MAX_CANDIDATES,
    MAX_FEW,
    MAX_HITS,
    MAX_OUTPUT,
    MAX_PASSES,
    MAX_POSITIONS,
    MAX_ROUNDS,
    MAX_TEXT,
    MAX_TREE_NODES,
    Count,
    Counts,
    Duration,
    Ids,
    LogProbability,
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


class LatticeCandidate(Record):
    """A token that the diffusion model offered at a position."""

    token: TokenId
    text: str
    logp_dlm: LogProbability
    kept: bool
    pruned_by: PrunedBy | None = None
    is_eos: bool = False


class LatticePosition(Record):
    """A draft position: candidates by rank; the first ``M_i`` reach the mass τ together (or all of them do not)."""

    i: Count
    cand: Annotated[tuple[LatticeCandidate, ...], Field(min_length=1, max_length=MAX_CANDIDATES, fail_fast=True)]
    mass_at_cut: float
    M_i: Count


class Beam(Record):
    """A path of the search; ``alive`` ones reached the last position, others an end of text."""

    tokens: Ids
    score: float
    dlm_sum: float
    ngram_sum: float | None = None
    alive: bool


class DenoisingPass(Record):
    """One of several refinement passes: the best candidates of every position then, and the positions it decided."""

    cand: Annotated[tuple[Candidates, ...], Field(max_length=MAX_POSITIONS, fail_fast=True)]
    decided: Counts


class Lattice(Record):
    """What a diffusion model offered and the paths that were searched in it (DiffuSpec, arXiv 2510.02358).

    ``passes`` is empty where one pass filled everything.
    """

    k: Count
    positions: Annotated[tuple[LatticePosition, ...], Field(max_length=MAX_POSITIONS, fail_fast=True)]
    beams: Annotated[tuple[Beam, ...], Field(max_length=MAX_BEAMS, fail_fast=True)]
    chosen: Count
    top1_path: Ids
    lambda_dlm: float
    tau: float
    passes: Annotated[tuple[DenoisingPass, ...], Field(max_length=MAX_PASSES, fail_fast=True)] = ()


class ADL(Record):
    """A round of the adaptive draft length: asked, generated before an end of text, accepted, averages, next."""

    k_t: Count
    s_t: Count | None = None
    L_gen: Count
    L_acc: Count
    ema_gen: float
    ema_acc: float
    grew: bool
    k_next: Count
    k_min: Count
    k_max: Count


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
    """One round: decision, draft, verification, commit. ``phase_ms['verify']`` is the target's forward alone."""

    i: Count
    ctx_len: Count
    phase_ms: Annotated[dict[str, Duration], Field(max_length=MAX_FEW)]
    decision: Decision
    retrieval: Annotated[tuple[Hit, ...], Field(max_length=MAX_HITS, fail_fast=True)] = ()
    trees: Trees
    lattice: Lattice | None = None
    adl: ADL | None = None
    commit: Commit


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
