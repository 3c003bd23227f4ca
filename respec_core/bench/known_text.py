"""A target that has written its text already: methods are counted on it without a forward a round.

A strict greedy target accepts exactly what it would have written itself. Once that is known, one pass over the whole text
gives every logit and hidden state that verification and drafters look at, and a round costs only the drafting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from respec_core.engine.target import Output
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.language_model import LanguageModel
from respec_core.models.session import PREFILL_CHUNK, Session

Hidden = dict[int, torch.Tensor]


class KnownText(LanguageModel):
    """``model`` with the answer that it gives to ``prompt``.

    Rows of nodes that leave the answer are zeros: right for whatever only looks at the accepted path, wrong for methods
    that learn from rejected nodes (Token Recycling).
    """

    def __init__(self, model: LanguageModel, prompt: Sequence[int], answer: Sequence[int]) -> None:
        super().__init__(model.network, model.tokenizer, model.name, model.origin)
        self.max_context, self.eos_ids = model.max_context, model.eos_ids
        self.model, self.prompt, self.answer = model, tuple(prompt), tuple(answer)
        self._read: dict[tuple[int, ...], tuple[torch.Tensor, Hidden]] = {}

    def session(self, capacity: int, layers: Sequence[int] = ()) -> Session:
        """A session that looks everything up."""
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


class KnownSession(Session):
    """The place in the text."""

    def __init__(self, text: KnownText, layers: tuple[int, ...]) -> None:
        super().__init__(text, 1, layers)
        self.text, self._length = text, 0

    @property
    def length(self) -> int:
        """Tokens committed."""
        return self._length

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
        node, nodes = 0, [0]
        for token in answer[at:]:
            child = tree.child(node, token)
            if child is None:
                break
            node = child
            nodes.append(node)
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
