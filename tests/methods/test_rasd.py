"""RASD: a worked example (arXiv 2503.03434), pruning reasons, budgets, provenance, either model drafter."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import id_store, tiny_head, tiny_model

from app.panels.fusion import fusion_view
from respec_core.engine.clock import PhaseClock
from respec_core.engine.decoding import Request
from respec_core.engine.drafting import Context, Draft, Drafter
from respec_core.engine.first_step import FirstStep
from respec_core.engine.pieces import Pieces
from respec_core.engine.sampling import Sampler
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.rasd.drafter import RASDDrafter
from respec_core.methods.rasd.settings import RASDSettings
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations
from respec_core.retrieval.retriever import Retriever
from respec_core.settings.run_config import SamplingSettings

A, B, C, D, E, X, Y, Z, W = range(1, 10)
Q, R = 11, 12  # the context's last two tokens


class Scripted(Drafter):
    """Always the same draft: paths of (token, path score) below the root, and first-step probabilities."""

    def __init__(self, paths, first: dict[int, float]) -> None:
        self.tree = DraftTree.root(R)
        for path in paths:
            tokens, scores = zip(*path, strict=True)
            self.tree = self.tree.merge(DraftTree.chain(R, tokens, "model", scores=scores))
        p = torch.full((16,), 1e-6)
        for token, value in first.items():
            p[token] = value
        self.first = FirstStep(p.log())

    def propose(self, context: Context) -> Draft:
        return Draft(self.tree, first=self.first, reason="scripted")


def propose(drafter: Drafter, *documents, **settings) -> Draft:
    rasd = RASDDrafter(RASDSettings(**settings), drafter, Retriever(id_store(*documents, vocabulary=16)))
    rasd.begin((Q, R))
    context = Context((Q, R), 2, 20, (), Sampler(SamplingSettings()), PhaseClock(), Pieces(None))
    return rasd.propose(context)


def paths(tree: DraftTree) -> dict[tuple[int, ...], frozenset[str]]:
    return {tuple(tree.tokens[i] for i in tree.path(n)): tree.sources[n] for n in range(1, len(tree))}


EXAMPLE = Scripted(
    [[(A, 0.6), (B, 0.4), (C, 0.2)], [(A, 0.6), (D, 0.1)]],
    {A: 0.6, E: 0.3, Z: 0.05},
)


def test_the_worked_example():
    draft = propose(EXAMPLE, [Q, R, A, B, X, Y], [Q, R, Z, W], prune_top_k=2)
    model, static = frozenset(["model"]), frozenset(["static"])
    assert paths(draft.tree) == {
        (A,): model | static,
        (A, B): model | static,
        (A, B, C): model,
        (A, B, X): static,
        (A, B, X, Y): static,
        (A, D): model,
    }
    trie, pruned = draft.parts["retrieval"].tree, draft.parts["retrieval"].pruned
    assert {trie.tokens[n]: why for n, why in pruned.items()} == {Z: "topk_first", W: "topk_first"}
    by_first = {hit.cont_ids[0]: (hit.status, hit.why) for hit in draft.hits}
    assert by_first[Z] == ("drafter_pruned", "first token rank 3 > 2")
    assert by_first[A][0] == "kept"


def test_a_retrieved_node_scores_the_first_token_times_count_shares():
    draft = propose(EXAMPLE, [Q, R, A, X, Y], [Q, R, A, X, Z], [Q, R, A, Z])
    trie = draft.parts["retrieval"].tree
    score = {tuple(trie.tokens[i] for i in trie.path(n)): trie.scores[n] for n in range(1, len(trie))}
    assert score[A,] == pytest.approx(0.6)
    assert score[A, X] == pytest.approx(0.6 * 2 / 3)
    assert score[A, X, Y] == pytest.approx(0.6 * 2 / 3 / 2)
    assert score[A, Z] == pytest.approx(0.6 / 3)


def test_both_budgets_hold():
    documents = [[Q, R, A, *range(3 + i, 8)] for i in range(4)]
    few = propose(EXAMPLE, *documents, max_retrieval_nodes=3)
    assert sum("static" in sources for sources in few.tree.sources) == 3
    assert set(few.parts["retrieval"].pruned.values()) == {"budget"}
    small = propose(EXAMPLE, *documents, max_nodes=4)
    assert small.size == 4


def test_a_first_token_the_drafter_cannot_say_is_named():
    drafter = Scripted([[(A, 0.6)]], {})
    drafter.first = FirstStep(torch.tensor([0.6, 0.4]).log(), torch.tensor([A, E]))
    draft = propose(drafter, [Q, R, Z, W], [Q, R, A, C])
    assert {hit.cont_ids[0]: hit.status for hit in draft.hits} == {Z: "drafter_pruned", A: "kept"}
    assert any("vocabulary" in hit.why for hit in draft.hits)


TARGET = tiny_model(seed=1)
HEAD, SMALL = tiny_head(TARGET), tiny_model(seed=2, layers=1)
PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)


def run(models: Models, method: str = "rasd", **values):
    return complete(
        Request(find_method(method).configure({"budget": "own", "max_new_tokens": 40} | values), PROMPT), models
    )


@pytest.mark.parametrize("models", [Models(TARGET, HEAD), Models(TARGET, DraftModel(SMALL))], ids=["head", "draft"])
def test_with_either_drafter_the_trace_shows_all_three_trees(models):
    done = run(models, prune_top_k=90, min_match=1)
    assert violations(done) == []
    assert done.output_ids == run(models, "vanilla").output_ids
    fused = [step for step in done.steps if step.decision.chosen == "fused"]
    assert fused
    step = fused[0]
    nameless = step.trees.drafter[1].model_copy(update={"kept": False, "pruned_by": None})
    parts = step.trees.model_copy(update={"drafter": (step.trees.drafter[0], nameless)})
    broken = done.model_copy(update={"steps": (step.model_copy(update={"trees": parts}),)})
    assert any("pruned without a reason" in problem for problem in violations(broken))
    parent, child = next((step.trees.drafter[n.parent], n) for n in step.trees.drafter if n.kept and n.depth > 1)
    dropped = [
        n.model_copy(update={"kept": False, "pruned_by": "rerank"} if n is parent else {}) for n in step.trees.drafter
    ]
    parts = step.trees.model_copy(update={"drafter": tuple(dropped)})
    broken = done.model_copy(update={"steps": (step.model_copy(update={"trees": parts}),)})
    assert any(f"node {child.id} of the drafter tree outlived" in problem for problem in violations(broken))
    for step in fused:
        assert step.trees.drafter and step.trees.retrieval
        assert len(step.trees.final) - 1 <= 60
        kept = {tuple(path(step.trees.final, n.id)) for n in step.trees.final}
        for tree in (step.trees.drafter, step.trees.retrieval):
            for node in tree:
                assert node.kept == (tuple(path(tree, node.id)) in kept) or node.pruned_by == "rerank"
                assert node.kept == (node.pruned_by is None)
    assert any(hit.accepted for step in fused for hit in step.retrieval)


@pytest.mark.parametrize("drafter", ["eagle2", "draft-model"])
@pytest.mark.parametrize("retrieval", ["pld", "rest"])
def test_each_drafter_with_each_retrieval_of_the_paper(drafter, retrieval, tiny_models):
    done = run(tiny_models, drafter=drafter, retrieval=retrieval, prune_top_k=20, min_match=1)
    assert violations(done) == []
    assert done.output_ids == run(tiny_models, "vanilla").output_ids
    hits = [hit for step in done.steps for hit in step.retrieval]
    own = {"prompt", "generated"}
    assert {hit.corpus in own for hit in hits} == {retrieval == "pld"}
    longest = max(hit.match_len for hit in hits)
    assert longest == 3 if retrieval == "pld" else 3 < longest <= 16
    assert {hit.status for hit in hits} >= {"kept", "drafter_pruned"}
    views = [fusion_view(step) for step in done.steps if step.decision.chosen == "fused"]
    assert any("first tokens in the drafter's guess" in view["sentence"] for view in views)
    step = next(step for step in done.steps if step.retrieval)
    forged = step.retrieval[0].model_copy(update={"corpus": "static" if retrieval == "pld" else "prompt"})
    wrong = step.model_copy(update={"retrieval": (forged, *step.retrieval[1:])})
    steps = tuple(wrong if one is step else one for one in done.steps)
    assert any("does not look" in problem for problem in violations(done.model_copy(update={"steps": steps})))


@given(st.lists(st.integers(0, 2), min_size=1, max_size=30), st.integers(1, 4), st.integers(0, 5))
def test_prompt_lookup_s_places_are_all_with_enough_behind_them(text, longest, length):
    retriever = Retriever()
    retriever.read(text)
    due = []
    for n in range(longest, 0, -1):
        places = [i for i in range(n, len(text)) if text[i - n : i] == text[-n:] and i + length <= len(text)]
        if places and not due:
            due = [(n, place, tuple(text[place : place + length]), len(places)) for place in reversed(places)]
    found = retriever.grams(longest, length, 99)
    assert [(one.match_len, one.position, one.continuation, one.count) for one in found] == due


def test_rest_s_retrieval_needs_a_datastore():
    with pytest.raises(ReSpecError, match="rasd with retrieval=rest needs a datastore"):
        run(Models(TARGET, HEAD), retrieval="rest")


def path(nodes, node: int) -> list[int]:
    tokens = []
    while node > 0:
        tokens.append(nodes[node].token)
        node = nodes[node].parent
    return tokens[::-1]


def test_strict_pruning_leaves_the_model_alone():
    done = run(Models(TARGET, HEAD), prune_top_k=1, min_match=1)
    pruned = [node for step in done.steps for node in step.trees.retrieval or () if node.pruned_by == "topk_first"]
    assert pruned
    assert {"drafter_pruned"} <= {hit.status for step in done.steps for hit in step.retrieval}


def test_it_needs_a_model_drafter():
    with pytest.raises(ReSpecError, match=r"--head .* or --draft-model"):
        run(Models(TARGET))
    with pytest.raises(ReSpecError, match="--head"):
        run(Models(TARGET, DraftModel(SMALL)), drafter="eagle2")
