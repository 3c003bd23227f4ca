"""The diffusion lattice: cells, what was cut, paths, and the target's verdict."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hostile import ATTACKS

from app.panels import mass, trellis
from app.panels.depth_ranks import ranks_view
from app.panels.lattice import cut, lattice_view
from app.panels.lattice_map import ACCEPTED, BEAMS, CHOSEN, GREEDY, SIGNS, TEXT
from app.panels.lattice_paths import verdict_of
from respec_core.engine.decoding import Request
from respec_core.methods.diffuspec.record import Beam, DenoisingPass, Lattice, LatticeCandidate, LatticePosition
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.record import Candidate
from respec_core.trace.round import Commit, Decision, Extra, Node, Step, Trees
from respec_core.trace.schema import Token

KEPT, CUT, HATCH = 0, 1, 2
DRAFTED = ("dlm",)


def position(i: int, tokens: list[int], m: int, text: str = "t") -> LatticePosition:
    shares = [0.5, 0.3, 0.15, 0.05]
    cand = tuple(
        LatticeCandidate(
            token=token,
            text=f"{text}{token}",
            logp_dlm=math.log(shares[rank]),
            kept=rank < m,
            pruned_by=None if rank < m else "mass_tau",
        )
        for rank, token in enumerate(tokens)
    )
    return LatticePosition(i=i, cand=cand, mass_at_cut=sum(shares[:m]), M_i=m)


def example(own: int = 32, text: str = "t") -> tuple[Step, list[Token]]:
    """Three positions; the chosen path 10-21-30 is accepted once, and the target wanted ``own`` instead of 21."""
    positions = (
        position(0, [10, 11, 12, 13], 2, text),
        position(1, [20, 21, 22, 23], 2, text),
        position(2, [30, 31, 32, 33], 3, text),
    )
    beams = (
        Beam(tokens=(10, 21, 30), score=-1.0, dlm_sum=-2.0, alive=True),
        Beam(tokens=(10, 20, 31), score=-1.5, dlm_sum=-2.5, ngram_sum=-3.0, alive=True),
        Beam(tokens=(11, 20, 31), score=-2.5, dlm_sum=-3.0, ngram_sum=-3.5, alive=True),
    )
    lattice = Lattice(k=3, positions=positions, beams=beams, chosen=0, top1_path=(10, 20, 30), lambda_dlm=0.5, tau=0.8)
    nodes = (
        Node(id=0, parent=-1, depth=0, token=1, text="r"),
        Node(id=1, parent=0, depth=1, token=10, text="a", sources=DRAFTED, outcome="strict_accept"),
        Node(id=2, parent=1, depth=2, token=20, text="b", sources=DRAFTED, outcome="rejected"),
        Node(id=3, parent=1, depth=2, token=21, text="b", sources=DRAFTED, outcome="rejected"),
        Node(id=4, parent=3, depth=3, token=30, text="c", sources=DRAFTED, outcome="unreached"),
    )
    extra = Extra(token=own, kind="correction", p=0.9)
    commit = Commit(
        path_node_ids=(1,), n_accepted=1, n_strict=1, n_relaxed=0, extra=extra, emitted_ids=(10, own), stopped=None
    )
    decision = Decision(chosen="diffusion", rule="always", reason="")
    step = Step(
        i=0,
        ctx_len=3,
        phase_ms={},
        decision=decision,
        trees=Trees(final=nodes),
        records={"lattice": lattice},
        commit=commit,
    )
    shared: dict[str, Any] = {"p": 0.5, "rank": 1, "entropy": 1.0, "round": 0}
    tokens = [
        Token(id=10, text="a", piece="a", source="dlm", outcome="strict_accept", **shared),
        Token(id=own, text="w", piece=f"{text}w", source="target", outcome="correction", **shared),
    ]
    return step, tokens


def passed(text: str = "t") -> Lattice:
    """Three positions filled in two passes."""
    lattice = example()[0].record(Lattice)
    assert lattice is not None
    cand = tuple(tuple(Candidate(token=t, text=f"{text}{t}", p=p) for t, p in ((1, 0.9), (2, 0.0))) for _ in range(3))
    return lattice.model_copy(
        update={"passes": (DenoisingPass(cand=cand, decided=(0, 2)), DenoisingPass(cand=cand, decided=(1,)))}
    )


def view(own: int = 32, text: str = "t") -> dict[str, Any]:
    found = lattice_view(*example(own, text))
    assert found is not None
    return found


def test_kept_and_cut_cells_are_apart_and_cut_ones_are_hatched() -> None:
    data = view()["figures"]["map"]["data"]
    kept, out = data[KEPT]["z"], data[CUT]["z"]
    assert kept[0][0] == round(math.log(0.5), 3) and out[0][0] is None
    assert kept[2][0] is None and out[2][0] == round(math.log(0.15), 3)
    assert kept[2][2] is not None  # position 3 keeps three
    drawn_cut = sum(value is not None for row in out for value in row)
    assert data[HATCH]["x"].count(None) == 7 * drawn_cut
    assert data[CUT]["opacity"] < data[KEPT]["opacity"]
    assert (data[KEPT]["zmin"], data[KEPT]["zmax"]) == (-6.0, 0.0)


def test_the_greedy_path_is_dashed_and_the_chosen_one_solid() -> None:
    data = view()["figures"]["map"]["data"]
    greedy, chosen = data[GREEDY + 1], data[CHOSEN + 1]
    assert greedy["line"]["dash"] == "dash" and "dash" not in chosen["line"]
    assert [math.floor(y) for y in greedy["y"]] == [0] * 6
    assert [math.floor(y) for y in chosen["y"]] == [0, 0, 1, 1, 0, 0]


def test_the_other_beams_are_thin_lines_inside_the_upper_part_of_their_cells() -> None:
    data = view()["figures"]["map"]["data"]
    beams = data[BEAMS + 1]
    assert beams["line"]["width"] < data[CHOSEN + 1]["line"]["width"] and beams["x"].count(None) == 2
    assert [round(y) for y in beams["y"] if y is not None] == [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1]
    assert all(y < round(y) for y in beams["y"] if y is not None)  # the chosen path runs below the text


def test_the_trellis_has_an_edge_once_and_leaves_out_ranks_nobody_uses() -> None:
    figure = view(own=23)["figures"]["trellis"]
    *edges, accepted, idle, used, _start, signs = figure["data"]
    third, second, chosen = edges
    assert chosen["line"]["width"] == trellis.CHOSEN > second["line"]["width"] > third["line"]["width"]
    assert (chosen["x"].count(None), second["x"].count(None)) == (3, 2)  # start-10 is drawn once
    assert accepted["x"] == [-1, 0] and signs["text"] == ["✓", "✗", "↻"]
    assert [tuple(cell) for cell in used["customdata"]] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert [tuple(cell) for cell in idle["customdata"]] == [(1, 3), (2, 2)]  # the target's own was cut
    assert used["marker"]["size"][0] > used["marker"]["size"][1]  # larger: likelier
    assert figure["layout"]["yaxis"]["ticktext"] == ["1", "2", "3", "4"]
    wide = position(0, list(range(10, 14)), 4)
    step, tokens = example()
    lattice = step.record(Lattice)
    assert lattice is not None
    lattice = lattice.model_copy(update={"positions": (wide, *lattice.positions[1:])})
    found = lattice_view(step.model_copy(update={"records": {"lattice": lattice}}), tokens)
    assert found is not None
    assert found["figures"]["trellis"]["layout"]["xaxis"]["ticktext"][0] == "1<br>+ 1"


def test_the_mass_bars_stack_up_and_show_where_tau_cut_them() -> None:
    figure = view()["figures"]["mass"]
    kept, out = figure["data"][mass.KEPT], figure["data"][mass.CUT]
    first = [(y, b) for x, y, b in zip(kept["x"], kept["y"], kept["base"], strict=True) if x == 0]
    assert first == [(0.5, 0.0), (0.3, 0.5)]
    assert [round(b, 2) for x, b in zip(out["x"], out["base"], strict=True) if x == 0] == [0.8, 0.95]
    assert kept["width"] == out["width"] < 1  # where few are cut, their bars stay as narrow
    assert figure["data"][mass.CUTS]["y"][0] == 0.8
    assert figure["data"][mass.MARKS]["text"] == ["M = 2", "M = 2", "M = 3"]
    assert figure["layout"]["shapes"][0]["y0"] == 0.8
    assert figure["data"][mass.TEXT]["text"] == ["t10", "t11", "t20", "t21", "t30", "t31", "t32"]  # what was kept


def test_every_refinement_pass_is_a_frame_and_frames_what_it_decided() -> None:
    step, tokens = example()
    found = lattice_view(step.model_copy(update={"records": {"lattice": passed("<b>")}}), tokens)
    assert found is not None
    first, second = found["frames"]
    assert first["sentence"] == (
        "Pass 1 of 2 decided positions 1, 3 (framed), where the model was surest; 1 position still open."
    )
    assert second["sentence"] == "Pass 2 of 2 decided position 2 (framed); now all are."
    bold = [shape["x0"] for shape in first["figure"]["layout"]["shapes"] if "dash" not in shape["line"]]
    assert bold == [-0.48, 1.52]
    assert len(second["figure"]["layout"]["shapes"]) == 3
    heat, texts = first["figure"]["data"]
    assert heat["z"] == [[round(math.log(0.9), 3)] * 3, [-6.0] * 3]
    assert "<" not in "".join(texts["text"])
    assert view()["frames"] == []


def test_accepted_prefix_first_rejection_and_the_targets_own_token_carry_signs() -> None:
    data = view(own=23)["figures"]["map"]["data"]
    assert len(data[ACCEPTED]["x"]) == 2 and data[ACCEPTED]["line"]["width"] > data[CHOSEN + 1]["line"]["width"]
    signs = data[SIGNS]
    assert signs["text"] == ["✓", "✗", "↻"]
    assert list(signs["y"]) == [0, 1, 3]  # 21, on the chosen path, not 20; the own token 23 had been cut


@pytest.mark.parametrize(
    ("own", "said"),
    [(99, "which was no candidate."), (23, "candidate 4, which had been cut."), (20, "candidate 1, kept but")],
)
def test_the_sentence_says_what_became_of_the_targets_token(own: int, said: str) -> None:
    found = view(own)
    assert found["sentence"].startswith("3 positions, 1 accepted; at position 2 the target wanted ‘tw’")
    assert said in found["sentence"]
    assert all(figure["alt"] == found["sentence"] for figure in found["figures"].values())


def test_every_position_says_why_its_candidates_end() -> None:
    assert view()["cuts"][0] == ("the best 2 candidates hold 80% of the probability, ≥ τ = 80%; the others were cut")
    short_of_it = position(0, [1, 2], 2).model_copy(update={"mass_at_cut": 0.4})
    assert cut(short_of_it, 0.8) == "the best 2 candidates hold 40% of the probability, < τ = 80%; none was cut"


def test_cells_know_their_place_for_the_hover_card() -> None:
    texts = view()["figures"]["map"]["data"][TEXT]
    assert texts["customdata"][:4] == [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert texts["text"][0] == "t10"


def test_rounds_without_a_lattice_have_no_view() -> None:
    step, tokens = example()
    assert lattice_view(step.model_copy(update={"records": {}}), tokens) is None


def test_hostile_text_is_inert() -> None:
    for attack in ATTACKS:
        for figure in view(text=attack)["figures"].values():
            for label in [label for trace in figure["data"] for label in trace.get("text", [])]:
                assert "<" not in label and ">" not in label


@pytest.mark.parametrize("shape", ["chain", "beams", "tree"])
def test_a_real_run_has_a_view_a_round(tiny_models: Models, shape: str) -> None:
    config = find_method("diffuspec").configure({"budget": "own", "max_new_tokens": 20, "shape": shape})
    run = complete(Request(config, (5, 6, 7, 8, 9, 10, 5, 6, 7)), tiny_models)
    at = seen = 0
    for step in run.steps:
        tokens = run.tokens[at : at + len(step.commit.emitted_ids)]
        at += len(tokens)
        found = lattice_view(step, tokens)
        assert (found is None) is (step.record(Lattice) is None)
        if found is not None and step.record(Lattice) is not None:
            seen += 1
            json.dumps(found, allow_nan=False)
            accepted = found["figures"]["map"]["data"][ACCEPTED]["x"]
            assert len(accepted) == 2 * step.commit.n_accepted  # all that is accepted was in the lattice
            assert len(found["cuts"]) == len(step.record(Lattice).positions)
    ranks = ranks_view(run)
    assert ranks is not None and json.dumps(ranks, allow_nan=False)
    rows = ranks["table"]["rows"]
    assert rows[0]["rounds"] == seen  # every round's text got to the first position
    assert [row["rounds"] for row in rows] == sorted((row["rounds"] for row in rows), reverse=True)
    cut = ranks["figures"]["Share of the rounds that chose each rank"]["data"][-1]
    assert cut["y"][::2] == [min(row["children"], 8) + 0.5 for row in rows]
    assert "From position 1 on fewer than 50 rounds" in ranks["sentence"]
    assert seen


def test_copies_verified_beside_the_draft_are_not_the_lattices() -> None:
    """A copied token continues the path where the lattice's guess was wrong, and then beyond the lattice."""
    step, tokens = example()
    copied = [Node(id=i, parent=i - 1 if i > 5 else 1, depth=i - 3, token=50 + i, text="c", sources=("dynamic",),
                   outcome="strict_accept") for i in (5, 6, 7)]  # fmt: skip
    path, emitted = (1, 5, 6, 7), (10, 55, 56, 57, 9)
    commit = step.commit.model_copy(update={"path_node_ids": path, "n_accepted": 4, "emitted_ids": emitted})
    fused = step.model_copy(update={"commit": commit, "trees": Trees(final=(*step.trees.final, *copied))})
    written = [tokens[0], *(tokens[1].model_copy(update={"id": i, "piece": f"p{i}"}) for i in emitted[1:])]
    verdict = verdict_of(fused)
    assert verdict.accepted == ((0, 0),)
    assert verdict.rejected == ((1, 1),)  # the chosen path's guess, not the copy
    found = lattice_view(fused, written)
    assert found is not None
    assert found["sentence"].startswith(
        "3 positions, 1 accepted (4 with the copies verified beside them); at position 2"
    )
    assert "‘p55’, which was no candidate" in found["sentence"]
