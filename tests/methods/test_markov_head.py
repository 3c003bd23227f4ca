"""A block drafter's Markov head: one first-order chain in candidates, edges, drafts and what is claimed of them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import VOCAB, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.block_network import WEIGHTS as BLOCK_WEIGHTS
from respec_core.methods.diffuspec.cps import PathWeighing, best_first, search
from respec_core.methods.diffuspec.lattice import MIXED, SearchLattice
from respec_core.methods.diffuspec.linked_block import LinkedBlock, MarkovTables
from respec_core.methods.diffuspec.loading import load_diffusion
from respec_core.methods.diffuspec.markov_head import WEIGHTS, Cells, MarkovConfig, MarkovHead
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.diffuspec.search_again import proxy_behind, search_again
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace, violations
from respec_core.trace.notes import notes

PROMPT = (5, 6, 7, 8, 9, 10, 11) * 3
TARGET = tiny_model(seed=1)
HEAD = tiny_head(TARGET)
BLOCK = tiny_block(HEAD)
MODELS = Models(TARGET, HEAD, BLOCK)


def run(models: Models = MODELS, method: str = "diffuspec", **values):
    values = {"budget": "own", "max_new_tokens": 24, "markov": True} | values
    return complete(Request(find_method(method).configure(values), PROMPT), models)


def linked_block(k: int = 5, cells: int = 20, seed: int = 0) -> LinkedBlock:
    torch.manual_seed(seed)
    tables = MarkovTables.of(tiny_block(HEAD, cells=cells).markov, HEAD)
    states = torch.randn(k - 1, HEAD.config.hidden_size)
    first = (2 * torch.randn(HEAD.config.draft_vocab)).log_softmax(-1)
    return LinkedBlock(tables, first, first.argmax(), states, HEAD.lm_head(states))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.integers(1, 100), st.integers(1, 70), st.integers(0, 99))
def test_edges_are_the_conditional_probabilities_of_whole_rows(k, cells, width, seed):
    block = linked_block(k, cells, seed)
    filled = block.filled(width)
    assert len(filled.tokens) == len(filled.edges) == k
    assert filled.edges[0].shape == (0, len(filled.tokens[0]))
    before: tuple[int, ...] = ()
    for i, (tokens, edges) in enumerate(zip(filled.tokens, filled.edges, strict=True)):
        assert len(tokens) <= width and len(set(tokens)) == len(tokens)
        for last, row in zip(before, edges, strict=True):
            path = (*(column[0] for column in filled.tokens[: i - 1]), last, tokens[0])
            rows = block.along(path)
            torch.testing.assert_close(rows.exp().sum(-1), torch.ones(i + 1))
            at = torch.searchsorted(HEAD.draft_to_target, torch.tensor(tokens))
            torch.testing.assert_close(rows[i, at], torch.tensor(row), rtol=1e-4, atol=1e-4)
        before = tokens


def test_candidates_are_the_likeliest_of_the_chain_behind_the_best_before():
    block = linked_block()
    filled = block.filled(15)
    vocabulary = HEAD.draft_to_target
    best = filled.tokens[0][:MIXED]
    share = torch.tensor(filled.log_p[0][:MIXED]).softmax(-1)
    truth = sum(p * block.along((token, 0))[1].exp() for p, token in zip(share, best, strict=True))
    cells = set(vocabulary[Cells.of(block.logits[0], 20).entries].tolist())
    order = [t for t in vocabulary[truth.argsort(descending=True)].tolist() if t in cells]
    assert list(filled.tokens[1]) == order[:15]
    assert np.exp(filled.log_p[1][0]) == pytest.approx(float(truth.max()), rel=1e-4)
    assert filled.log_p[1] == tuple(sorted(filled.log_p[1], reverse=True))


def test_a_token_that_the_block_was_given_changes_nothing():
    block = linked_block()
    given = int(HEAD.draft_to_target[block.first.argmax()])
    other = next(t for t in HEAD.draft_to_target.tolist() if t != given)
    plain = block.logits[0].log_softmax(-1)
    torch.testing.assert_close(block.along((given, given))[1], plain)
    assert not torch.allclose(block.along((other, other))[1], plain)


def test_fewer_candidates_and_positions_are_the_beginning_of_more():
    few, many = linked_block(3).filled(2), linked_block(3).filled(30)
    assert [row[:2] for row in many.tokens] == list(few.tokens)
    assert [table[:2, :2].tolist() for table in many.edges] == [table.tolist() for table in few.edges]


def test_the_tree_takes_the_likeliest_paths_of_the_chain():
    filled = linked_block(4).filled(4)
    lattice = SearchLattice.of(filled.tokens, filled.log_p, 1.0, set(), edges=filled.edges, alone=filled.alone)
    weighing = PathWeighing(1.0, None)
    grown = best_first(lattice, weighing, (1,), 40)
    paths: list[tuple[int, ...]] = []
    for node in grown:
        paths.append((*(paths[node.parent] if node.parent >= 0 else ()), node.token))
    ranks = [tuple(column.index(t) for column, t in zip(filled.tokens, path, strict=False)) for path in paths]
    chains = {}
    for path in np.ndindex(4, 4, 4, 4):
        for n in range(1, 5):
            links = sum(filled.edges[i + 1][a][b] for i, (a, b) in enumerate(pairwise(path[:n])))
            chains[path[:n]] = math.exp(filled.log_p[0][path[0]] + links)
    assert [node.value for node in grown] == pytest.approx([chains[path] for path in ranks])
    assert sorted((node.value for node in grown), reverse=True) == pytest.approx(sorted(chains.values())[::-1][:40])
    best = max((path for path in chains if len(path) == 4), key=chains.__getitem__)
    assert search(lattice, weighing, (1,), 256).paths[0].ranks == best


@pytest.mark.parametrize("shape", ["chain", "beams", "tree"])
def test_drafts_carry_what_the_chain_says(shape):
    done = run(shape=shape)
    assert violations(done) == []
    assert done.output_ids == run(markov=False, shape=shape).output_ids
    assert parse_trace(done.to_json()) == done
    lattice, nodes = done.steps[0].record(Lattice), done.steps[0].trees.final
    assert len(lattice.links) == lattice.k
    deep = next(node for node in nodes if node.depth == 2)
    last, rank = (
        [c.token for c in lattice.positions[i].cand].index(token)
        for i, token in enumerate((nodes[deep.parent].token, deep.token))
    )
    assert deep.draft_p == pytest.approx(math.exp(lattice.links[1].edges[last][rank]))


def test_the_paper_ratio_test_reads_the_rows_that_the_path_was_drafted_from():
    done = run(shape="chain", sampling_rule="p/q", temperature=0.8)
    assert violations(done) == []


def test_without_a_head_or_with_more_passes_nothing_is_linked():
    bare = Models(TARGET, HEAD, replace(BLOCK, markov=None))
    assert notes(run(bare)) == ("The drafter has no part for the setting markov: it drafted as with markov=false.",)
    assert notes(run(bare, markov=False)) == notes(run()) == ()
    for done, plain in ((run(bare), run(bare, markov=False)), (run(passes=2), run(passes=2, markov=False))):
        assert [step.trees for step in done.steps] == [step.trees for step in plain.steps]
        lattices = [step.record(Lattice) for step in done.steps]
        assert any(lattices) and not any(lattice.links for lattice in lattices if lattice)


@pytest.mark.parametrize("proxy", ["ngram", "none"])
def test_a_repeated_search_is_the_runs(proxy):
    done = run(proxy=proxy, beam=4)
    step = next(step for step in done.steps[::-1] if step.record(Lattice))
    lattice, at = step.record(Lattice), step.ctx_len
    text = (*PROMPT, *done.output_ids)
    again = search_again(
        lattice, proxy_behind(text[:at], proxy, 3, VOCAB), text[:at], text[at:],
        lambda_dlm=lattice.lambda_dlm, tau=lattice.tau, beam=4,
    )  # fmt: skip
    assert again.lattice == lattice


def test_an_edge_that_is_not_the_chains_is_found():
    data = json.loads(run().to_json())
    linked = next(step["lattice"] for step in data["steps"] if step["lattice"])
    linked["links"][1]["edges"][0] = [x - 1.0 for x in linked["links"][1]["edges"][0]]
    said = " ".join(violations(parse_trace(data)))
    assert "position 1: candidates are not what their edges add up to" in said
    assert "has another probability than its candidate" in said


def test_links_that_do_not_fit_are_named():
    lattice = run().steps[0].record(Lattice)
    cut = lattice.links[1].model_copy(update={"edges": lattice.links[1].edges[:-1]})
    wrong = lattice.model_copy(update={"links": (lattice.links[0], cut, *lattice.links[2:])})
    assert [where for where, _ in wrong.faults()] == ["links.1"]
    assert [where for where, _ in lattice.model_copy(update={"links": lattice.links[:1]}).faults()] == ["links"]


def test_weights_come_back_and_are_optional(tmp_path):
    HEAD.save(tmp_path)
    BLOCK.drafter.save(tmp_path)
    assert load_diffusion(TARGET, HEAD, tmp_path).markov is None
    BLOCK.markov.save(tmp_path)
    loaded = load_diffusion(TARGET, HEAD, tmp_path)
    for ours, theirs in zip(BLOCK.markov.parameters(), loaded.markov.parameters(), strict=True):
        torch.testing.assert_close(theirs, ours, rtol=1e-3, atol=1e-3)
    other = MarkovHead(MarkovConfig(HEAD.config.hidden_size, 3, 4, 2, 8, 1e-6))
    other.save(tmp_path)
    with pytest.raises(ReSpecError, match="a block of another shape"):
        load_diffusion(TARGET, HEAD, tmp_path)
    (tmp_path / WEIGHTS).write_bytes((tmp_path / BLOCK_WEIGHTS).read_bytes()[:100])
    with pytest.raises(ReSpecError, match="could not be read"):
        load_diffusion(TARGET, HEAD, tmp_path)
