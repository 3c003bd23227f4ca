"""Copies and a model's draft in one tree of a fixed size (ours); what both propose is verified once."""

from __future__ import annotations

from dataclasses import replace

from respec_core.engine.drafting import Draft, Part


def side_by_side(copied: Draft, drafted: Draft, nodes: int) -> Draft:
    """The ``nodes`` that are likeliest to be accepted, whoever proposed them: the best of both below one root."""
    if not drafted.size:
        return replace(copied, tree=copied.tree.prune(nodes))
    return replace(
        drafted,
        tree=drafted.tree.merge(copied.tree).prune(nodes),
        hits=copied.hits,
        distributions={},  # these hold for a lone path
        parts={"drafter": Part(drafted.tree), "retrieval": Part(copied.tree)},
        reason=f"{copied.reason}; beside {drafted.reason}",
    )
