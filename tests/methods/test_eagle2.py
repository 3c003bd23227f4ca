"""EAGLE-2: expand and rerank against a direct recomputation, true features, budgets, refusals (arXiv 2406.16858)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from tiny import VOCAB, StubModel, one_hot, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.engine.first_step import FirstStep
from respec_core.engine.sizing import Worth
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.eagle.drafter import LEVELS_TIMED, Eagle2Drafter
from respec_core.methods.eagle.feature_grower import grow
from respec_core.methods.eagle.loading import load_head
from respec_core.methods.eagle.session import EagleSession
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete, decode
from respec_core.methods.traces import violations

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)
TARGET = tiny_model(seed=1)
HEAD = tiny_head(TARGET)
MODELS = Models(TARGET, HEAD)


def run(method: str = "eagle2", models: Models = MODELS, prompt: tuple[int, ...] = PROMPT, **values):
    values = {"budget": "own", "max_new_tokens": 24} | values
    return complete(Request(find_method(method).configure(values), prompt), models)


def read(ids) -> EagleSession:
    """A fresh session over the target's features of all of ``ids`` but the root's."""
    session = TARGET.session(256, HEAD.config.feature_layers)
    parts = [hidden for _, hidden in session.prefill(ids[:-1])]
    features = torch.cat([torch.cat([p[layer] for layer in HEAD.config.feature_layers], -1) for p in parts])
    fresh = EagleSession(HEAD, 8)
    fresh.extend(features, ids[1:])
    return fresh


def chain_log_p(ids, path) -> torch.Tensor:
    """The head's log-probabilities over the target's vocabulary behind ``path``, drafted as one chain."""
    session = read(ids)
    state, row = session.state[None], -1
    for token in path:
        state = session.step([row], [token])
        row += 1
    whole = torch.full((VOCAB,), -math.inf)
    whole[HEAD.draft_to_target] = session.log_p(state)[0]
    return whole


def test_expand_and_rerank_against_a_direct_recomputation():
    top_k, levels, total = 3, 4, 12
    values: dict[tuple[int, ...], float] = {}
    frontier: list[tuple[int, ...]] = [()]
    for _ in range(levels):
        level = {}
        for path in frontier:
            best = chain_log_p(PROMPT, path).topk(top_k)
            for log_p, token in zip(best.values.tolist(), best.indices.tolist(), strict=True):
                level[*path, token] = values.get(path, 0.0) + log_p
        values |= level
        frontier = sorted(level, key=lambda p: -level[p])[:top_k]
    expected = sorted(values, key=lambda p: (-values[p], len(p)))[: total - 1]
    step = run(total_tokens=total, depth=levels - 1, top_k=top_k).steps[0]
    for nodes, paths in ((step.trees.final, expected), (step.trees.drafter, values)):
        found = {}
        for node in nodes[1:]:
            above = found[node.parent][0] if node.parent else ()
            found[node.id] = ((*above, node.token), node.path_score)
        assert {path for path, _ in found.values()} == set(paths)
        for path, score in found.values():
            assert score == pytest.approx(math.exp(values[path]), rel=1e-4)
    pruned = [node for node in step.trees.drafter if not node.kept]
    assert len(pruned) == len(values) - len(expected)
    assert {node.pruned_by for node in pruned} == {"rerank"}


def test_the_head_stands_on_true_features_after_every_round():
    drafters: list[Eagle2Drafter] = []
    method = find_method("eagle2")
    request = Request(method.configure({"budget": "own", "max_new_tokens": 30, "total_tokens": 20}), PROMPT)
    original = Eagle2Drafter.propose

    def watched(self, context):
        draft = original(self, context)
        if context.room < 1:  # the last token: nothing is drafted, nothing read
            return draft
        fresh = read(context.ids)
        session = self.grower.session
        assert session.length == len(context.ids) - 1
        torch.testing.assert_close(session.state, fresh.state, rtol=1e-3, atol=1e-4)
        drafters.append(self)
        return draft

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Eagle2Drafter, "propose", watched)
        for _ in decode(request, MODELS):
            pass
    assert len(drafters) > 3


@pytest.mark.parametrize("method", ["respec-strict", "sam"])
def test_it_catches_up_after_rounds_in_which_another_drafted(method):
    gate = {"switch": "gate", "when_triggered": "retrieval", "min_match": 1, "theta_entropy": 3.0}
    values = {"auxiliary": "eagle2", "len_threshold": 2} if method == "sam" else gate
    done = run(method, prompt=PROMPT * 3, **values)
    assert {"retrieval", "model"} <= {step.decision.chosen for step in done.steps}
    assert any("EAGLE head" in step.decision.reason for step in done.steps)
    assert done.output_ids == run("vanilla", prompt=PROMPT * 3).output_ids
    assert violations(done) == []


@pytest.mark.parametrize("total", [2, 5, 31])
def test_the_budget_counts_the_root(total):
    done = run(total_tokens=total)
    assert max(len(step.trees.final) for step in done.steps) == total


def test_a_longer_text_than_the_first_cache():
    prompt = tuple(i * 7 % VOCAB for i in range(300))
    session = EagleSession(HEAD, 8)
    features = torch.randn(600, 2 * 64)
    whole = session.extend(features, [1] * 600)
    parts = EagleSession(HEAD, 1000)
    halves = [parts.extend(features[:300], [1] * 300), parts.extend(features[300:], [1] * 300)]
    torch.testing.assert_close(whole, torch.cat(halves), rtol=1e-4, atol=1e-5)
    assert run(prompt=prompt).output_ids == run("vanilla", prompt=prompt).output_ids


def test_without_any_feature_it_abstains_once():
    done = run(prompt=(3,))
    assert [len(step.trees.final) > 1 for step in done.steps[:2]] == [False, True]
    assert "has not seen a feature" in done.steps[0].decision.reason


def test_growth_stops_where_a_level_does_not_pay():
    session = read(PROMPT)
    asked: list[float] = []

    def choose(frontier) -> range:
        asked.append(sum(frontier))
        return range(len(frontier) if len(asked) < 3 else 0)

    tree, _ = grow(session, PROMPT[-1], 4, 6, choose)
    assert max(tree.depths) == 3
    assert len(asked) == 3


def test_what_is_not_promising_gets_no_children_and_the_rest_is_as_it_was():
    whole, _ = grow(read(PROMPT), PROMPT[-1], 4, 4, lambda frontier: range(len(frontier)))
    least = sum(sorted(whole.scores)[-7:-5]) / 2  # between two: with other rows a score may differ in its last bits
    part, _ = grow(read(PROMPT), PROMPT[-1], 4, 4, lambda frontier: [i for i, p in enumerate(frontier) if p > least])
    grown = {i for i in range(len(whole)) if whole.children[i] and (whole.depths[i] == 0 or whole.scores[i] > least)}
    expected = whole.keep(i for i in range(1, len(whole)) if whole.parents[i] in grown)
    assert 1 < len(part) < len(whole)
    assert (part.tokens, part.parents) == (expected.tokens, expected.parents)
    assert part.scores == pytest.approx(expected.scores, rel=1e-4)
    worth = Worth(rate=0.1, node_ms=1.0, trust=0.5)  # half a path's probability must be above 0.1
    assert worth.promising([0.9, 0.19, 0.21, 0.0]) == [0, 2]


def test_a_level_pays_by_what_its_milliseconds_could_yield_otherwise():
    # seven tenths of a node's chance must be above 0.1, and all beyond that above the 0.2 of 2 ms
    worth = Worth(rate=0.1, node_ms=1.0, trust=1.0)
    assert worth.level_pays([0.5, 0.1], 2.0)
    assert worth.level_pays([0.4, 0.4], 2.0)
    assert not worth.level_pays([0.4, 0.1], 2.0)
    assert not replace(worth, trust=0.5).level_pays([0.7, 0.1], 2.0)


def test_ranks_and_probabilities_of_the_first_step():
    first = FirstStep(torch.tensor([0.1, 0.6, 0.3]).log(), torch.tensor([4, 7, 9]))
    assert [first.rank(t) for t in (7, 9, 4, 5, 10)] == [1, 2, 3, None, None]
    assert first.p(9) == pytest.approx(0.3)
    assert first.p(8) == 0.0
    plain = FirstStep(torch.tensor([0.1, 0.6, 0.3]).log())
    assert (plain.rank(1), plain.rank(3)) == (1, None)


def test_a_head_for_another_target_is_refused(tmp_path):
    other = tiny_model(seed=1, width=32)
    with pytest.raises(ReSpecError, match="made for a target of width 64"):
        Models(other, HEAD)
    with pytest.raises(ReSpecError, match="96 tokens"):
        Models(tiny_model(vocab=90), HEAD)
    HEAD.save(tmp_path)
    with pytest.raises(ReSpecError, match="width"):
        load_head(other, tmp_path)
    with pytest.raises(ReSpecError, match="EAGLE"):
        load_head(other, tmp_path / "nothing")


def test_a_saved_head_is_found_and_drafts_the_same(tmp_path):
    assert load_head(TARGET) is None
    HEAD.save(tmp_path)
    again = run(models=Models(TARGET, load_head(TARGET, tmp_path)))
    assert again.output_ids == run().output_ids
    with pytest.raises(ReSpecError, match="--head"):
        run(models=Models(StubModel(lambda ids: one_hot(1))))


def test_places_of_another_tree():
    whole = DraftTree.chain(0, [1, 2, 3], "model").merge(DraftTree.chain(0, [1, 5], "model"))
    other = DraftTree.chain(0, [1, 5, 3], "dynamic")
    assert whole.places_of(other) == [0, 1, 4, None]


def test_levels_are_grown_unasked_until_their_cost_is_known():
    """One slow first level must not keep a run from ever drafting deep again."""
    drafter = Eagle2Drafter(find_method("eagle2").settings(), HEAD)
    hopeless = Worth(rate=1e9, node_ms=0.0, trust=1.0)
    answers = []
    for _ in range(LEVELS_TIMED):
        choose = drafter._choice(hopeless)
        answers.append([bool(choose([1.0])), bool(choose([1.0]))])
    assert answers[0] == [True, True]
    assert answers[-1] == [True, False]
    assert drafter._choice(None)([0.0])


@pytest.mark.parametrize("depth", [0, 1, 5])
def test_depth_counts_passes_behind_the_first_as_the_authors_do(depth, monkeypatch):
    """The root's children come from the state behind the committed text; ``depth`` passes grow a level each."""
    passes = []
    step = EagleSession.step
    monkeypatch.setattr(EagleSession, "step", lambda self, *rows: passes.append(0) or step(self, *rows))
    first = run(total_tokens=128, depth=depth, top_k=2).steps[0]
    grown = max(node.depth for node in first.trees.drafter)
    assert (grown, f"{depth + 1} levels" in first.decision.reason) == (depth + 1, True)
    passes.clear()
    run(total_tokens=128, depth=depth, top_k=2, max_new_tokens=depth + 2, ignore_eos=True)
    assert len(passes) >= depth


@pytest.mark.parametrize(
    ("method", "values"),
    [
        ("eagle2", {"depth": 2}),
        ("sam", {"auxiliary": "eagle2"}),
        ("rasd", {"tree_depth": 2}),
        ("respec-strict", {"fallback_depth": 2, "theta_entropy": 0.0}),
    ],
)
def test_depth_means_the_same_wherever_it_appears(method, values):
    first = run(method, max_new_tokens=16, **values).steps[0]
    levels = 6 if method == "sam" else 3
    assert f"{levels} levels of the EAGLE head" in first.decision.reason
