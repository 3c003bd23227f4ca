"""What a schema lets follow, as a draft tree of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from respec_core.engine.drafting import Context
from respec_core.engine.tree import DraftTree

LOOK_BACK = 16  # committed tokens with which an expected text is spelt, so that tokens across its beginning are right


class Speller:
    """Texts as the target would write them; nothing without a tokenizer."""

    def __init__(self, tokenizer: Any | None) -> None:
        self.tokenizer = tokenizer

    def behind(self, newest: Sequence[int], tail: str, text: str) -> tuple[int, ...]:
        """The ids of ``text`` behind ``newest``, which read as ``tail``; spelt together where that begins with these ids."""
        together = self._ids(tail + text)
        if len(together) > len(newest) and list(together[: len(newest)]) == list(newest):
            return together[len(newest) :]
        return self._ids(text)

    def _ids(self, text: str) -> tuple[int, ...]:
        if self.tokenizer is None:
            return ()
        return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def skeleton(context: Context, expected: Sequence[str], speller: Speller, most: int) -> DraftTree:
    """All expected texts as one tree, no deeper than there is room; a node's score is the share of them that go through it.

    Args:
        most: nodes below the root.
    """
    newest = list(context.ids[max(context.prompt_len, len(context.ids) - LOOK_BACK) :])
    tail = context.pieces.text(newest)
    ways = [ids for one in expected if (ids := speller.behind(newest, tail, one)[: max(context.room, 0)])]
    through: dict[tuple[int, ...], int] = {}
    for ids in ways:
        for depth in range(1, len(ids) + 1):
            through[ids[:depth]] = through.get(ids[:depth], 0) + 1
    order = sorted(through, key=len)
    index = {(): 0} | {path: i for i, path in enumerate(order, 1)}
    tree = DraftTree.grown(
        [context.root, *(path[-1] for path in order)],
        [-1, *(index[path[:-1]] for path in order)],
        "schema",
        scores=[1.0, *(through[path] / len(ways) for path in order)],
    )
    return tree.prune(most) if len(order) > most else tree
