"""The diffusion lattice: cells, what was cut, paths, and the target's verdict."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hostile import ATTACKS

from app.panels.lattice import ACCEPTED, CHOSEN, GREEDY, SIGNS, TEXT, cut, lattice_view
from respec_core.decoding import Request, complete
from respec_core.methods import find_method
from respec_core.models import Models
from respec_core.trace import (
    Beam,
    Commit,
    Decision,
    Extra,
    Lattice,
    LatticeCandidate,
    LatticePosition,
    Node,
    Step,
    Token,
    Trees,
)

KEPT, CUT, HATCH = 0, 1, 2


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
    beam = Beam(tokens=(10, 21, 30), score=-1.0, dlm_sum=-2.0, alive=True)
    lattice = Lattice(
        k=3, positions=positions, beams=(beam,), chosen=0, top1_path=(10, 20, 30), lambda_dlm=0.5, tau=0.8
    )
    nodes = (
        Node(id=0, parent=-1, depth=0, token=1, text="r"),
        Node(id=1, parent=0, depth=1, token=10, text="a", outcome="strict_accept"),
        Node(id=2, parent=1, depth=2, token=20, text="b", outcome="rejected"),
        Node(id=3, parent=1, depth=2, token=21, text="b", outcome="rejected"),
        Node(id=4, parent=3, depth=3, token=30, text="c", outcome="unreached"),
    )
    extra = Extra(token=own, kind="correction", p=0.9)
    commit = Commit(
        path_node_ids=(1,), n_accepted=1, n_strict=1, n_relaxed=0, extra=extra, emitted_ids=(10, own), stopped=None
    )
    decision = Decision(chosen="diffusion", rule="always", reason="")
    step = Step(
        i=0, ctx_len=3, phase_ms={}, decision=decision, trees=Trees(final=nodes), lattice=lattice, commit=commit
    )
    shared: dict[str, Any] = {"p": 0.5, "rank": 1, "entropy": 1.0, "round": 0}
    tokens = [
        Token(id=10, text="a", piece="a", source="dlm", outcome="strict_accept", **shared),
        Token(id=own, text="w", piece=f"{text}w", source="target", outcome="correction", **shared),
    ]
    return step, tokens


def view(own: int = 32, text: str = "t") -> dict[str, Any]:
    found = lattice_view(*example(own, text))
    assert found is not None
    return found


def test_kept_and_cut_cells_are_apart_and_cut_ones_are_hatched() -> None:
    data = view()["figure"]["data"]
    kept, out = data[KEPT]["z"], data[CUT]["z"]
    assert kept[0][0] == round(math.log(0.5), 3) and out[0][0] is None
    assert kept[2][0] is None and out[2][0] == round(math.log(0.15), 3)
    assert kept[2][2] is not None  # position 3 keeps three
    drawn_cut = sum(value is not None for row in out for value in row)
    assert data[HATCH]["x"].count(None) == 7 * drawn_cut
    assert data[CUT]["opacity"] < data[KEPT]["opacity"]
    assert (data[KEPT]["zmin"], data[KEPT]["zmax"]) == (-6.0, 0.0)


def test_the_greedy_path_is_dashed_and_the_chosen_one_solid() -> None:
    data = view()["figure"]["data"]
    greedy, chosen = data[GREEDY + 1], data[CHOSEN + 1]
    assert greedy["line"]["dash"] == "dash" and "dash" not in chosen["line"]
    assert [math.floor(y) for y in greedy["y"]] == [0] * 6
    assert [math.floor(y) for y in chosen["y"]] == [0, 0, 1, 1, 0, 0]


def test_accepted_prefix_first_rejection_and_the_targets_own_token_carry_signs() -> None:
    data = view(own=23)["figure"]["data"]
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
    assert found["figure"]["alt"] == found["sentence"]


def test_every_position_says_why_its_candidates_end() -> None:
    assert view()["cuts"][0] == ("the best 2 candidates hold 80% of the probability, ≥ τ = 80%; the others were cut")
    short_of_it = position(0, [1, 2], 2).model_copy(update={"mass_at_cut": 0.4})
    assert cut(short_of_it, 0.8) == "the best 2 candidates hold 40% of the probability, < τ = 80%; none was cut"


def test_cells_know_their_place_for_the_hover_card() -> None:
    texts = view()["figure"]["data"][TEXT]
    assert texts["customdata"][:4] == [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert texts["text"][0] == "t10"


def test_rounds_without_a_lattice_have_no_view() -> None:
    step, tokens = example()
    assert lattice_view(step.model_copy(update={"lattice": None}), tokens) is None


def test_hostile_text_is_inert() -> None:
    for attack in ATTACKS:
        for label in view(text=attack)["figure"]["data"][TEXT]["text"]:
            assert "<" not in label and ">" not in label


@pytest.mark.parametrize("shape", ["chain", "beams", "tree"])
def test_a_real_run_has_a_view_a_round(tiny_models: Models, shape: str) -> None:
    config = find_method("diffuspec").configure({"max_new_tokens": 20, "shape": shape})
    run = complete(Request(config, (5, 6, 7, 8, 9, 10, 5, 6, 7)), tiny_models)
    at = seen = 0
    for step in run.steps:
        tokens = run.tokens[at : at + len(step.commit.emitted_ids)]
        at += len(tokens)
        found = lattice_view(step, tokens)
        assert (found is None) is (step.lattice is None)
        if found is not None and step.lattice is not None:
            seen += 1
            json.dumps(found, allow_nan=False)
            accepted = found["figure"]["data"][ACCEPTED]["x"]
            assert len(accepted) == 2 * step.commit.n_accepted  # all that is accepted was in the lattice
            assert len(found["cuts"]) == len(step.lattice.positions)
    assert seen
