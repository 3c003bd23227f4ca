"""A target that has written its text already: methods are counted on it without a forward a round.

A strict greedy target accepts exactly what it would have written itself. Once that is known, one pass over the whole text
gives every logit and hidden state that verification and drafters look at, and a round costs only the drafting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from respec_core.engine.pieces import Pieces
from respec_core.engine.target import Loaded, Output, Target
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.session import PREFILL_CHUNK
from respec_core.trace.cost_curve import CostCurve

Hidden = dict[int, torch.Tensor]


class KnownText:
    """The :class:`~respec_core.engine.target.Target` ``model`` with the answer that it gives to ``prompt``.

    Rows of nodes that leave the answer are zeros: right for whatever only looks at the accepted path, wrong for methods
    that learn from rejected nodes (Token Recycling).
    """

    def __init__(self, model: Target, prompt: Sequence[int], answer: Sequence[int]) -> None:
        self.name, self.device, self.vocab_size = model.name, model.device, model.vocab_size
        self.max_context, self.eos_ids = model.max_context, model.eos_ids
        self.model, self.prompt, self.answer = model, tuple(prompt), tuple(answer)
        self._read: dict[tuple[int, ...], tuple[torch.Tensor, Hidden]] = {}

    def session(self, capacity: int, layers: Sequence[int] = ()) -> KnownSession:
        """A session that looks everything up and holds nothing, whatever the ``capacity``."""
        return KnownSession(self, tuple(layers))

    def read(self, layers: tuple[int, ...]) -> tuple[torch.Tensor, Hidden]:
        """Logits ``[1 + answer, vocab]`` from the prompt's last token on; hidden states ``[prompt + answer, width]``."""
        if layers not in self._read:
            session = self.model.session(len(self.prompt) + len(self.answer), layers)
            parts = [hidden for _, hidden in session.prefill(self.prompt[:-1])]
            output = session.forward(DraftTree.chain(self.prompt[-1], self.answer, "model"))
            hidden = {layer: torch.cat([*(p[layer] for p in parts), output.hidden[layer]]) for layer in layers}
            self._read[layers] = output.logits, hidden
        return self._read[layers]


class KnownSession:
    """The place in the text."""

    def __init__(self, text: KnownText, layers: tuple[int, ...]) -> None:
        self.text, self.layers = text, layers
        self._length = 0  # tokens committed

    def prefill(self, ids: Sequence[int], chunk: int = PREFILL_CHUNK) -> Iterator[tuple[int, Hidden]]:
        """The prompt's hidden states, as if it were fed."""
        _, hidden = self.text.read(self.layers)
        for start in range(0, len(ids), chunk):
            end = min(start + chunk, len(ids))
            self._length = end
            yield end, {layer: states[start:end] for layer, states in hidden.items()}

    def forward(self, tree: DraftTree) -> Output:
        """The rows of the tree's nodes that follow the text.

        Raises:
            ReSpecError: if what was committed is not the text.
        """
        known, states = self.text.read(self.layers)
        at, answer = self._length - len(self.text.prompt) + 1, self.text.answer
        if tree.tokens[0] != (self.text.prompt[-1:] + answer)[at]:
            raise ReSpecError(f"The run left the text of plain decoding at token {at - 1}.")
        nodes = [0, *tree.along(answer[at:])]
        logits = known.new_zeros(len(tree), known.shape[1])
        logits[nodes] = known[at : at + len(nodes)]
        hidden = {}
        for layer, rows in states.items():
            hidden[layer] = rows.new_zeros(len(tree), rows.shape[1])
            hidden[layer][nodes] = rows[self._length : self._length + len(nodes)]
        return Output(logits, hidden)

    def keep(self, rows: Sequence[int]) -> None:
        """Commit nodes."""
        self._length += len(rows)


@dataclass(frozen=True)
class KnownLoaded:
    """``models`` with a known text in the target's place; the drafters are made with ``models`` themselves."""

    models: Loaded
    target: KnownText

    @property
    def pieces(self) -> Pieces:
        """How the target's tokens read."""
        return self.models.pieces

    @property
    def costs(self) -> CostCurve:
        """What the target's own forwards cost."""
        return self.models.costs

    def describe(self) -> dict[str, Any]:
        """For the trace: what is counted for."""
        return self.models.describe()
