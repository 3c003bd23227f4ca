"""While a model is opened Python does not search for garbage, and it never again searches what was imported before."""

import gc

import pytest

from respec_core.models.collecting import leave_out_modules, uncollected


def test_searches_wait_and_come_back() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()  # the outer one still goes on
    assert gc.isenabled()


def test_an_error_brings_them_back() -> None:
    with pytest.raises(ValueError, match="broken"), uncollected():
        raise ValueError("broken")
    assert gc.isenabled()


def test_who_does_without_them_goes_on_without() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_was_imported_is_left_out_once() -> None:
    leave_out_modules()
    left_out = gc.get_freeze_count()
    assert left_out > 10_000  # torch alone
    kept = [[i] for i in range(50_000)]
    leave_out_modules()
    assert gc.get_freeze_count() <= left_out, "what came later can still be collected"
    assert len(kept) == 50_000
