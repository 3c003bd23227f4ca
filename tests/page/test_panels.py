"""Panels are pure functions of a trace: right coordinates, right words, JSON all the way down."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.live import opened
from app.messages import trace_from
from app.panels.beside_plain import beside_plain_view
from app.panels.entropy import entropy_figure, entropy_points
from app.panels.labels import UNSEEN, inert, short, visible
from app.panels.metrics import badges, metrics_view, verdict, warning
from app.panels.retrieval import retrieval_view
from app.panels.rounds import round_view
from app.panels.timeline import duration, timeline_figure, timeline_ticks
from app.panels.tree import EXTRA, MAX_DRAWN, tree
from app.panels.trigger import trigger_view
from app.showcases import SHOWCASES, showcase_run
from respec_core.engine.decoding import Request
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace
from respec_core.trace.placing import PlacedRound
from respec_core.trace.rates import trigger_rate, verified_retrieved
from respec_core.trace.round import Decision, Extra, Hit, Node
from respec_core.trace.schema import ReferenceAR, Repeat, Run
from respec_core.trace.speed import speed_of

NAMES = [showcase.name for showcase in SHOWCASES]


def chain(n: int, outcome: Any = None) -> list[Node]:
    """A root and ``n`` nodes below one another."""
    nodes = [Node(id=0, parent=-1, depth=0, token=1, text="root")]
    for i in range(1, n + 1):
        nodes.append(Node(id=i, parent=i - 1, depth=i, token=i, text=f"t{i}", sources=("dynamic",), outcome=outcome))
    return nodes


def opening() -> Run:
    """The recorded run of copying code."""
    run = showcase_run("copy-code-sam")
    assert run is not None
    return run


# --- tree ---------------------------------------------------------------------------------------------------------


def test_a_tree_says_of_every_node_what_became_of_it_and_who_proposed_it() -> None:
    nodes = [
        Node(id=0, parent=-1, depth=0, token=1, text="a"),
        Node(id=1, parent=0, depth=1, token=2, text="b", sources=("model",), outcome="strict_accept"),
        Node(id=2, parent=0, depth=1, token=3, text="c", sources=("dynamic", "model"), outcome="rejected"),
        Node(id=3, parent=1, depth=2, token=4, text="d", sources=("dynamic",), outcome="relaxed_accept"),
        Node(id=4, parent=2, depth=2, token=5, text=" \n", sources=("dlm",), outcome="unreached"),
    ]
    view = tree(nodes, Extra(token=9, kind="correction", p=0.5), "zz", (1, 3))
    assert [(m["id"], m["parent"], m["look"], m["source"]) for m in view["marks"]] == [
        (0, -1, "root", "target"),
        (1, 0, "strict_accept", "model"),
        (2, 0, "rejected", "dynamic"),
        (3, 1, "relaxed_accept", "dynamic"),
        (4, 2, "unreached", "dlm"),
        (EXTRA, 3, "correction", "target"),
    ]
    assert [m["text"] for m in view["marks"]] == ["a", "b", "c", "d", "␣↵", "zz"]
    assert view["alt"] == "Draft tree of 4 nodes, 2 accepted; the target added 'zz' itself (correction)."


def test_a_draft_that_the_target_reads_is_pending() -> None:
    view = tree(chain(20))
    assert {m["look"] for m in view["marks"][1:]} == {"pending"}
    assert view["alt"].endswith("not verified yet.")


def test_no_draft_is_one_edge_and_says_so() -> None:
    view = tree(chain(0), Extra(token=5, kind="bonus", p=1.0), "x")
    assert view["alt"] == "No draft this round; the target added 'x' itself (bonus)."
    assert [m["look"] for m in view["marks"]] == ["root", "plain"]


def test_a_huge_tree_keeps_what_was_judged_and_counts_the_rest() -> None:
    nodes = [Node(id=0, parent=-1, depth=0, token=0, text="r")]
    nodes += [Node(id=i, parent=0, depth=1, token=i, text="n", outcome="unreached") for i in range(1, 400)]
    nodes[399] = nodes[399].model_copy(update={"outcome": "strict_accept"})
    view = tree(nodes, None, "", (399,))
    assert 399 in {m["id"] for m in view["marks"]}
    assert len(view["marks"]) == MAX_DRAWN and view["more"] == 400 - MAX_DRAWN


# --- labels -------------------------------------------------------------------------------------------------------


def test_labels_are_inert_and_show_whitespace() -> None:
    assert inert(short("<b>&", 10)) == "&lt;b&gt;&amp;"
    assert short(" a\n\t") == "␣a↵⇥"
    assert short("x" * 30) == "xxxxxx…"


@pytest.mark.parametrize(
    ("char", "shown"),
    [("\u00a0", "⍽"), ("\u200b", "⟨ZWSP⟩"), ("\u200d", "⟨ZWJ⟩"), ("\ufeff", "⟨BOM⟩"), ("\u2028", "⟨LS⟩"), ("\x07", "⟨U+0007⟩"),
     ("\u202e", "⟨U+202E⟩"), ("\ufe0f", "⟨U+FE0F⟩"), ("é", "é"), ("漢", "漢"), ("😀", "😀"), ("\u0301", "\u0301")],
)  # fmt: skip
def test_what_cannot_be_seen_has_a_sign(char: str, shown: str) -> None:
    assert visible(char) == short(char) == shown
    assert short(char * 40, 9).endswith("…") and len(short(char * 40, 9)) <= 9


@given(st.text(), st.integers(4, 30))
def test_labels_are_short_and_never_empty(text: str, width: int) -> None:
    shown = short(text, width)
    assert len(shown) <= max(width, len("⟨U+10FFFF⟩") + 1) and bool(shown) == bool(text)
    assert not any(unicodedata.category(c) in UNSEEN for c in shown)


# --- run-long figures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_entropy_and_timeline_cover_the_whole_run(name: str) -> None:
    run = showcase_run(name)
    assert run is not None and run.summary is not None
    bars, _, lamps, copies = entropy_figure(run)["data"]
    assert bars["x"] == list(range(len(run.tokens)))
    assert bars["y"] == [token.entropy for token in run.tokens]
    fired = trigger_rate(run)
    assert len(lamps["x"]) == (fired.part if fired else 0)
    assert len(copies["x"]) == sum(map(verified_retrieved, run.steps))
    lanes = timeline_figure(run)["data"]
    verify = next(lane for lane in lanes if lane["name"] == "verify")
    assert len(verify["x"]) == len(run.steps)
    assert [int(t) for t in verify["text"]] == [len(step.commit.emitted_ids) for step in run.steps]
    end = max(base + x for lane in lanes[:-1] for base, x in zip(lane["base"], lane["x"], strict=True))
    spent = sum(sum(step.phase_ms.values()) for step in run.steps)
    assert end == pytest.approx(spent)
    assert run.reference_ar is not None
    assert lanes[-1]["x"] == [run.reference_ar.wall_s * 1e3]
    json.dumps([entropy_figure(run), timeline_figure(run)], allow_nan=False)


def test_bars_of_a_round_never_overlap() -> None:
    ends: list[tuple[float, float]] = []
    for lane in timeline_figure(opening())["data"][:-1]:
        ends += [(base, base + x) for base, x in zip(lane["base"], lane["x"], strict=True)]
    ends.sort()
    assert all(before[1] <= after[0] + 1e-6 for before, after in pairwise(ends))


def test_ticks_say_when_plain_was_not_measured() -> None:
    labels = timeline_ticks({"verify": 1500.0, "search": 2.0, "draft": 1.0}, None)
    assert labels == ["route  0", "retrieve  0", "draft  3.0 ms", "verify  1.50 s", "commit  0", "plain  not measured"]


@pytest.mark.parametrize(("ms", "text"), [(0, "0"), (0.44, "0.4 ms"), (9.96, "10 ms"), (999.6, "1.00 s")])
def test_durations(ms: float, text: str) -> None:
    assert duration(ms) == text


# --- trigger ------------------------------------------------------------------------------------------------------


def decision(**changes: Any) -> Decision:
    values: dict[str, Any] = {
        "chosen": "retrieval", "rule": "entropy", "reason": "r", "triggered": True, "theta": 1.5, "k_star": 3,
        "entropies": (1.6, 0.2, 0.1), "H": (1.6, 0.9, 0.633), "C": (2.6, 1.4, 0.967),
    }  # fmt: skip
    return Decision(**(values | changes))


def test_trigger_shows_windows_costs_minimum_and_threshold() -> None:
    view = trigger_view(decision())
    assert view is not None and view["lit"]
    assert "k* = 3: H = 0.63 ≤ θ = 1.50 nats" in view["sentence"]
    bars, costs = view["figure"]["data"]
    assert bars["y"] == (1.6, 0.9, 0.633)
    assert costs["marker"]["symbol"] == ["circle-open", "circle-open", "star"]
    assert view["figure"]["layout"]["shapes"][0]["y0"] == 1.5


def test_trigger_that_did_not_fire_and_methods_without_one() -> None:
    view = trigger_view(decision(triggered=False, k_star=3, H=(2.0, 1.9, 1.8), C=(3.0, 2.4, 2.133)))
    assert view is not None and not view["lit"]
    assert "H = 1.80 > θ = 1.50" in view["sentence"]
    assert trigger_view(decision(rule="match_len")) is None


# --- retrieval ----------------------------------------------------------------------------------------------------


def hit(**changes: Any) -> Hit:
    values: dict[str, Any] = {
        "id": 0, "corpus": "prompt", "end_pos": 10, "match_len": 3, "snippet": "abc", "continuation": "def",
        "snippet_ids": (1, 2, 3), "cont_ids": (4, 5, 6), "proposed": 3, "accepted": 2,
    }  # fmt: skip
    return Hit(**(values | changes))


def test_retrieval_links_the_two_places_and_lists_every_candidate() -> None:
    dropped = hit(id=1, score_before=0.413, score_after=None, status="score_filtered", why="below 0.5", accepted=0)
    scored = hit(id=2, corpus="datastore", doc="notes.md", score_before=0.5, score_after=0.65, accepted=3)
    step = opening().steps[5].model_copy(update={"ctx_len": 40, "retrieval": (dropped, hit(), scored)})
    view = retrieval_view(step)
    assert view is not None
    assert view["spans"][0] == {"hit": 0, "suffix": (37, 40), "matched": (7, 10), "copied": (10, 13), "accepted": 2}
    assert [row["status"] for row in view["rows"]] == ["score too low", "kept", "kept"]
    assert [row["score"] for row in view["rows"]] == ["0.41", "", "0.50 → 0.65"]
    assert view["rows"][2]["source"] == "datastore · notes.md"
    assert all(span["hit"] != 2 for span in view["spans"])  # not in prompt or output: nothing to highlight there


@pytest.mark.parametrize("name", NAMES)
def test_highlighted_words_are_really_equal(name: str) -> None:
    run = showcase_run(name)
    assert run is not None
    ids = [*run.prompt_ids, *run.output_ids]
    for step in run.steps:
        view = retrieval_view(step)
        for span in view["spans"] if view else []:
            (m0, m1), (s0, s1), (c0, _) = span["matched"], span["suffix"], span["copied"]
            assert ids[m0:m1] == ids[s0:s1]
            n = span["accepted"]
            assert ids[c0 : c0 + n] == ids[s1 : s1 + n]


# --- words and numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_metrics_are_the_traces(name: str) -> None:
    run = showcase_run(name)
    assert run is not None and run.summary is not None
    values = {metric["name"]: metric for metric in metrics_view(run)["metrics"]}
    assert float(values["tokens per target pass"]["value"]) == pytest.approx(
        len(run.output_ids) / len(run.steps), abs=0.005
    )
    drafted = sum(len(step.trees.final) - 1 for step in run.steps)
    accepted = sum(step.commit.n_accepted for step in run.steps)
    if drafted:
        assert values["tree nodes accepted"]["note"] == f"{accepted} of {drafted} nodes sent"
        assert values["levels accepted"]["note"].endswith(" drafted levels")
    assert all(metric["help"] for metric in values.values())


def shown(run: Run) -> dict[str, str]:
    return {metric["name"]: metric["value"] for metric in metrics_view(run)["metrics"]}


def test_a_rate_that_does_not_exist_is_a_dash() -> None:
    run = showcase_run("story-sam")
    assert run is not None
    values = shown(run.model_copy(update={"steps": tuple(s for s in run.steps if len(s.trees.final) == 1)}))
    assert (
        values["tree nodes accepted"]
        == values["levels accepted"]
        == values["hit rate"]
        == values["mean length without bonus"]
        == "–"
    )
    assert values["trigger rate"] == "0 %"  # it has a trigger, which did not fire
    pld = showcase_run("story-pld")
    assert pld is not None
    assert shown(pld)["trigger rate"] == "–" and shown(pld)["tree nodes accepted"] != "–"
    assert shown(pld)["draft size"] == "own"


def test_a_looping_text_is_said_before_its_speed_which_is_muted() -> None:
    run = opening()
    looping = run.model_copy(update={"output_ids": (1, 2, 3) * 20})
    view = metrics_view(looping)
    assert "the same 3 tokens 20 times over" in view["warning"] and "loops" not in view["verdict"]
    assert [m["name"] for m in view["metrics"] if m["muted"]] == ["× plain"]
    assert metrics_view(run)["warning"] == "" and not any(m["muted"] for m in metrics_view(run)["metrics"])
    assert "text loops" in [badge["text"] for badge in badges(looping)]
    assert "text loops" not in [badge["text"] for badge in badges(run)]


def test_a_context_beyond_training_is_said_with_the_round_and_the_run() -> None:
    run = opening()
    first = run.steps[0]
    decision = first.decision.model_copy(update={"trained_context": 12})
    beyond = first.model_copy(update={"decision": decision})
    assert f"{first.ctx_len} tokens of context, the drafter was trained on 12" in round_view(beyond)["reason"]
    noted = run.model_copy(update={"steps": (beyond, *run.steps[1:])})
    assert "context beyond training" in [badge["text"] for badge in badges(noted)]
    assert "trained on up to 12" in verdict(noted)


def test_a_part_of_the_drafter_that_is_asked_for_and_not_there_is_said_with_the_run() -> None:
    run = opening()
    asked = run.model_copy(update={"config": {**run.config, "params": {**run.config["params"], "markov": True}}})
    models = {"diffusion": {"kind": "masked", "markov": False}}
    lacking = asked.model_copy(update={"models": {**run.models, **models}})
    assert "a part is lacking" in [badge["text"] for badge in badges(lacking)]
    assert "it drafted as with markov=false" in verdict(lacking)
    assert "a part is lacking" not in [badge["text"] for badge in badges(asked)]


def repeated(run: Run, *ratios: float) -> Run:
    """``run`` with silent repeats of these ratios."""
    assert run.reference_ar is not None
    repeats = tuple(Repeat(run_s=1.0, plain_s=ratio) for ratio in ratios)
    return run.model_copy(update={"reference_ar": run.reference_ar.model_copy(update={"repeats": repeats})})


@pytest.mark.parametrize("shot", [0.5, 1.0, 3.0])
def test_one_timing_settles_nothing(shot: float) -> None:
    run = opening()
    assert run.summary is not None and run.reference_ar is not None
    plain = run.reference_ar.model_copy(update={"wall_s": shot * run.summary.wall_s, "repeats": ()})
    once = run.model_copy(update={"reference_ar": plain})
    said = verdict(once)
    assert f"{shot:.2f}× plain decoding's speed in one timing each, which settles nothing." in said
    assert not any(word in said for word in ("Slower", "pay", "as fast", "No faster"))
    metric = next(m for m in metrics_view(once)["metrics"] if m["name"] == "× plain")
    assert metric["note"].startswith("n = 1")
    assert not speed_of(repeated(run, 2.0)).clear  # type: ignore[union-attr]
    alone = verdict(repeated(run, shot))
    assert f"{shot:.2f} to {shot:.2f}× in 1 silent repeat, which settles nothing." in alone
    assert not any(word in alone for word in ("Slower", "as fast", "No clear"))


def test_slower_is_called_slower() -> None:
    run = opening()
    assert run.summary is not None
    slow = repeated(run, 0.8, 0.84, 0.9)
    assert verdict(slow).startswith("Slower than plain decoding here: 0.80 to 0.90× in 3 silent repeats")
    assert shown(slow)["× plain"] == "0.84×"
    assert verdict(repeated(run, 0.97, 1.01, 1.3)).startswith(
        "No clear difference from plain decoding here: 0.97 to 1.30×"
    )
    assert verdict(repeated(run, 1.9, 2.0, 2.1)).startswith("2.00× as fast as plain decoding here, 1.90 to 2.10×")
    unmeasured = run.model_copy(update={"reference_ar": None})
    assert "was not measured" in verdict(unmeasured)


def test_a_lossy_run_says_so_before_its_speed() -> None:
    run = showcase_run("copy-code-respec")
    assert run is not None and run.summary is not None
    assert run.summary.relaxed_accepts > 0
    assert warning(run).startswith(f"Lossy: {run.summary.relaxed_accepts} tokens passed")
    assert warning(opening()) == ""
    params = {**run.config, "verify": {"rule": "strict"}, "sampling": {"temperature": 0.8}, "method": "diffuspec"}
    biased = opening().model_copy(update={"config": {**params, "params": {"sampling_rule": "p/q"}}})
    assert warning(biased).startswith("Lossy: The ratio test takes the drafted path for a random draw")


def test_a_text_that_left_plain_decodings_stands_beside_it() -> None:
    run = opening()
    assert run.reference_ar is not None and beside_plain_view(run) is None
    ids = (*run.output_ids[:3], 0)
    other = run.reference_ar.model_copy(update={"output_ids": ids, "output_text": f"{prefix(run, 3)}else"})
    view = beside_plain_view(run.model_copy(update={"reference_ar": other}))
    assert view is not None and view["sentence"] == "The first 3 tokens are equal; there the texts part."
    rows = {row["who"]: row["text"] for row in view["table"]["rows"]}
    assert rows["both"] == prefix(run, 3) and rows["plain decoding"] == "else"
    assert run.output_text == rows["both"] + rows["this run"].removesuffix(" …")
    untold = beside_plain_view(run.model_copy(update={"reference_ar": other.model_copy(update={"output_text": None})}))
    assert untold is not None and "not in this trace" in untold["sentence"] and "table" not in untold


def prefix(run: Run, n: int) -> str:
    """What the first ``n`` tokens wrote."""
    return "".join(token.text for token in run.tokens[:n])


def test_an_edited_trace_is_computed_again_and_says_so() -> None:
    run = opening()
    assert run.summary is not None
    faked = run.summary.model_copy(update={"mat": 9.9, "wall_s": 0.01, "speedup_measured": 42.0})
    packet = opened({"text": run.model_copy(update={"summary": faked}).to_json(), "name": "x.json"}, "s")
    (message,) = json.loads(packet)["messages"]
    view = message["metrics"]
    values = {metric["name"]: metric["value"] for metric in view["metrics"]}
    assert values["tokens per target pass"] == f"{run.summary.mat:.2f}"
    assert values["× plain"] != "42.00×" and float(values["× plain"][:-1]) < 5
    assert view["warning"].startswith("This trace contradicts itself: ")
    assert view["badges"][0]["kind"] == "broken" and "checks failed" in view["badges"][0]["text"]
    assert message["run"]["summary"]["mat"] == run.summary.mat


def test_a_sound_trace_is_opened_as_it_is() -> None:
    (message,) = json.loads(opened({"text": opening().to_json(), "name": "x.json"}, "s"))["messages"]
    assert message["metrics"]["warning"] == "" and message["run"]["summary"]["mat"] == opening().summary.mat  # type: ignore[union-attr]
    assert parse_trace(trace_from(message)) == opening()


def test_badges_tell_lossy_from_equal_from_sampled() -> None:
    run = opening()
    assert [b["kind"] for b in badges(run)] == ["same"]
    other = ReferenceAR(output_ids=(*run.output_ids[:7], 0), wall_s=1.0)
    differs = run.model_copy(update={"reference_ar": other})
    assert badges(differs)[0] == {**badges(differs)[0], "kind": "differs", "text": "differs from plain at token 7"}
    relaxed = differs.model_copy(update={"config": {**run.config, "verify": {"rule": "relaxed"}}})
    assert [b["kind"] for b in badges(relaxed)] == ["lossy", "lossy"]
    sampled = differs.model_copy(update={"config": {**run.config, "sampling": {"temperature": 0.8}}})
    assert [b["kind"] for b in badges(sampled)] == ["note"]
    full = run.model_copy(update={"finish_reason": "context"})
    assert [b["text"] for b in badges(full)] == ["same ids as plain", "context full"]
    quoting = run.model_copy(update={"prompt_specials": ("<|im_end|>",)})
    assert [b["text"] for b in badges(quoting)] == ["same ids as plain", "special tokens kept as text"]
    asked = quoting.model_copy(update={"config": {**run.config, "prompt": {"parse_special": True}}})
    assert "The text contains <|im_end|>: read as special tokens" in badges(asked)[1]["help"]
    ratio = sampled.model_copy(
        update={"config": {**sampled.config, "method": "diffuspec", "params": {"sampling_rule": "p/q"}}}
    )
    assert [b["kind"] for b in badges(ratio)] == ["lossy", "lossy"]
    assert "biased" in badges(ratio)[0]["text"]


def test_rounds_in_words() -> None:
    run = opening()
    outcomes = {round_view(step)["outcome"] for step in run.steps}
    assert "no draft: one plain token" in outcomes
    assert any("bonus token" in outcome for outcome in outcomes)
    assert all(round_view(step)["reason"] == step.decision.reason for step in run.steps)


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_a_round_without_room_for_a_draft_says_so(method: str, tiny_models: Models) -> None:
    config = find_method(method).configure({"max_new_tokens": 1, "budget": "own"})
    (last,) = complete(Request(config, (5, 6, 7, 5, 6, 7, 5, 6)), tiny_models).steps
    said = round_view(last)
    assert said["outcome"] in ("no draft: one plain token", "no draft was sent: one plain token")
    assert said["reason"].endswith("one token is left, which is the target's own") == (method != "vanilla")


def test_a_trigger_that_led_to_no_copy_has_no_diamond() -> None:
    run = showcase_run("story-respec-strict")
    assert run is not None
    _, _, lamps, copies = entropy_figure(run)["data"]
    fired = [s.i for s in run.steps if s.decision.triggered]
    copied = [s.i for s in run.steps if verified_retrieved(s)]
    assert len(lamps["x"]) == len(fired) and len(copies["x"]) == len(copied)
    step = run.steps[fired[0]]
    bare = step.model_copy(update={"trees": step.trees.model_copy(update={"final": step.trees.final[:1]})})
    _, _, lamp, copy = entropy_points(PlacedRound(bare, run.tokens[:1], 0, 0.0))
    assert lamp["x"] == [0] and copy["x"] == []
