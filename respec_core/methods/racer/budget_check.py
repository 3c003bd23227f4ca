"""What must hold of RACER's record: what its text and its last verified rows determine is counted again. Imports no torch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from respec_core.methods.parts.rank_prior import RANK_PRIOR
from respec_core.methods.parts.successors import prompt_rows
from respec_core.methods.racer.automaton import Automaton
from respec_core.methods.racer.ranking import Continued, logits_template
from respec_core.methods.racer.record import RacerBudget
from respec_core.methods.racer.retrieved import Retrieved, retrieved
from respec_core.methods.racer.settings import RacerSettings
from respec_core.trace.checks.fusion import paths
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import Node

TOLERANCE = 1e-6
Rows = dict[int, list[int]]  # the first successors of tokens, where they are known


def budget_problems(reading: Reading) -> Iterator[str]:
    """Borders that the text contradicts, trees that the borders do, and successors that the target's last opinion does."""
    ours = reading.run.method == "racer"
    settings = RacerSettings(**reading.params) if ours else RacerSettings()
    automaton = Automaton(settings.ngram, settings.max_states)
    rows = prompt_rows(reading.run.prompt_ids) if ours else {}
    for round in reading.rounds:
        told = round.step.record(RacerBudget)
        if (told is None) == ours:
            yield f"{round.where}: a shared budget belongs to racer, and to all of its rounds"
        elif told is not None:
            ids = reading.ids[: round.step.ctx_len]
            room = max(reading.room(round.step), 0)
            if told.room > room or (told.room < room and reading.run.finish_reason == "length"):
                yield f"{round.where}: room for {told.room} tokens, where {room} can be committed"
            found = retrieved(automaton, ids, settings, min(told.room, room))
            problems = _contradicted(told, found, automaton, settings, rows, round)
            yield from (f"{round.where}: {problem}" for problem in problems)
            _learn(rows, round)


def _contradicted(
    told: RacerBudget,
    found: Retrieved,
    automaton: Automaton,
    settings: RacerSettings,
    rows: Mapping[int, Sequence[int]],
    round: RoundReading,
) -> Iterator[str]:
    if told.borders != found.borders or told.retrieved != len(found.tokens):
        yield "the borders in the text are others, or go on with something else"
        return
    if (told.states, told.forgotten) != (len(automaton), automaton.forgotten):
        yield f"{told.states} states of which {told.forgotten} are forgotten, the text leaves {len(automaton)} and {automaton.forgotten}"
    copied, guessed = _parts(round, told)
    if told.from_logits > settings.total_nodes - 1 - told.retrieved or (told.from_logits and not settings.max_breadth):
        yield f"{told.retrieved} and {told.from_logits} nodes share {settings.total_nodes - 1}"
    yield from _copied(copied, found.tokens)
    yield from _guessed(guessed, rows, logits_template(settings.total_nodes - 1 - told.retrieved, settings.max_breadth))
    if copied and guessed:
        shared = len(set(paths(copied)) & set(paths(guessed))) - 1
        if (len(copied) - 1, len(guessed) - 1, shared) != (told.retrieved, told.from_logits, told.shared):
            yield f"{told.retrieved} and {told.from_logits} nodes of which {told.shared} are shared, the trees say otherwise"
    elif told.shared or (told.retrieved and told.from_logits):
        yield "a tree is said to be shared, and its parts are missing"
    sizing = round.step.decision.sizing
    if sizing is not None and sizing.proposed != told.retrieved + told.from_logits - told.shared:
        yield f"{sizing.proposed} nodes were proposed, {told.retrieved} + {told.from_logits} − {told.shared} drafted"


def _parts(round: RoundReading, told: RacerBudget) -> tuple[Sequence[Node], Sequence[Node]]:
    """The tree from n-grams and the one from successors; each is empty where there is none."""
    trees = round.step.trees
    if trees.retrieval is not None or trees.drafter is not None:
        return trees.retrieval or (), trees.drafter or ()
    return (round.nodes, ()) if told.retrieved else ((), round.nodes)


def _copied(nodes: Sequence[Node], tokens: Sequence[Continued]) -> Iterator[str]:
    """Nodes that no border leads to, or with another share; a draft's size may have cut some."""
    shares: dict[tuple[int, ...], float] = {(): 1.0}
    texts: list[tuple[int, ...]] = []
    for one in tokens:
        texts.append((*(texts[one.parent] if one.parent >= 0 else ()), one.token))
        shares[texts[-1]] = one.share
    for node, path in zip(nodes, paths(nodes) if nodes else (), strict=True):
        share = shares.get(path)
        if share is None:
            yield f"node {node.id} stands behind no border"
        elif not math.isclose(node.path_score or 0.0, share, abs_tol=TOLERANCE):
            yield f"node {node.id} has the score {node.path_score}, its share of the n-grams is {share:.3f}"


def _guessed(
    nodes: Sequence[Node], rows: Mapping[int, Sequence[int]], template: Sequence[tuple[int, int, float]]
) -> Iterator[str]:
    """Nodes beyond the template, or that are no successors that are known."""
    reach: list[tuple[int, ...]] = [()]
    for parent, rank, _ in template:
        reach.append((*reach[parent], rank))
    within = frozenset(reach)
    at: list[tuple[int, ...]] = [()]
    for node in nodes[1:]:
        above = nodes[node.parent]
        priors = ((above.path_score or 0.0) * prior for prior in RANK_PRIOR)
        rank = next((r for r, p in enumerate(priors) if math.isclose(p, node.path_score or 0.0, rel_tol=1e-6)), -1)
        at.append((*at[node.parent], rank))
        if at[-1] not in within:
            yield f"node {node.id} with the score {node.path_score} has no place in the successors' tree"
        known = rows.get(above.token, ())
        if 0 <= rank < len(known) and known[rank] != node.token:
            yield f"node {node.id} is not successor {rank + 1} of the token above"


def _learn(rows: Rows, round: RoundReading) -> None:
    """Behind accepted tokens the target's opinion is told, behind others it is not; as far as its order is beyond doubt."""
    for node in round.nodes:
        rows.pop(node.token, None)
    for row in round.rows:
        top = row.token.top
        clear = next((i for i, (a, b) in enumerate(pairwise(top), 1) if a.p <= b.p), len(top))
        rows[round.nodes[row.node].token] = [one.token for one in top[: clear - (clear < len(top))]]
