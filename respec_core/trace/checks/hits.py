"""Retrieval hits stand where they say, read what the text reads there, and are credited with what the tree took of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import Hit, Node

SNIPPET = 12  # tokens of a match that a hit shows
OWN_TEXT = frozenset({"prompt", "generated"})
LOADED = {"tool_memory": "tools"}  # what a hit's corpus comes from, in the trace's models; else a datastore


def hit_problems(reading: Reading) -> Iterator[str]:
    """Hits that text, tree or counts contradict."""
    for round in reading.rounds:
        hits = round.step.retrieval
        problems = [*_shared(reading, hits)]
        if [hit.id for hit in hits] != list(range(len(hits))):
            problems.append("hits are not numbered 0, 1, 2 …")
        for hit in hits:
            own = hit.corpus in OWN_TEXT
            found = (*_matched(reading, round, hit), *(_own_text(reading, round, hit) if own else ()))
            problems += (f"hit {hit.id} {problem}" for problem in (*found, *_credit(round, hit)))
        problems += _followed(round)
        copied = round.step.trees.retrieval or round.nodes
        problems += (
            f"node {node.id} has another path score than its matches give"
            for node in copied[1:]
            if not _scored(reading, round, node)
        )
        yield from (f"{round.where}: {problem}" for problem in problems)


def _matched(reading: Reading, round: RoundReading, hit: Hit) -> Iterator[str]:
    end, shown = round.step.ctx_len, min(hit.match_len, SNIPPET)
    if not (0 if hit.resumed else 1) <= hit.match_len <= end:
        yield f"matches {hit.match_len} tokens of a context of {end}"
    elif hit.snippet_ids != reading.ids[end - shown : end]:
        yield "shows a match that is not the context's end"
    if not hit.cont_ids:
        yield "continues with nothing"
    if hit.corpus != "datastore" and hit.count is not None and hit.count < 1:
        yield "was found nowhere"


def _own_text(reading: Reading, round: RoundReading, hit: Hit) -> Iterator[str]:
    ids, context, end = reading.ids, round.step.ctx_len, hit.end_pos
    if not hit.match_len <= end < context:
        yield f"ends at {end}, outside the text before the context's end"
        return
    if hit.corpus != ("prompt" if end <= len(reading.run.prompt_ids) else "generated"):
        yield f"ends at {end}, which is not in {hit.corpus}"
    if hit.doc is not None:
        yield "names a document although it is the run's own text"
    if ids[end - hit.match_len : end] != ids[context - hit.match_len : context]:
        yield f"does not match {hit.match_len} tokens at {end}"
    start = end - hit.match_len
    longer = start > 0 and ids[start - 1] == ids[context - hit.match_len - 1]
    if longer and hit.match_len != reading.traits.ngram(reading.params):
        yield f"matches more than {hit.match_len} tokens at {end}"
    if hit.cont_ids != ids[end : min(end + len(hit.cont_ids), context)]:
        yield f"does not continue as the text at {end} does"
    limit = _longest(reading, round)
    if limit is not None and len(hit.cont_ids) != min(limit, context - end):
        yield f"continues for {len(hit.cont_ids)} tokens, should be {min(limit, context - end)}"


def _longest(reading: Reading, round: RoundReading) -> int | None:
    """Tokens that the method reads behind a match of the run's own text."""
    reads = reading.traits.reads(reading.params)
    if reads is None or not reading.traits.within_room:
        return reads
    return min(reads, max(reading.room(round.step), 0)) if reading.run.finish_reason == "length" else None


def _shared(reading: Reading, hits: tuple[Hit, ...]) -> Iterator[str]:
    """No place twice; one search has one match length a corpus, and every match length one number of places."""
    for own in (True, False):
        group = [hit for hit in hits if (hit.corpus in OWN_TEXT) == own]
        one = not reading.traits.levels(reading.config.params)
        if one and (len({hit.match_len for hit in group}) > 1 or len({hit.count for hit in group}) > 1):
            yield "hits of one search differ in match length or count"
        if len({hit.end_pos for hit in group}) < len(group):
            yield "a place was found twice"
        for length in {hit.match_len for hit in group if hit.count is not None}:
            counts = [hit.count for hit in group if hit.match_len == length and hit.count is not None]
            if max(counts) != min(counts) or min(counts) < len(counts):
                yield f"{len(counts)} hits of {length} tokens with counts of {min(counts)} to {max(counts)}"
    for hit in hits:
        loaded = LOADED.get(hit.corpus, "datastore")
        if hit.corpus not in OWN_TEXT and loaded not in reading.run.models:
            yield f"hit {hit.id} is from {loaded} although none was loaded"


def _credit(round: RoundReading, hit: Hit) -> Iterator[str]:
    proposed = sum(hit.id in node.hit_ids for node in round.nodes)
    accepted = sum(hit.id in node.hit_ids for node in round.path)
    if (hit.proposed, hit.accepted) != (proposed, accepted):
        yield f"counts {hit.accepted} of {hit.proposed} tokens accepted, the tree {accepted} of {proposed}"
    if proposed and hit.status != "kept":
        yield f"is {hit.status} but was verified"
    if hit.status == "drafter_pruned" and hit.accepted:
        yield f"was pruned by the drafter, yet {hit.accepted} of its tokens were accepted"


def _followed(round: RoundReading) -> Iterator[str]:
    """A node lists a hit exactly where its path reads the hit's continuation and its parent lists it too."""
    hits = {hit.id: hit for hit in round.step.retrieval}
    for name, nodes in (("", round.nodes), ("retrieval ", round.step.trees.retrieval or ())):
        for node in nodes[1:]:
            if len(set(node.hit_ids)) < len(node.hit_ids) or not set(node.hit_ids) <= hits.keys():
                yield f"{name}node {node.id} names a hit twice, or one that is not there"
                continue
            for i in node.hit_ids:
                if not _reads(nodes, node, hits[i]):
                    yield f"{name}node {node.id} is not on the continuation of hit {i}"


def _scored(reading: Reading, round: RoundReading, node: Node) -> bool:
    """Whether a copied node has the score of its best match."""
    score = reading.traits.score
    if score is None or not node.sources or not {"dynamic", "static"}.issuperset(node.sources):
        return True
    lengths = [hit.match_len for hit in round.step.retrieval if hit.id in node.hit_ids]
    expected = max((score(length, node.depth) for length in lengths if length > 0), default=0.0)
    return node.path_score is None or math.isclose(node.path_score, expected, rel_tol=1e-9)


def _reads(nodes: tuple[Node, ...], node: Node, hit: Hit) -> bool:
    """Whether ``node`` stands on the hit's continuation, below a node that does."""
    at = node.depth - 1
    if not 0 <= at < len(hit.cont_ids) or hit.cont_ids[at] != node.token:
        return False
    return node.parent == 0 or hit.id in nodes[node.parent].hit_ids
