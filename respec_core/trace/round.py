"""A round in the trace: who drafted and why, what was found, the trees, what was committed. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    InstanceOf,
    SerializationInfo,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from respec_core.boundary.limits import (
    MAX_FEW,
    MAX_HITS,
    MAX_TREE_NODES,
    Count,
    Counts,
    Duration,
    Ids,
    Names,
    Numbers,
    Offset,
    OutputIds,
    Probability,
    TokenId,
)
from respec_core.trace.cost_curve import LEAST_FACTOR, MOST_FACTOR, CostCurve
from respec_core.trace.record import NO_RECORDS, Candidates, Kept, MethodRecord, Record, RecordKinds

RETRIEVED_SOURCES = frozenset({"dynamic", "static", "datastore"})
DIFFUSION_SOURCE = "dlm"
MODEL_DRAFTS = frozenset({"model", "fused", "diffusion"})  # decisions that let a trained drafter guess
LossyOutcome = Literal["relaxed_accept", "fly_accept"]
NodeOutcome = Literal["strict_accept", LossyOutcome, "rejected", "unreached"]
LOSSY_ACCEPTS: Mapping[str, LossyOutcome] = {"relaxed": "relaxed_accept", "fly": "fly_accept"}  # by the rule
ACCEPTS = frozenset({"strict_accept", *LOSSY_ACCEPTS.values()})
MISSES_AHEAD = 3  # mismatches, the rejected token's included, up to which a chain is looked at
FinishReason = Literal["eos", "stop", "length", "context", "cancelled"]
Chosen = Literal["model", "retrieval", "fused", "diffusion", "schema", "none"]
Rule = Literal["entropy", "match_len", "always", "priority", "bandit"]
Factor = Annotated[float, Field(ge=LEAST_FACTOR, le=MOST_FACTOR)]
HitStatus = Literal["kept", "score_filtered", "cap_filtered", "drafter_pruned", "budget_pruned"]
PrunedBy = Literal["rerank", "topk_first", "mass_tau", "m_max", "beam", "budget", "score"]


class Match(Record):
    """Match lengths a length-routed method compared (SAM-Decoding, arXiv 2411.10666)."""

    dyn: Count
    static: Count | None = None
    bias: Count = 0
    threshold: Count


class Sizing(Record):
    """How many draft nodes went to the target, and why (see ``sizing.py``).

    ``rate`` is in tokens a millisecond; ``trust`` is accepted ÷ claimed of the draft's sources so far; of a
    sampled chain, the share of its tokens that was accepted. ``factors`` fit the cost curve to this run's forwards: of a
    single token's price, and of what further tokens add; None of earlier runs, which took it as it was measured.
    """

    rule: Literal["fixed", "auto"]
    proposed: Count
    kept: Count
    expected_tokens: float | None = None
    forward_ms: float | None = None
    plain_ms: float | None = None
    rate: float | None = None
    trust: dict[str, float] = {}  # noqa: RUF012  (pydantic copies it)
    factors: tuple[Factor, Factor] | None = None

    def priced(self, curve: CostCurve) -> CostCurve:
        """The run's cost ``curve`` as its forwards had fitted it before this round."""
        return curve.fitted(*self.factors) if self.factors else curve


class Option(Record):
    """A way to draft that was weighed: the tokens it was expected to commit, and what the round would cost.

    ``ms`` and ``nodes``, how many are to be verified, are None where time does not count; ``nodes`` also of earlier runs,
    which weighed copies whole.
    """

    way: Literal["copies", "model", "both"]
    tokens: float
    ms: Duration | None = None
    nodes: Count | None = None


class Decision(Record):
    """Who drafted this round, and why. ``entropies`` are in nats, newest first.

    ``trained_context`` is how many tokens the drafting model was trained on, where the round's context is longer;
    ``options`` what was weighed against each other, where a rule did.
    """

    chosen: Chosen
    rule: Rule
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
    options: Annotated[tuple[Option, ...], Field(max_length=MAX_FEW)] = ()


class Hit(Record):
    """One retrieved continuation: where it stands, what it offered, what came of it.

    ``count`` is how often the match occurs in all; ``first_rank`` the rank of the continuation's first token in a model
    drafter's own guess (RASD), None where it was not asked or cannot say the token. ``lineage`` is how far back it reads,
    context length − ``end_pos``, where scores belong to that; ``resumed`` whether a copy that had deviated led here.
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
    status: HitStatus = "kept"
    why: str = ""
    first_rank: Count | None = None
    lineage: Offset | None = None
    resumed: bool = False


class Miss(Record):
    """The target's opinion where it disagrees with a node that it was never asked about.

    ``best``: its five largest probabilities, its own token's first. Only where the drafted token is among these, so that a
    rule may let it pass: its ``p``, the ``entropy``, and the ``text`` of the target's own.
    """

    best: Numbers
    p: Probability | None = None
    entropy: float | None = None
    text: str | None = None


class Ahead(Record):
    """What the target would go on to say about a node of the chain below a rejected token, were all above it accepted.

    ``miss``: where it disagrees; the rejected node has its opinion already.
    """

    agrees: bool
    miss: Miss | None = None


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
    ahead: Ahead | None = None


Nodes = Annotated[tuple[Node, ...], Field(min_length=1, max_length=MAX_TREE_NODES, fail_fast=True)]


class Trees(Record):
    """The verified tree, and what it was made from where that differs."""

    final: Nodes
    drafter: Nodes | None = None
    retrieval: Nodes | None = None


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
    records: Annotated[dict[str, SerializeAsAny[Annotated[MethodRecord, InstanceOf]]], Field(max_length=MAX_FEW)] = {}  # noqa: RUF012  (likewise)
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
