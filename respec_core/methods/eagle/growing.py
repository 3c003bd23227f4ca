"""Who grows an EAGLE drafter's trees: the network itself, or a record of what it grew."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from respec_core.engine.drafting import Context, Part, Round
from respec_core.engine.first_step import FirstStep
from respec_core.engine.tree import DraftTree

Promising = Callable[[Sequence[float]], Sequence[int]]  # below which of nodes of these path probabilities to grow
RUNNERS_UP = 32  # nodes dropped by the reranking that a trace shows


@dataclass(frozen=True)
class GrownTree:
    """A tree before reranking: scores are path probabilities, ``draft_p`` the head's own for each node.

    Attributes:
        first: the head's distribution behind the root.
    """

    tree: DraftTree
    first: FirstStep
    _best: dict[int, tuple[DraftTree, Part]] = field(default_factory=dict, repr=False)

    def best(self, nodes: int) -> tuple[DraftTree, Part]:
        """The best ``nodes`` below the root; and beside them the best of what was not kept, for the trace.

        Recording all that grew would cost a tenth of a round.
        """
        if nodes not in self._best:
            order = self.tree.best(nodes + RUNNERS_UP)
            shown = self.tree.keep(order)
            part = Part(shown, dict.fromkeys(shown.best(len(shown))[nodes:], "rerank"))
            self._best[nodes] = self.tree.keep(order[:nodes]), part
        return self._best[nodes]


class Grower(ABC):
    """One run's view of a head; told all that a drafter is told.

    Attributes:
        hidden_layers: hidden states of the target that it reads.
        trained_context: tokens of context that the head was trained on, if it says.
    """

    hidden_layers: tuple[int, ...] = ()
    trained_context: int | None = None

    def begin(self, prompt: Sequence[int]) -> None:  # noqa: B027 - optional
        """The prompt is known."""

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:  # noqa: B027 - optional
        """Hidden states ``[tokens, width]`` of the next prompt chunk, for those who asked."""

    def observe(self, round: Round) -> None:  # noqa: B027 - optional
        """A round was committed."""

    @abstractmethod
    def grown(self, context: Context, top_k: int, levels: int, choose: Promising) -> GrownTree | None:
        """The tree below ``context.root``; None where no feature of the target was seen yet.

        Args:
            choose: asked with the frontier's path probabilities before every level but the first; none ends the tree.
        """


class Head(ABC):
    """What is loaded once and shared by all runs."""

    @property
    @abstractmethod
    def said(self) -> Tensor:
        """Token ids that it can say, ascending ``[n]``."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """For the trace: what it is."""

    @abstractmethod
    def grower(self) -> Grower:
        """A fresh view for one run."""
