"""A retrieved continuation as the trace records it."""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.drafters.base import Context
from respec_core.trace import Hit

SNIPPET = 12


def context_hit(context: Context, id: int, end: int, match_len: int, continuation: Sequence[int]) -> Hit:
    """A match in prompt or output: ``ids[end - match_len : end]`` equals the suffix, ``continuation`` follows it."""
    piece = context.pieces.piece
    matched = tuple(context.ids[end - min(match_len, SNIPPET) : end])
    return Hit.model_construct(
        id=id,
        corpus="prompt" if end <= context.prompt_len else "generated",
        end_pos=end,
        match_len=match_len,
        snippet="".join(map(piece, matched)),
        continuation="".join(map(piece, continuation)),
        snippet_ids=matched,
        cont_ids=tuple(continuation),
        why=f"match of {match_len} tokens",
    )
