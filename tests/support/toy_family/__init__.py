"""A method family of another package: all that it is lies in this folder. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.needs import Resource
from toy_family.record import Memory
from toy_family.settings import ToySettings

NOTEBOOK = Resource(
    "notebook",
    "write one, a JSON list of [token, successor] pairs, and give --notebook FILE.",
    kind="toy_family.notebook:Notebook",
    opener="toy_family.notebook:open_notebook",
    help="successors for the toy to start from",
    metavar="FILE",
    fits="toy_family.notebook:fit",
)
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
        Method(
            "toy-noted",
            "Toy with a notebook",
            "of no paper",
            "The same, and some successors are known from the start.",
            ToySettings,
            "toy_family.drafter:build_noted",
            (NOTEBOOK,),
        ),
    ),
    resources=(NOTEBOOK,),
    records={"memory": Memory},
    checks=(("memory", "toy_family.check:memory_problems"),),
    panels=("toy_family.panel:ROUND", "toy_family.panel:GROWTH"),
)
