"""What the header says of a target beside its name."""

from __future__ import annotations

from tiny import StubModel

from app.loading import how_it_runs
from respec_core.models.registry import find_target


def target(name: str, dtype: str, note: str = "") -> StubModel:
    model = StubModel(lambda ids: [0.0] * 16, name=name, dtype_name=dtype)
    model.note = note
    return model


def test_device_and_precision():
    assert how_it_runs(target("smollm2-135m", "fp32")) == "cpu · fp32"


def test_int8_says_how_far_it_is_from_fp32_where_that_was_measured():
    entry = find_target("smollm2-135m")
    assert entry is not None
    assert entry.int8_kl is not None
    assert how_it_runs(target("smollm2-135m", "int8")) == f"cpu · int8, KL {entry.int8_kl} to fp32"
    assert how_it_runs(target("someone/else", "int8")) == "cpu · int8"


def test_what_was_asked_for_and_is_not_to_be_had_is_said():
    said = how_it_runs(target("smollm2-135m", "fp32", "fp32 in place of int8: it needs an x86 processor"))
    assert said == "cpu · fp32 · fp32 in place of int8: it needs an x86 processor"
