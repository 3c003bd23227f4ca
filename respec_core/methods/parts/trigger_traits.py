"""How methods with ReSpec's switch draft, for the shared checks. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable

from respec_core.trace.traits import Params, Traits


def triggered(samples: Callable[[Params], bool] = lambda params: False) -> Traits:
    """Their traits; path scores and sizes of copies are checked with the copies (``lineage_check.py``)."""
    return Traits(
        "entropy",
        samples=samples,
        levels=lambda params: params.get("scored_by") == "lineage",  # without a name it was by position
        reads=lambda params: int(params["max_draft"]),
        score=None,
        one_size=True,
    )
