"""The loaded models of a process, shared by all runs and read-only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from respec_core.engine.pieces import Pieces
from respec_core.errors import ReSpecError
from respec_core.methods.family import named
from respec_core.methods.needs import Need, Resource
from respec_core.methods.registry import RESOURCES
from respec_core.retrieval.suffix_automaton import Cursor, SuffixCursor
from respec_core.trace.cost_curve import CostCurve

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel


class Beside(Protocol):
    """One of what a :class:`~respec_core.methods.needs.Resource` declares."""

    def describe(self) -> dict[str, Any]:
        """For the trace."""


Asked = TypeVar("Asked", bound=Beside)


@dataclass(frozen=True, init=False)
class Models:
    """A target and whatever was loaded beside it, one of a kind, asked for by type.

    Raises:
        ReSpecError: if one was made for another target.
        TypeError: for what no resource declares, or a second of its kind.
    """

    target: LanguageModel
    others: tuple[Beside, ...]

    def __init__(self, target: LanguageModel, *others: Beside) -> None:
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "others", others)
        if len(self._by_name) < len(others):
            raise TypeError("two of a kind were given")
        self._check_fit()

    def _check_fit(self) -> None:
        for resource in RESOURCES:
            if resource.fits and resource.name in self._by_name:
                named(resource.fits)(self.target, self._by_name[resource.name])

    @cached_property
    def _by_name(self) -> dict[str, Beside]:
        return {declared(type(other)).name: other for other in self.others}

    @cached_property
    def pieces(self) -> Pieces:
        """How the target's tokens read."""
        return Pieces(self.target.tokenizer)

    def get(self, kind: type[Asked]) -> Asked | None:
        """The ``kind`` that was loaded, if one was."""
        return next((other for other in self.others if isinstance(other, kind)), None)

    def loaded(self, resource: Resource) -> Beside | None:
        """What was loaded of a declared resource."""
        return self._by_name.get(resource.name)

    def require(self, kind: type[Asked], who: str) -> Asked:
        """The ``kind`` that was loaded; ``who`` asks.

        Raises:
            ReSpecError: if there is none, saying how to get it.
        """
        found = self.get(kind)
        if found is None:
            raise ReSpecError(f"{who} {declared(kind)}")
        return found

    def meets(self, need: Need) -> bool:
        """Whether there is what ``need`` asks for."""
        return any(name in self._by_name for name in need.met_by)

    def having(self, other: Beside) -> Models:
        """These, with ``other`` in place of what they have of its kind."""
        name = declared(type(other)).name
        return Models(self.target, *(self._by_name | {name: other}).values())

    @property
    def costs(self) -> CostCurve:
        """What the target's forwards cost here (measured once a machine, three seconds on a small model)."""
        from respec_core.models.costs import cost_curve

        return cost_curve(self.target)

    def cursor(self, prompt: Sequence[int]) -> Cursor:
        """On a run's own text, behind ``prompt``."""
        return SuffixCursor.behind(prompt)

    def describe(self) -> dict[str, Any]:
        """For the trace: names, origin of the weights, precision, device."""
        there = {r.in_trace or r.name: self._by_name[r.name] for r in RESOURCES if r.name in self._by_name}
        return {name: one.describe() for name, one in {"target": self.target, **there}.items()}


def declared(kind: type) -> Resource:
    """The declaration of ``kind``.

    Raises:
        TypeError: if there is none.
    """
    found = next((resource for resource in RESOURCES if issubclass(kind, named(resource.kind))), None)
    if found is None:
        raise TypeError(f"no resource declares {kind.__qualname__}")
    return found
