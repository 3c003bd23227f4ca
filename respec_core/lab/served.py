"""Acceptance as serving engines report it: vLLM's per-request metrics, and the records that AIPerf exports. Imports no torch.

vLLM (``--per-request-spec-decode-metrics``) puts ``metrics.speculative_decoding`` into its responses; AIPerf writes
``spec_decode_acceptance`` into each line of ``profile_export.jsonl``. Both count the target's own token in their mean
length and leave it out of their histograms; steps in which nothing was drafted are in neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from respec_core.boundary.limits import MAX_DRAFT, MAX_OUTPUT
from respec_core.boundary.untrusted_json import parse_json, place
from respec_core.errors import ReSpecError
from respec_core.trace.schema import PositionAcceptance

MAX_REQUESTS = 20_000
MAX_MB = 16
Tokens = Annotated[int, Field(ge=0, le=MAX_DRAFT)]
Steps = Annotated[int, Field(ge=0, le=MAX_OUTPUT)]
PerStep = Annotated[tuple[Tokens, ...], Field(max_length=MAX_OUTPUT)]
Histogram = (
    Annotated[tuple[Steps, ...], Field(max_length=MAX_DRAFT + 1)]
    | Annotated[dict[Tokens, Steps], Field(max_length=MAX_DRAFT + 1)]
)


class Reported(BaseModel):
    """What one request reports; names are the engines'. A histogram counts steps by accepted drafts: a list, or by number."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    engine: Annotated[str, Field(max_length=64)] = "vllm"
    acceptance_histogram: Histogram = ()
    acceptance_histogram_by_draft_length: Annotated[dict[Tokens, Histogram], Field(max_length=MAX_DRAFT + 1)] | None = (
        None
    )
    num_spec_steps: Steps
    num_accepted_draft_tokens: Annotated[int, Field(ge=0, le=MAX_OUTPUT * MAX_DRAFT)]
    num_draft_tokens: Annotated[int, Field(ge=0, le=MAX_OUTPUT * MAX_DRAFT)]
    num_spec_tokens: Tokens | None = None
    per_step_accepted: PerStep | None = None
    per_step_drafted: PerStep | None = None

    def steps(self) -> Counter[tuple[int | None, int]]:
        """Steps by (drafted, accepted); drafted is None where only sums of it are told.

        Raises:
            ValueError: if its numbers contradict each other.
        """
        found = self._told()
        if any(drafted is not None and accepted > drafted for drafted, accepted in found):
            raise ValueError("a step accepted more than it drafted")
        if sum(found.values()) != self.num_spec_steps:
            raise ValueError(f"it counts {sum(found.values())} steps, but num_spec_steps is {self.num_spec_steps}")
        if (accepted := sum(a * n for (_, a), n in found.items())) != self.num_accepted_draft_tokens:
            raise ValueError(
                f"its steps accept {accepted} drafts, but num_accepted_draft_tokens is {self.num_accepted_draft_tokens}"
            )
        return found

    def _told(self) -> Counter[tuple[int | None, int]]:
        if self.per_step_accepted is not None and self.per_step_drafted is not None:
            if len(self.per_step_accepted) != len(self.per_step_drafted):
                raise ValueError("per_step_accepted and per_step_drafted differ in length")
            return Counter(zip(self.per_step_drafted, self.per_step_accepted, strict=True))
        if self.acceptance_histogram_by_draft_length:
            by_length = self.acceptance_histogram_by_draft_length.items()
            return Counter({(drafted, a): n for drafted, row in by_length for a, n in _counts(row)})
        fixed = self.num_spec_tokens if self.num_spec_tokens and self._always_full else None
        return Counter({(fixed, accepted): n for accepted, n in _counts(self.acceptance_histogram)})

    @property
    def _always_full(self) -> bool:
        """Whether every step drafted ``num_spec_tokens``: nothing else adds up to the drafts that are told."""
        return self.num_draft_tokens == self.num_spec_steps * (self.num_spec_tokens or 0)


