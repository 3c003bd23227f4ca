"""SAM-Decoding's switch, REST's trie, Token Recycling's matrix (arXiv 2411.10666, 2311.08252, 2408.08696)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import StubModel, id_store, one_hot

from respec_core.engine.decoding import Request
from respec_core.engine.drafting import Round
from respec_core.engine.tree import DraftTree
from respec_core.methods.recycling.drafter import RecyclingDrafter, template
from respec_core.methods.recycling.settings import LEVELS, scaled
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.rest.drafter import count_trie
from respec_core.methods.running import complete
from respec_core.methods.sam.settings import EMBEDDED_RECYCLING
from respec_core.trace.round import Decision, Match


def next_number(ids) -> list[float]:
    return one_hot((ids[-1] + 1) % 16)


def run(method: str, prompt: tuple[int, ...], store=None, **values):
    models = Models(StubModel(next_number), *filter(None, [store]))
    return complete(
        Request(find_method(method).configure({"budget": "own", "max_new_tokens": 12, **values}), prompt), models
    )


@pytest.mark.parametrize(
    ("dyn", "static", "source"),
    [(4, 11, "static"), (6, 11, "dynamic"), (4, 9, None)],  # threshold 5 and bias 5
)
def test_sam_rule_examples(dyn, static, source):
    tail = tuple(range(static))
    own = (14, *tail[-dyn:], 13)  # the last dyn tokens of the prompt stood here, behind another token
    store = id_store([15, *tail, 12], vocabulary=16)
    first = run("sam", (*own, *tail), store).steps[0]
    assert first.decision.match == Match(dyn=dyn, static=static, bias=5, threshold=5)
    sources = {s for node in first.trees.final for s in node.sources}
    assert sources == ({source} if source else set())
    assert first.decision.triggered == (source is not None)


def test_sam_asks_its_auxiliary_below_the_threshold():
    done = run("sam", (1, 2, 3, 1), auxiliary="recycling")
    first = done.steps[0].decision
    assert isinstance(first, Decision)
    assert (first.chosen, first.triggered) == ("model", False)
    assert "below the threshold" in first.reason


@given(st.lists(st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=1, max_size=30), st.integers(1, 12))
def test_rest_keeps_the_most_frequent_prefixes(rows, choices):
    ended = [row[: row.index(-1)] + [-1] * (4 - row.index(-1)) if -1 in row else row for row in rows]
    tree = count_trie(9, np.array(ended, dtype=np.int32), choices)
    counts = Counter(tuple(r[:d]) for r in ended for d in range(1, 5) if -1 not in r[:d])
    kept = {tuple(tree.tokens[i] for i in tree.path(n)): tree.scores[n] for n in range(1, len(tree))}
    assert len(kept) == len(tree) - 1 == min(choices, len(counts))
    assert all(counts[prefix] / len(rows) == pytest.approx(score) for prefix, score in kept.items())
    lowest = min((counts[prefix] for prefix in kept), default=0)
    assert all(prefix in kept for prefix, count in counts.items() if count > lowest)


def test_rest_drafts_from_the_datastore_and_says_where():
    store = id_store([1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 9, 9, 9, 9], vocabulary=16)
    first = run("rest", (8, 1, 2), store).steps[0]
    assert {tuple(n.sources) for n in first.trees.final[1:]} == {("datastore",)}
    assert {hit.doc.split(",")[0] for hit in first.retrieval} == {"doc0.txt", "doc1.txt"}
    assert first.commit.emitted_ids[:3] == (3, 4, 5)
    by_doc = {hit.doc.split(",")[0]: (hit.proposed, hit.accepted) for hit in first.retrieval}
    assert by_doc == {"doc0.txt": (5, 5), "doc1.txt": (5, 1)}


def test_rest_without_a_match_is_a_plain_step():
    first = run("rest", (8, 8), id_store([1, 2, 3], vocabulary=16)).steps[0]
    assert len(first.trees.final) == 1
    assert "do not occur" in first.decision.reason


@pytest.mark.parametrize("nodes", [1, 7, 24, 80])
def test_recycling_tree_has_the_level_sizes(nodes):
    shape = template(scaled(nodes))
    depth = [0]
    for parent, _, _ in shape:
        depth.append(depth[parent] + 1)
    assert len(shape) <= nodes
    if nodes == 80:
        assert tuple(Counter(depth[1:]).values()) == LEVELS
    ranks = [(parent, rank) for parent, rank, _ in shape]
    assert len(set(ranks)) == len(ranks)


def test_recycling_remembers_the_newest_top_successors():
    drafter = RecyclingDrafter(vocab_size=16)
    drafter.begin([1, 2, 1, 3])
    assert drafter.successors.matrix[1, :2].tolist() == [3, 2]
    logits = torch.zeros(2, 16)
    logits[0, 5], logits[0, 6] = 9, 8
    tree = DraftTree.chain(3, [5], "recycle")
    drafter.observe(Round(tree, (1,), (5, 0), logits, {}, (), [1, 2, 1, 3, 5, 0]))
    assert drafter.successors.matrix[3, :2].tolist() == [5, 6]


def test_recycling_learns_a_cycle():
    done = run("recycling", (1, 2), max_new_tokens=64)
    assert done.summary.mat > 2


@pytest.mark.parametrize(("occurrence", "copied"), [("newest", 3), ("first", 1)])
def test_sam_copies_behind_the_occurrence_asked_for(occurrence, copied):
    """7 8 9 stood twice, with 1 behind it and then 3."""
    prompt = (7, 8, 9, 1, 2, 7, 8, 9, 3, 4, 7, 8, 9)
    first = run("sam", (*prompt, 5), len_threshold=1, n_predicts=2)  # reads a 5 that nothing matches
    assert len(first.steps[0].trees.final) == 1
    models = Models(StubModel(lambda ids: one_hot(9 if ids[-1] == 8 else 8)))
    values = {"budget": "own", "len_threshold": 2, "n_predicts": 3, "occurrence": occurrence, "max_new_tokens": 4}
    step = complete(Request(find_method("sam").configure(values), prompt), models).steps[0]
    assert step.trees.final[1].token == copied
    assert (step.retrieval[0].match_len, step.retrieval[0].count) == (3, 2)


def test_a_static_match_may_be_longer_than_any_round_number():
    tail = [(i * i) % 13 for i in range(150)]
    first = run("sam", (14, *tail), id_store([15, *tail, 12], vocabulary=16)).steps[0]
    assert first.decision.match.static == 150


def test_sams_recycling_has_the_authors_level_sizes():
    assert template(EMBEDDED_RECYCLING)[-1][0] >= 0
    assert scaled(60, EMBEDDED_RECYCLING) == EMBEDDED_RECYCLING
    assert sum(scaled(31, EMBEDDED_RECYCLING)) <= 31
