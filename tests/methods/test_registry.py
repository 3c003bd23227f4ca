"""The families there are: one baseline, and packages that cannot bring another."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from respec_core.methods import registry
from respec_core.methods.family import Family, Method
from respec_core.methods.registry import BASELINE, METHODS
from respec_core.methods.vanilla.settings import VanillaSettings


@dataclass(frozen=True)
class Entry:
    """An entry point of a package."""

    baseline: bool
    name: str = "other"
    value: str = "other:FAMILY"

    def load(self) -> Family:
        place = "respec_core.methods.vanilla.drafter:build"
        method = Method("other", "Other", "none", "None.", VanillaSettings, place, baseline=self.baseline)
        return Family("other", (method,))


def families(monkeypatch: pytest.MonkeyPatch, entry: Entry) -> list[str]:
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    return [family.name for family in registry._families()]


def test_one_method_is_the_baseline() -> None:
    assert [method for method in METHODS if method.baseline] == [BASELINE]
    assert not BASELINE.drafts


def test_a_package_brings_methods_but_no_second_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    assert families(monkeypatch, Entry(baseline=False))[-1] == "other"
    with pytest.warns(UserWarning, match="there is a baseline already"):
        assert "other" not in families(monkeypatch, Entry(baseline=True))
