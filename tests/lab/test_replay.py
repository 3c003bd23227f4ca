"""A replay has the rounds of the real run: decision, hits, draft and accepted path, for random settings, prompts and models.

With sizes that follow the clock the run's clock goes as it was recorded: forwards by the cost curve, drafting as it was timed.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paced import paced_run
from tiny_atlas import DEPTH, PROMPTS, SEEDS, TOKENS, WIDTHS, atlas_of, models_of, stage_of

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.lab.playing import UNKNOWN
from respec_core.lab.recorded_models import RecordedModels, Stage
from respec_core.lab.replay import ReplayedRound, replay
from respec_core.lab.speed import measure
from respec_core.methods.diffuspec.recorded import RecordedDiffusion
from respec_core.methods.eagle.recorded import RecordedHead
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.running import complete
from respec_core.trace.round import Step
from respec_core.trace.schema import Run

NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


knobs = st.fixed_dictionaries(
    {},
    optional={
        "switch": st.sampled_from(["adaptive", "gate"]),
        "scored_by": st.sampled_from(["lineage", "position"]),
        "when_triggered": st.sampled_from(["both", "retrieval"]),
        "lookback": st.integers(1, 6),
        "theta_entropy": st.floats(0, 4),
        "lambda_e": st.floats(0, 2),
        "normalised": st.booleans(),
        "all_nodes": st.integers(2, 129),
        "sure": st.floats(0.05, 1),
        "feedback": st.booleans(),
        "suffix_levels": st.integers(1, 16),
        "min_match": st.integers(1, 5),
        "resume_window": st.integers(0, 64),
        "s0": st.floats(0, 1),
        "theta_score": st.floats(0, 1),
        "alpha": st.floats(0, 1),
        "k_cand": st.integers(1, 6),
        "max_draft": st.integers(2, 64),
        "fallback": st.sampled_from(["auto", "eagle2", "draft-model", "none"]),
        "fallback_nodes": st.integers(2, 128),
        "fallback_depth": st.integers(0, DEPTH),
    },
).map(lambda values: {"fallback_depth": DEPTH, **values})
widths = st.sampled_from(WIDTHS)
lattices = st.fixed_dictionaries(
    {
        "shape": st.sampled_from(["chain", "beams", "tree"]),
        "tree_nodes": st.integers(1, 128),
        "k_min": st.integers(1, 20),
        "k_max": st.integers(20, 30),
        "markov": st.booleans(),
        "m_max": st.integers(1, 16),
        "tau": st.floats(0.1, 1),
        "beam": st.integers(1, 6),
        "lambda_dlm": st.floats(0.01, 1),  # at 0 paths of other orders score alike, and rounding decides
        "length_normalised": st.booleans(),
        "proxy": st.sampled_from(["corpus", "ngram", "none"]),
        "ngram": st.integers(1, 4),
        "delta": st.floats(0, 20),
        "rho": st.floats(0.05, 1),
    }
)
SETTINGS = {
    "vanilla": st.just({}),
    "pld": st.fixed_dictionaries({"max_ngram": st.integers(1, 6), "num_pred": st.integers(1, 32)}),
    "suffix": st.fixed_dictionaries(
        {
            "form": st.sampled_from(["path", "tree"]),
            "max_spec": st.integers(1, 64),
            "spec_factor": st.floats(0, 4),
            "min_prob": st.floats(0, 1),
            "max_depth": st.integers(2, 64),
        }
    ),
    "racer": st.fixed_dictionaries(
        {
            "max_breadth": st.just(0),
            "total_nodes": st.integers(2, 129),
            "ngram": st.integers(2, 12),
            "min_depth": st.integers(1, 4),
            "max_states": st.sampled_from([64, 10_000]),
        }
    ),
    "sam": st.fixed_dictionaries(
        {
            "auxiliary": st.sampled_from(["none", "eagle2"]),
            "auxiliary_nodes": st.integers(2, 128),
            "auxiliary_depth": st.integers(0, DEPTH),
            "auxiliary_top_k": widths,
            "n_predicts": st.integers(2, 64),
            "len_threshold": st.integers(1, 8),
            "len_bias": st.integers(0, 8),
            "occurrence": st.sampled_from(["newest", "first"]),
        }
    ),
    "rest": st.fixed_dictionaries(
        {"k": st.integers(1, 50), "cont_len": st.integers(1, 32), "choices": st.integers(1, 128)}
    ),
    "eagle2": st.fixed_dictionaries(
        {"total_tokens": st.integers(2, 128), "depth": st.integers(0, DEPTH), "top_k": widths}
    ),
    "rasd": st.fixed_dictionaries(
        {
            "drafter": st.sampled_from(["auto", "eagle2"]),
            "retrieval": st.sampled_from(["suffix", "pld", "rest"]),
            "prune_top_k": st.integers(1, 80),
            "max_nodes": st.integers(2, 128),
            "max_retrieval_nodes": st.integers(0, 128),
            "min_match": st.integers(1, 4),
            "cont_len": st.integers(1, 32),
            "tree_depth": st.integers(0, DEPTH),
            "tree_top_k": widths,
        }
    ),
    "diffuspec": lattices,
    "diffuspec-retrieval": st.tuples(knobs, lattices).map(
        lambda both: {name: x for name, x in both[0].items() if not name.startswith("fallback")} | both[1]
    ),
    "draft-model": st.fixed_dictionaries(
        {
            "shape": st.sampled_from(["chain", "tree"]),
            "depth": st.integers(1, 8),
            "tree_nodes": st.integers(1, 128),
            "confidence_stop": st.floats(0, 1),
        }
    ),
    "custom": st.tuples(
        st.sampled_from(
            [
                {"router": "bandit", "drafters": "sam+eagle2", "fusion": "merge"},
                {"router": "match", "drafters": "pld+draft-model"},
                {"router": "entropy", "drafters": "suffix+auto", "fusion": "foreseen"},
                {"router": "always", "drafters": "rest+sam+auto"},
            ]
        ),
        st.fixed_dictionaries(
            {
                "nodes": st.integers(2, 128),
                "tree_depth": st.integers(0, DEPTH),
                "tree_top_k": widths,
                "match_threshold": st.integers(1, 6),
                "theta_entropy": st.floats(0, 4),
                "explore": st.floats(0, 6),
                "warm_rounds": st.integers(1, 3),
                "prune_first": st.integers(1, 80),
            }
        ),
    ).map(lambda both: both[0] | both[1]),
    "respec-strict": st.tuples(knobs, widths).map(lambda both: both[0] | {"fallback_top_k": both[1]}),
    "respec": st.tuples(knobs, widths).map(lambda both: both[0] | {"fallback_top_k": both[1], "rule": "strict"}),
}


@pytest.mark.parametrize("method", SETTINGS)
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_replay_has_the_rounds_of_the_run(method, data):
    seed, prompt = data.draw(st.sampled_from(SEEDS), "seed"), data.draw(st.sampled_from(range(len(PROMPTS))), "prompt")
    sizes = st.sampled_from(["own", "auto", 0, 3, 20])
    size, length = data.draw(sizes, "budget"), data.draw(st.integers(1, TOKENS), "length")
    values = data.draw(SETTINGS[method], "settings") | {"max_new_tokens": length, "budget": size}
    config = find_method(method).configure(values)
    run = real_run(Request(config, PROMPTS[prompt]), seed, prompt)
    again = replay(stage_of(seed, prompt), config)
    for step, round in zip(run.steps, again.rounds, strict=True):
        same_round(step, round)
    assert again.finish == run.finish_reason


def real_run(request: Request, seed: int, prompt: int) -> Run:
    """Sizes that follow the clock follow the recorded one."""
    models = models_of(seed)
    if request.config.drafting.budget_rule != "auto":
        return complete(request, models)
    return paced_run(request, models, stage_of(seed, prompt))


def same_round(step: Step, round: ReplayedRound) -> None:
    assert round.emitted == step.commit.emitted_ids
    assert round.path == step.commit.path_node_ids
    tree, nodes = round.draft.tree, step.trees.final
    assert tree.tokens == tuple(node.token for node in nodes)
    assert tree.parents == tuple(node.parent for node in nodes)
    assert [tuple(sorted(s)) for s in tree.sources] == [node.sources for node in nodes]
    assert tree.scores == pytest.approx([node.path_score for node in nodes], rel=1e-3)
    assert [None if p is None else pytest.approx(p, rel=1e-3) for p in tree.draft_p] == [n.draft_p for n in nodes]
    close(round.decision.model_dump(), step.decision.model_dump())
    shown = {"snippet", "continuation", "why"}
    close([h.model_dump(exclude=shown) for h in round.hits], [h.model_dump(exclude=shown) for h in step.retrieval])


def close(ours, theirs) -> None:
    """Equal but for the last digits of numbers, in sentences too."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        for name in ours:
            close(ours[name], theirs[name])
    elif isinstance(ours, list | tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            close(one, other)
    elif isinstance(ours, str):
        assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    else:
        assert ours == (pytest.approx(theirs, rel=1e-3, abs=1e-5) if isinstance(theirs, float) else theirs)


def refuses(values, says: str, method: str, stage: Stage | None = None) -> None:
    config = find_method(method).configure({"max_new_tokens": 8, "budget": "own"} | values)
    with pytest.raises(ReSpecError, match=says):
        replay(stage or stage_of(1, 5), config)


def test_what_cannot_be_replayed_is_refused_in_a_sentence():
    refuses({"temperature": 0.5}, "Only strict greedy .* decode it with", "pld")
    refuses({"rule": "relaxed"}, "Only strict greedy", "respec")
    refuses({}, "recycling so set learns from rejected tokens", "recycling")
    refuses({}, "racer so set learns from rejected tokens", "racer")
    refuses({"auxiliary": "recycling"}, "learns from rejected tokens", "sam")
    refuses({"max_new_tokens": TOKENS + 1}, f"holds {TOKENS} tokens of this text", "pld")
    refuses({"top_k": 5}, "trees of width 1, 3, 8 and depth 4, not of width 5", "eagle2")
    refuses({"top_k": 8, "depth": 5}, "not of width 8 and depth 5", "eagle2")
    refuses({"depth": 9, "max_new_tokens": 12}, "8 deep", "draft-model")
    refuses({"shape": "tree", "tree_top_k": 3}, "trees of 4 branches", "draft-model")
    refuses({"drafter": "draft-model"}, "whole opinion on the next token: decode", "rasd")
    refuses({"proxy": "recycling"}, "learns from rejected tokens", "diffuspec")
    refuses({"passes": 2}, "one pass of the diffusion drafter", "diffuspec")
    refuses({"m_max": 17}, "16 candidates a position, not 1 with 17", "diffuspec")
    refuses({"m_max": 17, "markov": True}, "16 candidates a position, not 17", "diffuspec")
    stage = stage_of(1, 5)
    head = next(one for one in stage.models.others if isinstance(one, RecordedHead))
    trees = replace(stage, models=RecordedModels(stage.target, replace(head, first=None, _grown={})))
    refuses({"tree_top_k": 8, "tree_depth": 4}, "whole opinion on the next token", "rasd", trees)
    block = next(one for one in stage.models.others if isinstance(one, RecordedDiffusion))
    unlinked = replace(stage, models=RecordedModels(stage.target, head, replace(block, linked=None)))
    refuses(
        {"markov": True},
        "nothing of the Markov head: record it with --record diffusion.links=true",
        "diffuspec",
        unlinked,
    )
    bare = replace(stage, models=RecordedModels(stage.target))
    refuses({}, "drafts with a head, which this atlas does not hold", "eagle2", bare)
    free = replace(stage, target=replace(stage.target, costs=None))
    refuses({"budget": "auto"}, "what forwards cost", "sam", free)


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_every_method_is_replayed_or_refused(method):
    config = find_method(method).configure({"max_new_tokens": 8, "budget": "own", "rule": "strict"})
    with suppress(ReSpecError):
        assert replay(stage_of(1, 5), config).tokens == 8


def test_a_round_has_no_scores_to_learn_from():
    with pytest.raises(ReSpecError, match="target's scores"):
        UNKNOWN.topk(3)
    with pytest.raises(ReSpecError, match="target's scores"):
        UNKNOWN[0]


@pytest.mark.parametrize("method", ["sam", "eagle2", "diffuspec", "respec-strict"])
def test_with_sizes_by_the_clock_time_passes_as_it_was_recorded(method):
    """The same sizes every time; the recorded curve is what forwards cost."""
    values = {"max_new_tokens": TOKENS, "budget": "auto"} | {
        "eagle2": {"top_k": 8, "depth": 4},
        "sam": {},
        "diffuspec": {},
    }.get(method, {"fallback_depth": 4})
    config = find_method(method).configure(values)
    stage = stage_of(1, 5)
    first, again = replay(stage, config), replay(stage, config)
    assert [round.decision for round in first.rounds] == [round.decision for round in again.rounds]
    for round in first.rounds:
        sizing = round.decision.sizing
        assert sizing.forward_ms == stage.target.costs.ms(1 + sizing.kept)
        assert len(round.draft.tree) == 1 + sizing.kept
    costs = stage.target.costs
    spent = sum(costs.ms(len(round.draft.tree)) + round.draft_ms for round in first.rounds)
    assert first.ms(costs) == pytest.approx(spent)
    assert any(round.draft_ms for round in first.rounds) == (method != "sam")


def test_the_speed_of_replays_is_measured_on_every_text():
    speed = measure(atlas_of(1), "sam", {"len_threshold": 2}, repeats=1)
    assert speed.first > 0 < speed.again
    assert 0 < speed.rounds <= 1
