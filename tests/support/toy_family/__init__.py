"""A method family of another package: all that it is lies in this folder. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from toy_family.record import Memory
from toy_family.settings import ToySettings

FAMILY = Family(
    "toy",
    (
        Method(
            "toy",
            "Toy",
            "of no paper",
            "What followed each token last is drafted again, one token after the other.",
            ToySettings,
            "toy_family.drafter:build",
        ),
    ),
    records={"memory": Memory},
    checks=(("memory", "toy_family.check:memory_problems"),),
    panels=("toy_family.panel:ROUND", "toy_family.panel:GROWTH"),
)
