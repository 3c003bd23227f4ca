"""What Compare shows, as the browser gets it. Times are milliseconds of engine time, positions are output tokens from 0."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from respec_core.trace.schema import TokenOutcome
from respec_core.trace.speed import Speed

Kind = Literal["target", "prompt", "end", "sampling", "relaxed", "lossy", "draw", "tie", "unexplained"]


class CompareView(BaseModel):
    """Base: immutable, no unknown names, numbers finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ChangedSetting(CompareView):
    """A setting that differs from what the method, or the preset, starts from."""

    name: str
    label: str
    value: str


class Share(CompareView):
    """``part`` of ``whole``, and how that is told; no parts where there is no such rate."""

    part: int | None
    whole: int | None
    text: str


class SourceShare(CompareView):
    """How many of the committed tokens came from one source."""

    source: str
    tokens: int
    share: float


class LaneNumbers(CompareView):
    """A run in the table.

    ``acceptance`` counts levels, which chains and trees have in common; ``drafting`` is the share of engine time spent
    before the target's forward; ``nodes`` the draft nodes verified in a pass. ``notes`` are sentences about the run.
    """

    preset: str
    changed: tuple[ChangedSetting, ...]
    tokens: int
    passes: int
    per_pass: float | None
    speed: Speed | None
    acceptance: Share
    trigger: Share
    sources: tuple[SourceShare, ...]
    drafting: float | None
    nodes: float | None
    finish: str
    notes: tuple[str, ...]


class Parting(CompareView):
    """Where a run leaves the one it is held against, and why. ``ours`` and ``theirs`` are the two tokens, empty behind an end.

    ``margin`` is the gap, in logits, between the two tokens as the reference's target saw them; None where it did not
    keep one of them.
    """

    position: int
    kind: Kind
    ours: str
    theirs: str
    margin: float | None
    sentence: str


class LaneRound(CompareView):
    """A round on the strip: tokens ``start`` to ``end``, of which ``accepted`` were drafted."""

    start: int
    end: int
    start_ms: float
    end_ms: float
    drafted: int
    accepted: int
    relaxed: int
    chosen: str
    triggered: bool


class LaneToken(CompareView):
    """A committed token as the text shows it."""

    text: str
    piece: str
    outcome: TokenOutcome
    source: str
    p: float
    entropy: float
    wish: str | None
    special: bool


class Lane(CompareView):
    """One run: its name, its numbers, its text, its rounds. ``parting`` is None for the reference and for an equal text."""

    letter: str
    method: str
    title: str
    paper: str
    run_id: str
    target: str
    numbers: LaneNumbers
    parting: Parting | None
    prefill_ms: float
    total_ms: float
    rounds: tuple[LaneRound, ...]
    tokens: tuple[LaneToken, ...]


class Factor(CompareView):
    """What makes the leader's token cheaper (above 1) or dearer than the other's; all factors multiply to the whole ratio."""

    name: Literal["passes", "forward", "drafting"]
    ratio: float
    text: str


class Why(CompareView):
    """The run ahead by measured time a token, the one it is held against, and the numbers between them.

    ``settled`` only where silent repeats of both were measured and their spreads do not meet.
    """

    ahead: int | None
    other: int | None
    ratio: float | None
    factors: tuple[Factor, ...]
    settled: bool
    sentence: str


class Comparison(CompareView):
    """Everything that the page, a saved page or another program needs. ``reference`` is the lane that texts are held against."""

    prompt: list[str]
    prompt_tokens: int
    reference: int
    lanes: tuple[Lane, ...]
    why: Why
