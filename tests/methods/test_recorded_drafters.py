"""Records of drafters that no recorder wrote are refused, in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.recorded import DiffusionRecording, RecordedDiffusion, shipped_corpora
from respec_core.methods.draft_model.recorded import DraftModelRecording, RecordedDraftModel
from respec_core.methods.recording import Elapsed

VOCAB = 10
FACTS = {"described": {}, "longest": 2, "context": None, "corpus": None, "counted": 0}
COLUMNS = {
    "tokens": np.array([[[1, 2], [3, -1]]], np.int32),
    "log_p": np.zeros((1, 2, 2), np.float32),
    "ms": np.ones(1, np.float32),
}


def diffusion(columns=COLUMNS, **facts) -> RecordedDiffusion:
    options = DiffusionRecording(candidates=2)
    return RecordedDiffusion.of(columns, VOCAB, options, FACTS | facts, Elapsed())


def test_recorded_candidates_are_looked_up_as_far_as_they_go():
    model = diffusion()
    denoiser = model.denoiser()
    denoiser.begin((4, 5))
    assert denoiser.ready()
    filled = denoiser.filled((4, 5), 2, 1, 2)
    assert filled.tokens == ((1, 2), (3,))
    assert denoiser.filled((4, 5), 1, 1, 1).tokens == ((1,),)
    assert model.time.now() == pytest.approx(2e-3)
    assert model.corpus_counts() is None
    with pytest.raises(ReSpecError, match="decode with the model"):
        denoiser.log_p((4, 5), 1, {})


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"longest": "2"}, "does not describe itself"),
        ({"more": 1}, "does not describe itself"),
        ({"longest": 3}, "tokens is not what"),
        ({"corpus": "elsewhere", "counted": 2**40}, "another vocabulary"),
        ({"corpus": "elsewhere", "counted": 3}, "another vocabulary"),
    ],
)
def test_a_diffusion_model_described_otherwise_is_refused(facts, says):
    with pytest.raises(ReSpecError, match=says):
        diffusion(**facts)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("tokens", np.full((1, 2, 2), VOCAB, np.int32), "no tokens"),
        ("tokens", np.full((1, 2, 2), -2, np.int32), "no tokens"),
        ("log_p", np.ones((1, 2, 2), np.float32), "above 1"),
        ("ms", np.full(1, np.inf, np.float32), "ms is not what"),
    ],
)
def test_candidates_that_are_none_are_refused(name, value, says):
    with pytest.raises(ReSpecError, match=says):
        diffusion(COLUMNS | {name: value})


@pytest.mark.parametrize("corpus", ["elsewhere", "../../etc", "drafters"])
def test_a_corpus_that_does_not_come_with_the_program_is_not_read(corpus):
    with pytest.raises(ReSpecError, match="does not come with this program"):
        diffusion(corpus=corpus, counted=VOCAB).corpus_counts()
    assert corpus not in shipped_corpora()


def test_a_draft_model_described_otherwise_is_refused():
    with pytest.raises(ReSpecError, match="does not describe itself"):
        RecordedDraftModel.of({}, VOCAB, DraftModelRecording(), {"name": "x"}, Elapsed())
    with pytest.raises(ReSpecError, match=r"0.tokens is missing"):
        RecordedDraftModel.of({}, VOCAB, DraftModelRecording(), {"described": {}, "name": "x", "context": 9}, Elapsed())
