"""The trace of a run, schema version 1: everything the engine decided and measured, as plain JSON.

Every panel, metric, export and lesson is a function of this object; none needs a model. Imports no torch.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION: Literal[1] = 1

RETRIEVED_SOURCES = frozenset({"dynamic", "static", "datastore"})
DIFFUSION_SOURCE = "dlm"
NodeOutcome = Literal["strict_accept", "relaxed_accept", "rejected", "unreached"]
TokenOutcome = Literal["strict_accept", "relaxed_accept", "correction", "bonus", "plain"]
FinishReason = Literal["eos", "stop", "length", "context", "cancelled"]
PrunedBy = Literal["rerank", "topk_first", "mass_tau", "m_max", "beam", "budget", "score", "limit"]


class Record(BaseModel):
    """Base of everything in a trace: immutable, unknown names refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Candidate(Record):
    """A token with its probability."""

    token: int
    text: str
    p: float


class Match(Record):
    """Match lengths a length-routed method compared (SAM-Decoding, arXiv 2411.10666)."""

    dyn: int
    static: int | None = None
    bias: int = 0
    threshold: int


class Sizing(Record):
    """How many draft nodes went to the target, and why (see ``sizing.py``). ``rate`` is in tokens a millisecond."""

    rule: Literal["fixed", "auto"]
    proposed: int
    kept: int
    expected_tokens: float | None = None
    forward_ms: float | None = None
    plain_ms: float | None = None
    rate: float | None = None


class Decision(Record):
    """Who drafted this round, and why. ``entropies`` are in nats, newest first."""

    chosen: Literal["model", "retrieval", "fused", "diffusion", "schema", "none"]
    rule: Literal["entropy", "match_len", "always", "priority"]
    reason: str
    triggered: bool = False
    entropies: tuple[float, ...] = ()
    H: tuple[float, ...] = ()
    C: tuple[float, ...] = ()
    k_star: int | None = None
    theta: float | None = None
    match: Match | None = None
    budget: int | None = None
    sizing: Sizing | None = None
    unit: Literal["nats", "ln V"] = "nats"


class Hit(Record):
    """One retrieved continuation: where it stands, what it offered, what came of it."""

    id: int
    corpus: Literal["prompt", "generated", "static", "datastore", "tool_memory", "logits"]
    doc: str | None = None
    end_pos: int
    match_len: int
    snippet: str
    continuation: str
    snippet_ids: tuple[int, ...]
    cont_ids: tuple[int, ...]
    count: int | None = None
    score_before: float | None = None
    score_after: float | None = None
    proposed: int = 0
    accepted: int = 0
    status: Literal["kept", "score_filtered", "cap_filtered", "drafter_pruned", "budget_pruned"] = "kept"
    why: str = ""


class Node(Record):
    """A draft node. ``target_*`` describe the target's distribution at its parent, which judged this token.

    They are None where the target's opinion was not needed: the root and unreached nodes.
    """

    id: int
    parent: int
    depth: int
    token: int
    text: str
    sources: tuple[str, ...] = ()
    hit_ids: tuple[int, ...] = ()
    draft_p: float | None = None
    path_score: float | None = None
    target_p: float | None = None
    target_rank: int | None = None
    target_entropy: float | None = None
    target_top: tuple[Candidate, ...] = ()
    kept: bool = True
    pruned_by: PrunedBy | None = None
    outcome: NodeOutcome | None = None


class Trees(Record):
    """The verified tree, and what it was made from where that differs."""

    final: tuple[Node, ...]
    drafter: tuple[Node, ...] | None = None
    retrieval: tuple[Node, ...] | None = None


class LatticeCandidate(Record):
    """A token that the diffusion model offered at a position."""

    token: int
    text: str
    logp_dlm: float
    kept: bool
    pruned_by: PrunedBy | None = None
    is_eos: bool = False


class LatticePosition(Record):
    """A draft position: candidates by rank; the first ``M_i`` reach the mass τ together (or all of them do not)."""

    i: int
    cand: tuple[LatticeCandidate, ...]
    mass_at_cut: float
    M_i: int


