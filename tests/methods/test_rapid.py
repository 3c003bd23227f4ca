"""RAPID: which pieces the drafter reads, the pull towards it by hand, exact samples at η = 0, others above."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from tiny import tiny_model

from app.panels.rapid import CONTEXT, TRANSFER
from respec_core.engine.decoding import Request
from respec_core.engine.sampling import Sampler
from respec_core.engine.transfer import Transfer
from respec_core.engine.tree import DraftTree
from respec_core.engine.verification import verify
from respec_core.methods.losses import losses
from respec_core.methods.rapid.chunks import bm25, shortened
from respec_core.methods.rapid.lossy import TRANSFER as TRANSFER_LOSS
from respec_core.methods.rapid.record import Shortening
from respec_core.methods.rapid.settings import RapidSettings
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations
from respec_core.settings.run_config import SamplingSettings
from respec_core.settings.verifying import VerifySettings

TARGET = Models(tiny_model(seed=1))
RNG = np.random.default_rng(3)
PROMPT = (*RNG.integers(5, 30, 196).tolist(), 7, 8, 9, 7)
SMALL = {"kept_tokens": 32, "chunk": 16, "lead": 4, "query": 4}


def run(method: str = "rapid", prompt=PROMPT, models: Models = TARGET, **values):
    """A checked run."""
    own = SMALL if method == "rapid" else {}
    values = own | {"max_new_tokens": 32, "budget": "own"} | values
    done = complete(Request(find_method(method).configure(values), prompt), models)
    assert violations(done) == []
    return done


def test_the_pull_by_hand():
    """α = 0.1 leaves the last token where it is: q = 0.02 is under a tenth of 0.7."""
    p, q = torch.tensor([0.5, 0.4, 0.1]), torch.tensor([0.28, 0.70, 0.02])
    moved = [0.5 * math.exp(-2 * 0.22), 0.4 * math.exp(2 * 0.30), 0.1]
    pulled = Transfer(eta=2.0, alpha=0.1).pulled(p, q)
    assert pulled.tolist() == pytest.approx([x / sum(moved) for x in moved])
    assert Transfer(eta=0.0, alpha=0.1).pulled(p, q).tolist() == pytest.approx(p.tolist())
    z = p.log() - 2 * torch.tensor([1, 1, 0]) * (p - q)
    assert pulled.tolist() == pytest.approx(z.softmax(-1).tolist())


def test_pieces_with_rare_words_of_the_question_are_read_in_their_order():
    texts = [[1, 2, 3, 4], [9, 1, 2, 3], [9, 8, 1, 2], [1, 2, 3, 5]]
    scores = bm25(texts, [8, 9, 1])
    assert scores.index(max(scores)) == 2
    assert scores[1] > scores[0] > 0  # 1 stands everywhere and says little
    settings = RapidSettings(kept_tokens=16, chunk=8, lead=2, query=2)
    pieces = [[50, 51], [1, 2, 3, 4, 5, 6, 7, 90], [10] * 8, [91, 1, 2, 3, 4, 5, 6, 7], [11] * 8, [90, 91]]
    short = shortened([token for piece in pieces for token in piece], settings)
    assert [chunk.kept for chunk in short.chunks] == [True, False, True, False]
    assert short.ids == (50, 51, *pieces[1], *pieces[3], 90, 91)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=120), st.integers(1, 8), st.integers(0, 40), st.integers(1, 30))
def test_a_shortened_prompt_is_the_prompt_with_pieces_left_out(prompt, pieces, lead, query):
    settings = RapidSettings(kept_tokens=16 * pieces, chunk=8, lead=lead, query=query)
    short = shortened(prompt, settings)
    covered = [i for chunk in short.chunks for i in range(chunk.start, chunk.end)]
    assert covered == [*range(min(lead, max(len(prompt) - query, 0)), max(len(prompt) - query, 0))]
    left = {i for chunk in short.chunks if not chunk.kept for i in range(chunk.start, chunk.end)}
    assert [*short.ids] == [token for i, token in enumerate(prompt) if i not in left]
    assert sum(chunk.kept for chunk in short.chunks) <= 2 * pieces


@pytest.mark.parametrize("eta", [0.0, 20.0])
def test_at_temperature_0_the_text_is_plain_decoding_s(eta):
    done = run(eta=eta)
    assert done.output_ids == run("vanilla").output_ids
    assert losses(done.settings) == ()
    first, *others = (step.record(Shortening) for step in done.steps)
    assert first.read == 4 + 32 + 4 == len(shortened(PROMPT, RapidSettings(**SMALL)).ids)
    assert first.chunks
    assert not any(other.chunks or other.rows for other in others)
    assert "40 of 200 prompt tokens" in CONTEXT.of(done)["sentence"]


def test_where_nothing_is_left_out_the_drafter_is_the_target():
    done = run(prompt=PROMPT[-6:], confidence_stop=0.0)
    assert all(step.commit.n_accepted == len(step.trees.final) - 1 for step in done.steps)


def test_a_sampled_run_shows_p_q_and_the_pull_and_is_lossy_above_0():
    exact, pulled = (run(temperature=1.0, seed=4, eta=eta) for eta in (0.0, 20.0))
    assert losses(exact.settings) == ()
    assert losses(pulled.settings) == (TRANSFER_LOSS,)
    rows = [row for step in exact.steps for row in step.record(Shortening).rows]
    assert rows
    assert all(row.pulled == pytest.approx(row.p, rel=1e-4) for row in rows)
    step = next(step for step in pulled.steps if step.record(Shortening).rows)
    found = step.record(Shortening)
    curves, bars = TRANSFER.of(step, (), 500)["figures"].values()
    at = curves["data"][0]["x"].index(20)
    row = next(row for row in found.rows if row.whole)
    assert curves["data"][0]["y"][at] == pytest.approx(min(1, row.pulled / row.q), rel=1e-3)
    assert [trace["name"][0] for trace in bars["data"]] == ["p", "q", "p"]
    wrong = found.rows[0].model_copy(update={"pulled": found.rows[0].pulled / 2 + 0.1})
    forged = step.model_copy(update={"records": {"rapid": found.model_copy(update={"rows": (wrong,)})}})
    steps = tuple(forged if one is step else one for one in pulled.steps)
    assert any("p̂ is" in problem for problem in violations(pulled.model_copy(update={"steps": steps})))


@pytest.mark.parametrize("eta", [0.0, 10.0])
def test_a_drafted_token_and_what_replaces_it_are_drawn_as_the_rule_says(eta):
    """χ² of the first token, with η = 0 the target's own distribution; and of the bonus, which nothing pulls."""
    p, q = torch.tensor([0.5, 0.3, 0.15, 0.05]), torch.tensor([0.2, 0.2, 0.58, 0.02])
    transfer, draws = Transfer(eta, 0.1), 2500
    taken = torch.minimum(q, transfer.pulled(p, q))
    rest = (p - taken).clamp(min=0)
    due = taken + (1 - taken.sum()) * rest / rest.sum()
    assert (float((due - p).abs().max()) < 1e-6) == (eta == 0)
    sampler, counts, bonus = Sampler(SamplingSettings(temperature=1.0)), np.zeros(4), np.zeros(4)
    for _ in range(draws):
        x = sampler.draw(q)
        tree = DraftTree.chain(0, [x], "model")
        verdict = verify(tree, p.log().expand(2, -1), [0], sampler, VerifySettings(), {0: q}, transfer=transfer)
        counts[x if verdict.path else verdict.extra] += 1
        bonus[verdict.extra] += bool(verdict.path)
    for found, shares in ((counts, due.double()), (bonus, p.double())):
        assert chisquare(found, (shares / shares.sum()).numpy() * found.sum()).pvalue > 1e-4


def test_a_changed_piece_is_found_out():
    done = run()
    step, *others = done.steps
    found = step.record(Shortening)
    for at, update in itertools.product((0, -1), ({"kept": True}, {"score": 99.0}, {"end": 1})):
        chunk = found.chunks[at]
        if update == {"kept": True} and chunk.kept:
            update = {"kept": False}
        chunks = tuple(chunk.model_copy(update=update) if one is chunk else one for one in found.chunks)
        forged = step.model_copy(update={"records": {"rapid": found.model_copy(update={"chunks": chunks})}})
        assert violations(done.model_copy(update={"steps": (forged, *others)})), update