def _counts(histogram: Sequence[int] | Mapping[int, int]) -> Iterator[tuple[int, int]]:
    items = histogram.items() if isinstance(histogram, Mapping) else enumerate(histogram)
    return ((accepted, n) for accepted, n in items if n)


@dataclass(frozen=True)
class ServedRequests:
    """Requests together.

    Attributes:
        steps: by (drafted, accepted), each chain's; drafted is None where it is not known.
        means: tokens a step of each request, the target's own included.
        without: requests that report no steps, or nothing.
    """

    engine: str
    requests: int
    without: int
    steps: Counter[tuple[int | None, int]]
    drafted: int
    means: tuple[float, ...]

    @property
    def accepted(self) -> int:
        """Drafts that were."""
        return sum(accepted * n for (_, accepted), n in self.steps.items())

    @property
    def mean(self) -> float:
        """Accepted drafts a step, every step weighing the same, without the target's own token; with it, one more."""
        return self.accepted / sum(self.steps.values())

    @property
    def lengths_known(self) -> bool:
        """Whether it is known of every step how much it drafted."""
        return all(drafted is not None for drafted, _ in self.steps)

    def positions(self) -> list[PositionAcceptance]:
        """By place in the chain, from 1; where lengths are not known, as if every chain had gone on to the longest."""
        longest = max(drafted if drafted is not None else accepted for drafted, accepted in self.steps)
        found = []
        for depth in range(1, longest + 1):
            there = [
                (accepted, n) for (drafted, accepted), n in self.steps.items() if drafted is None or drafted >= depth
            ]
            drafted, judged, accepted = (sum(n for a, n in there if a >= least) for least in (0, depth - 1, depth))
            rate = accepted / judged if judged else None
            found.append(
                PositionAcceptance(
                    depth=depth,
                    drafted=drafted,
                    judged=judged,
                    accepted=accepted,
                    conditional=rate,
                    unconditional=accepted / drafted if drafted else 0.0,
                )
            )
        return found


def served(text: str, where: str = "The file") -> ServedRequests:
    """A response or many: one JSON object, or one a line; ``where`` begins the sentences.

    Raises:
        ReSpecError: for what is no such file, or contradicts itself; names the line.
    """
    if len(text) > MAX_MB * 2**20:
        raise ReSpecError(f"{where} is larger than {MAX_MB} MB.")
    steps, means, engine, without, drafted = Counter[tuple[int | None, int]](), list[float](), "", 0, 0
    for number, data in _objects(text, where):
        found = _reported(data, f"{where}, line {number}")
        if found is None or not found.num_spec_steps:
            without += 1
            continue
        try:
            steps.update(found.steps())
        except ValueError as error:
            raise ReSpecError(f"{where}, line {number} contradicts itself: {error}.") from error
        means.append(1 + found.num_accepted_draft_tokens / found.num_spec_steps)
        engine, drafted = found.engine, drafted + found.num_draft_tokens
    if not means:
        raise ReSpecError(
            f"{where} reports no speculative decoding: vLLM needs --per-request-spec-decode-metrics detailed, AIPerf --export-level records."
        )
    return ServedRequests(engine, len(means), without, steps, drafted, tuple(means))


def _objects(text: str, where: str) -> Iterator[tuple[int, Any]]:
    """One object over all lines, or one a line."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and not lines[0][1].rstrip().endswith("}"):
        lines = [(lines[0][0], text)]
    if len(lines) > MAX_REQUESTS:
        raise ReSpecError(f"{where} has {len(lines)} requests; at most {MAX_REQUESTS} are read.")
    return ((number, parse_json(line, f"{where}, line {number}")) for number, line in lines)


def _reported(data: Any, where: str) -> Reported | None:
    """What a response or a record says of it, None where it says nothing."""
    match data:
        case {"spec_decode_acceptance": Mapping() as told} | {"metrics": {"speculative_decoding": Mapping() as told}}:
            pass
        case {"num_spec_steps": _}:
            told = data
        case _:
            return None
    try:
        return Reported.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ReSpecError(f"{where} is malformed at {place(first['loc'])}: {first['msg'].lower()}.") from error