class Beam(Record):
    """A path of the search; ``alive`` ones reached the last position, others an end of text."""

    tokens: tuple[int, ...]
    score: float
    dlm_sum: float
    ngram_sum: float | None = None
    alive: bool


class DenoisingPass(Record):
    """One of several refinement passes: the best candidates of every position then, and the positions it decided."""

    cand: tuple[tuple[Candidate, ...], ...]
    decided: tuple[int, ...]


class Lattice(Record):
    """What a diffusion model offered and the paths that were searched in it (DiffuSpec, arXiv 2510.02358).

    ``passes`` is empty where one pass filled everything.
    """

    k: int
    positions: tuple[LatticePosition, ...]
    beams: tuple[Beam, ...]
    chosen: int
    top1_path: tuple[int, ...]
    lambda_dlm: float
    tau: float
    passes: tuple[DenoisingPass, ...] = ()


class ADL(Record):
    """A round of the adaptive draft length: asked, generated before an end of text, accepted, averages, next."""

    k_t: int
    s_t: int | None = None
    L_gen: int
    L_acc: int
    ema_gen: float
    ema_acc: float
    grew: bool
    k_next: int
    k_min: int
    k_max: int


class Extra(Record):
    """The token the target adds itself: a correction after a mismatch, a bonus when all was accepted."""

    token: int
    kind: Literal["correction", "bonus"]
    p: float


class Commit(Record):
    """What a round committed. ``extra`` is None when the round ended inside the accepted path."""

    path_node_ids: tuple[int, ...]
    n_accepted: int
    n_strict: int
    n_relaxed: int
    extra: Extra | None
    emitted_ids: tuple[int, ...]
    stopped: FinishReason | None = None


class Step(Record):
    """One round: decision, draft, verification, commit. ``phase_ms['verify']`` is the target's forward alone."""

    i: int
    ctx_len: int
    phase_ms: dict[str, float]
    decision: Decision
    retrieval: tuple[Hit, ...] = ()
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

    id: int
    text: str
    piece: str
    special: bool = False
    p: float
    rank: int
    entropy: float
    decided_p: float | None = None
    top: tuple[Candidate, ...] = ()
    source: str
    outcome: TokenOutcome
    round: int
    wish: Candidate | None = None


class SourceAcceptance(Record):
    """Drafted and accepted nodes of one source; ``rate`` is accepted / drafted."""

    drafted: int
    accepted: int
    rate: float


class Summary(Record):
    """Counts and ratios of the run; all recomputable from steps and tokens (see ``summary.py``)."""

    tokens: int
    steps: int
    target_passes: int
    mat: float
    accepted_per_step: float
    drafted: int
    acceptance_rate: float
    trigger_rate: float
    hit_rate: float
    acceptance_by_source: dict[str, SourceAcceptance]
    acceptance_by_depth: tuple[float, ...]
    relaxed_accepts: int
    relaxed_share: float
    wall_s: float
    prefill_s: float
    tok_s: float
    phase_share: dict[str, float]
    first_divergence_vs_ar: int | None = None
    speedup_measured: float | None = None


class ReferenceAR(Record):
    """Plain decoding of the same prompt, measured: ids and decode seconds (prefill excluded)."""

    output_ids: tuple[int, ...]
    wall_s: float


class Run(Record):
    """A whole run."""

    schema_version: Literal[1] = SCHEMA_VERSION
    run_id: str
    method: str
    variant: str = ""
    config: dict[str, Any]
    models: dict[str, Any]
    seed: int
    prompt_text: str
    prompt_ids: tuple[int, ...]
    prompt_pieces: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    tokens: tuple[Token, ...] = ()
    output_ids: tuple[int, ...] = ()
    output_text: str = ""
    finish_reason: FinishReason = "cancelled"
    summary: Summary | None = None
    reference_ar: ReferenceAR | None = None

    def to_json(self) -> str:
        """Compact JSON."""
        return self.model_dump_json(exclude_none=False)
