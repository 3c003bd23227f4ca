"""What DiffuSpec (arXiv 2510.02358) adds to a round's record: the searched lattice and the length controller. No torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from respec_core.boundary.limits import (
    MAX_BEAMS,
    MAX_CANDIDATES,
    MAX_PASSES,
    MAX_POSITIONS,
    Count,
    Counts,
    Ids,
    LogProbability,
    TokenId,
)
from respec_core.trace.record import Candidates, Fault, MethodRecord, Record
from respec_core.trace.round import PrunedBy

if TYPE_CHECKING:
    import networkx as nx

LogProbabilities = Annotated[tuple[LogProbability, ...], Field(max_length=MAX_CANDIDATES, fail_fast=True)]


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


class Links(Record):
    """How a position hangs on the one before, by a Markov head.

    ``edges``: log-probabilities of its candidates behind each candidate of the position before; none at the first one.
    ``alone``: of its candidates as the pass itself had them.
    """

    edges: Annotated[tuple[LogProbabilities, ...], Field(max_length=MAX_CANDIDATES, fail_fast=True)]
    alone: LogProbabilities


class Lattice(MethodRecord):
    """What a diffusion model offered and the paths that were searched in it (DiffuSpec, arXiv 2510.02358).

    ``passes`` is empty where one pass filled everything, ``links`` None where positions do not hang on each other.
    """

    k: Count
    positions: Annotated[tuple[LatticePosition, ...], Field(max_length=MAX_POSITIONS, fail_fast=True)]
    beams: Annotated[tuple[Beam, ...], Field(max_length=MAX_BEAMS, fail_fast=True)]
    chosen: Count
    top1_path: Ids
    lambda_dlm: float
    tau: float
    passes: Annotated[tuple[DenoisingPass, ...], Field(max_length=MAX_PASSES, fail_fast=True)] = ()
    links: Annotated[tuple[Links, ...], Field(max_length=MAX_POSITIONS, fail_fast=True)] | None = None

    @property
    def cells(self) -> int:
        """Candidates of all positions and passes."""
        glances = sum(len(cand) for made in self.passes for cand in made.cand)
        return glances + sum(len(position.cand) for position in self.positions)

    def graph(self) -> nx.DiGraph:
        """The lattice for networkx (see ``lattice_graph.py``)."""
        from respec_core.methods.diffuspec.lattice_graph import lattice_graph

        return lattice_graph(self)

    def spelt(self) -> Iterator[tuple[int, str]]:
        """Every candidate."""
        for position in self.positions:
            yield from ((c.token, c.text) for c in position.cand)
        for made in self.passes:
            yield from ((c.token, c.text) for cand in made.cand for c in cand)

    @property
    def ends(self) -> frozenset[int]:
        """Candidates marked as ends."""
        return frozenset(c.token for position in self.positions for c in position.cand if c.is_eos)

    def faults(self) -> Iterator[Fault]:
        """Positions, beams and passes that do not fit together."""
        positions = len(self.positions)
        if not positions:
            yield "positions", "there is none"
        for number, position in enumerate(self.positions):
            if position.i != number:
                yield f"positions.{number}.i", "positions are numbered 0, 1, 2 …"
            if not 1 <= position.M_i <= len(position.cand):
                yield f"positions.{number}.M_i", f"there are {len(position.cand)} candidates"
        if self.chosen >= len(self.beams):
            yield "chosen", f"there are {len(self.beams)} beams"
        for number, beam in enumerate(self.beams):
            if not 1 <= len(beam.tokens) <= positions:
                yield f"beams.{number}.tokens", f"a path has 1 … {positions} tokens"
        if len(self.top1_path) > positions:
            yield "top1_path", f"there are {positions} positions"
        for number, glance in enumerate(self.passes):
            if len(glance.cand) != positions or not all(0 <= i < positions for i in glance.decided):
                yield f"passes.{number}", f"there are {positions} positions"
        yield from self.unlinked()

    def unlinked(self) -> Iterator[Fault]:
        """Links that are not of these positions."""
        if self.links is None:
            return
        if len(self.links) != len(self.positions):
            yield "links", f"there are {len(self.positions)} positions"
            return
        before = 0
        for number, (position, links) in enumerate(zip(self.positions, self.links, strict=False)):
            width = len(position.cand)
            if len(links.edges) != before or any(len(row) != width for row in (*links.edges, links.alone)):
                yield f"links.{number}", f"there are {before} candidates before and {width} here"
            before = width


class ADL(MethodRecord):
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
