"""How much ToolSpec may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.parts.head_tree import HeadTree
from respec_core.methods.parts.model_sketch import model_parts
from respec_core.methods.toolspec.settings import LENGTHS, LEVELS, ToolSpecSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch


def sketch(config: RunConfig) -> Sketch:
    """A round has one of the three."""
    settings = ToolSpecSettings(**config.params)
    most = settings.schema_nodes
    copies = tuple(sum(length >= depth for length in LENGTHS) for depth in range(1, max(LENGTHS) + 1))
    fallback = HeadTree(nodes=settings.fallback_nodes + 1, depth=len(LEVELS), top_k=8)
    return Sketch(
        (
            Portion("the schema", "schema", (most,) * most, most),
            Portion("earlier calls", "dynamic", copies),
            *model_parts("recycling", fallback, LEVELS),
        )
    )
