"""The diffusion lattice: the target's verdict and what is said of it; its drawings are in ``lattice.test.js``."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from app.panels.depth_ranks import ranks_view
from app.panels.lattice import lattice_view
from app.panels.lattice_paths import verdict_of
from respec_core.engine.decoding import Request
from respec_core.methods.diffuspec.record import Beam, DenoisingPass, Lattice, LatticeCandidate, LatticePosition
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.record import Candidate
from respec_core.trace.round import Commit, Decision, Extra, Node, Step, Trees
from respec_core.trace.schema import Token

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


def test_every_refinement_pass_says_what_it_decided() -> None:
    step, tokens = example()
    found = lattice_view(step.model_copy(update={"records": {"lattice": passed("<b>")}}), tokens)
    assert found is not None
    assert found["passes"] == [
        "Pass 1 of 2 decided positions 1, 3 (framed), where the model was surest; 1 position still open.",
        "Pass 2 of 2 decided position 2 (framed); now all are.",
    ]
    assert view()["passes"] == []


def test_the_verdict_is_the_accepted_prefix_the_first_rejection_and_the_targets_own_token() -> None:
    # 21, on the chosen path, not 20; the own token 23 had been cut
    assert view(own=23)["verdict"] == {"accepted": [(0, 0)], "rejected": [(1, 1)], "own": [(1, 3)]}
    assert view(own=99)["verdict"]["own"] == []


@pytest.mark.parametrize(
    ("own", "said"),
    [(99, "which was no candidate."), (23, "candidate 4, which had been cut."), (20, "candidate 1, kept but")],
)
def test_the_sentence_says_what_became_of_the_targets_token(own: int, said: str) -> None:
    found = view(own)
    assert found["sentence"].startswith("3 positions, 1 accepted; at position 2 the target wanted ‘tw’")
    assert said in found["sentence"]


def test_rounds_without_a_lattice_have_no_view() -> None:
    step, tokens = example()
    assert lattice_view(step.model_copy(update={"records": {}}), tokens) is None


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
            accepted = found["verdict"]["accepted"]
            assert len(accepted) == step.commit.n_accepted  # all that is accepted was in the lattice
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
    assert verdict["accepted"] == [(0, 0)]
    assert verdict["rejected"] == [(1, 1)]  # the chosen path's guess, not the copy
    found = lattice_view(fused, written)
    assert found is not None
    assert found["sentence"].startswith(
        "3 positions, 1 accepted (4 with the copies verified beside them); at position 2"
    )
    assert "‘p55’, which was no candidate" in found["sentence"]
