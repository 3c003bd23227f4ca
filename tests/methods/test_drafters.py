"""Each drafter's own rules on scripted targets and tiny models."""

from __future__ import annotations

import pytest
import torch
from tiny import StubModel, one_hot, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete


def run(method: str, models: Models, prompt: tuple[int, ...], **values):
    values = {"budget": "own", "max_new_tokens": 16} | values
    return complete(Request(find_method(method).configure(values), prompt), models)


def cycle(ids) -> list[float]:
    return one_hot((ids[-1] + 1) % 8)


STUB = Models(StubModel(cycle))
TWICE = (0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1)


def test_pld_copies_the_earliest_full_continuation():
    first = run("pld", STUB, TWICE, num_pred=4).steps[0]
    (hit,) = first.retrieval
    assert (hit.end_pos, hit.match_len, hit.cont_ids) == (10, 3, (2, 3, 4, 5))
    assert (hit.proposed, hit.accepted) == (4, 4)
    assert first.commit.emitted_ids == (2, 3, 4, 5, 6)


def test_pld_wants_the_whole_continuation():
    """A late match whose continuation is too short is lost."""
    assert run("pld", STUB, (0, 1, 2, 0, 1), num_pred=10).steps[0].decision.chosen == "none"


def test_sam_abstains_below_the_threshold_and_says_so():
    short, long = (run("sam", STUB, TWICE, len_threshold=n).steps[0] for n in (11, 10))
    assert (short.decision.triggered, short.decision.chosen, len(short.trees.final)) == (False, "none", 1)
    assert "longest match 10 is below the threshold 11" in short.decision.reason
    assert (long.decision.triggered, long.decision.match.dyn) == (True, 10)


def test_sam_copies_the_newest_occurrence():
    prompt = (1, 2, 3, 9, 1, 2, 4, 9, 1, 2)
    (hit,) = run("sam", STUB, prompt, len_threshold=2).steps[0].retrieval
    assert (hit.end_pos, hit.cont_ids[0]) == (6, 4)


def test_sam_drafts_at_most_n_predicts():
    nodes = run("sam", STUB, TWICE, n_predicts=4, len_threshold=2).steps[0].trees.final
    assert len(nodes) == 4


@pytest.mark.parametrize("shape", ["chain", "tree"])
def test_a_perfect_draft_model_is_always_accepted(shape):
    target = tiny_model(seed=1)
    models = Models(target, DraftModel(target))
    done = run("draft-model", models, (3, 1, 4), shape=shape, depth=3, tree_nodes=128, max_new_tokens=32)
    assert all(step.commit.n_accepted == 3 for step in done.steps[:-1])
    assert done.summary.mat == pytest.approx(4.0)


def test_draft_model_tree_respects_its_budget():
    models = Models(tiny_model(seed=1), DraftModel(tiny_model(seed=2)))
    done = run("draft-model", models, (3, 1, 4), shape="tree", depth=4, tree_top_k=3, tree_nodes=7)
    assert all(len(step.trees.final) - 1 <= 7 for step in done.steps)
    assert len(done.steps[0].trees.drafter) - 1 == 3 + 3 * 9
    assert any(len({n.parent for n in step.trees.final}) < len(step.trees.final) - 1 for step in done.steps)


def test_draft_model_falls_back_at_its_context_limit():
    """Shorter drafts, then plain decoding with a note; never garbage."""
    target, draft = tiny_model(seed=1), tiny_model(seed=2)
    draft.max_context = 16
    done = run("draft-model", Models(target, DraftModel(draft)), (3, 1, 4), max_new_tokens=40)
    plain = run("vanilla", Models(target), (3, 1, 4), max_new_tokens=40)
    assert done.output_ids == plain.output_ids
    assert "context is full" in done.steps[-2].decision.reason
    assert len(done.steps[-2].trees.final) == 1


def test_confidence_stop_shortens_the_chain():
    models = Models(tiny_model(seed=1), DraftModel(tiny_model(seed=2)))
    lengths = [
        sum(len(s.trees.final) - 1 for s in run("draft-model", models, (3, 1, 4), confidence_stop=c).steps)
        for c in (0.0, 0.99)
    ]
    assert lengths[1] < lengths[0]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_confidence_stop_ends_the_chain_behind_the_doubtful_token(temperature):
    models = Models(tiny_model(seed=1), DraftModel(tiny_model(seed=2)))
    done = run("draft-model", models, (3, 1, 4), confidence_stop=0.4, temperature=temperature, depth=6)
    chains = [[node.draft_p for node in step.trees.final[1:]] for step in done.steps[:-3]]
    assert all(p >= 0.4 for chain in chains for p in chain[:-1])
    assert any(chain[-1] < 0.4 for chain in chains)


def test_another_vocabulary_is_refused_with_the_first_difference(byte_tokenizer):
    from copy import deepcopy

    other = deepcopy(byte_tokenizer)
    other.add_tokens(["extra"])
    target = tiny_model(tokenizer=byte_tokenizer)
    with pytest.raises(ReSpecError, match=r"extra|lacks|token"):
        Models(target, DraftModel(tiny_model(tokenizer=other, vocab=len(byte_tokenizer) + 1)))
    with pytest.raises(ReSpecError, match="share a tokenizer"):
        Models(tiny_model(vocab=32), DraftModel(tiny_model(vocab=33)))


def test_a_method_without_its_model_says_how_to_get_it():
    with pytest.raises(ReSpecError, match="--draft-model"):
        run("draft-model", STUB, (1, 2))


@pytest.mark.parametrize("prompt", [(), (99,), (-1,)])
def test_impossible_prompts_are_refused(prompt):
    with pytest.raises(ReSpecError, match=r"empty|does not have|do not have"):
        run("vanilla", STUB, prompt)


def test_a_prompt_beyond_the_context_is_refused():
    with pytest.raises(ReSpecError, match="takes fewer than 8"):
        run("vanilla", Models(StubModel(cycle, max_context=8)), (1,) * 8)


def test_a_numeric_tie_is_reported_as_one():
    """Block verification in low precision may flip a near-tie; the report gives the margin."""
    from respec_core.bench.comparison import compare

    def noisy(ids) -> torch.Tensor:
        logits = torch.tensor(one_hot(3))
        logits[4] = 8.0 - 1e-3 + (2e-3 if len(ids) % 7 == 0 and model.block else 0.0)
        return logits

    model = StubModel(noisy)
    model.block = False
    model.dtype_name = "bf16"
    original = model.session

    def session(*args, **kwargs):
        made = original(*args, **kwargs)
        forward = made.forward

        def watched(tree):
            model.block = len(tree) > 1
            return forward(tree)

        made.forward = watched
        return made

    model.session = session
    configs = [find_method(n).configure({"budget": "own", "max_new_tokens": 12}) for n in ("vanilla", "pld")]
    plain, pld = compare(Request(configs[0], (3,) * 14), configs, Models(model))
    assert plain.first_difference is None
    assert pld.first_difference is not None
    assert pld.tie_margin == pytest.approx(1e-3, abs=1e-4)
    assert not pld.must_be_equal
