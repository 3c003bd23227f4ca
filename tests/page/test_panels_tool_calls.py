"""RACER's, ToolSpec's and SuffixDecoding's panels: what their records say, in a sentence and in marks."""

from __future__ import annotations

from app.panels.racer_budget import PANEL as BORDERS
from app.panels.suffix_matches import PANEL as MATCHES
from app.panels.tool_call import PANEL as CALL
from respec_core.methods.racer.record import RacerBorder, RacerBudget
from respec_core.methods.suffix.record import SuffixChoice, SuffixMatch
from respec_core.methods.toolspec.record import STATES, Recalled, ToolState
from respec_core.trace.round import Commit, Decision, Node, Step, Trees


def step_with(name, record, chosen="schema") -> Step:
    root = Node(id=0, parent=-1, depth=0, token=1, text="a")
    commit = Commit(path_node_ids=(), n_accepted=0, n_strict=0, n_relaxed=0, extra=None, emitted_ids=(2,))
    decision = Decision(chosen=chosen, rule="priority", reason="")
    return Step(
        i=0,
        ctx_len=3,
        phase_ms={},
        decision=decision,
        trees=Trees(final=(root,)),
        records={name: record},
        commit=commit,
    )


def test_the_ladder_has_a_bar_a_border_and_the_split_counts_each_node_once() -> None:
    borders = (
        RacerBorder(match_len=4, windows=1, idle=30, sent=2),
        RacerBorder(match_len=2, windows=5, idle=8, sent=6),
    )
    budget = RacerBudget(borders=borders, retrieved=6, from_logits=9, shared=2, room=20, states=40, forgotten=3)
    view = BORDERS.of(step_with("racer", budget), (), 100)
    ladder, split = (figure["data"][0] for figure in view["figures"].values())
    assert (ladder["x"], ladder["y"]) == ([1, 5], ["4 tokens", "2 tokens"])
    assert split["x"] == [4, 2, 7]
    assert (
        "of 13 drafted tokens 6 are from n-grams and 9 from remembered successors, 2 of them from both"
        in view["sentence"]
    )
    assert "3 forgotten" in view["sentence"]
    alone = BORDERS.of(
        step_with("racer", budget.model_copy(update={"borders": (), "retrieved": 0, "shared": 0})), (), 100
    )
    assert "No end of the text was seen before" in alone["sentence"]
    assert [*alone["figures"]] == ["Who fills the draft"]


def test_one_lamp_is_lit_and_what_may_follow_is_listed() -> None:
    expected = (', "day": "', ', "fast": ', "}}", "x")
    state = ToolState(
        state="remaining_param", tool="find_train", expected=expected, recalled=(Recalled(answer=3, cosine=0.9),)
    )
    view = CALL.of(step_with("toolspec", state), (), 3)
    lamps, recalled = (figure["data"][0] for figure in view["figures"].values())
    assert lamps["marker"]["size"].index(max(lamps["marker"]["size"])) == STATES.index("remaining_param")
    assert recalled["y"] == ["answer 3"]
    assert len(view["table"]["rows"]) == 3
    assert "“find_train”" in view["sentence"] and "The schema lets 4 texts follow" in view["sentence"]
    assert view["sentence"].endswith("It drafted this round.")


def test_a_value_is_the_models_own() -> None:
    state = ToolState(state="value", tool="find_train", parameter="start")
    view = CALL.of(step_with("toolspec", state, "model"), (), 100)
    assert (
        view["sentence"]
        == "The value of “start” is the model's own to write. Remembered successors drafted this round."
    )
    assert "table" not in view
    lost = CALL.of(step_with("toolspec", state.model_copy(update={"state": "first_param"}), "model"), (), 100)
    assert "no way on that the schema knows" in lost["sentence"]


def test_the_score_of_a_match_is_drawn_with_the_counts_that_it_sums() -> None:
    found = {"source": "dynamic", "allowed": 3}
    matches = (
        SuffixMatch(**found, match_len=3, places=3, drafted=3, score=1.0),
        SuffixMatch(**found, match_len=2, places=8, drafted=2, score=1.25),
    )
    step = step_with("suffix", SuffixChoice(matches=matches, chosen=1), "retrieval")
    drafted = [Node(id=i, parent=i - 1, depth=i, token=i, text=f"<{i}>", path_score=5 / 8) for i in (1, 2)]
    step = step.model_copy(update={"trees": Trees(final=(*step.trees.final, *drafted))})
    view = MATCHES.of(step, (), 100)
    scores, counts = (figure["data"][0] for figure in view["figures"].values())
    assert (scores["x"], scores["text"]) == ([1.0, 1.25], ["", "◀ sent"])
    assert (counts["x"], counts["text"], counts["y"][0]) == ([5, 5], ["5 of 8", "5 of 8"], "1. &lt;1&gt;")
    assert "The longer match of 3 promises 1.00, so the shorter one wins" in view["sentence"]
    nothing = MATCHES.of(step_with("suffix", SuffixChoice(matches=matches[:1]), "none"), (), 100)
    assert [*nothing["figures"]] == ["Score by match length"]
