"""What methods add to traces: their settings, their records, checks of both, and how they draft. Imports no torch.

A trace is read with them (``files.py``) and checked with them (``invariants.py``); this room names no method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from respec_core.errors import ReSpecError, quoted
from respec_core.settings.declaring import Settings
from respec_core.settings.from_trace import Kinds, declared_kinds, fault_in
from respec_core.settings.run_config import SHARED_GROUPS
from respec_core.trace.record import Fault, MethodRecord, RecordKinds
from respec_core.trace.traits import USUAL, Traits

if TYPE_CHECKING:
    from respec_core.trace.checks.reading import Reading

Check = Callable[["Reading"], Iterator[str]]


@dataclass(frozen=True)
class Extensions:
    """Declared by the registered methods.

    Attributes:
        settings: every method's own, by its name.
        records: kinds of records by their name in a round.
        checks: further groups of invariants; each is asked of every trace.
        traits: how methods draft, by name.
    """

    settings: Mapping[str, type[Settings]]
    records: Mapping[str, type[MethodRecord]]
    checks: Mapping[str, Check]
    traits: Mapping[str, Traits] = field(default_factory=dict)

    @cached_property
    def kinds(self) -> RecordKinds:
        """The context in which a trace is validated."""
        return RecordKinds(self.records)

    def params(self, method: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """A method's settings from a trace, with today's defaults for those that it does not name.

        Raises:
            ReSpecError: for an unknown method.
            ValidationError: for a value that is not possible.
        """
        if method not in self.settings:
            raise ReSpecError(f"There is no method {quoted(method)}; there are: {', '.join(self.settings)}.")
        return self.settings[method](**values).model_dump()

    def traits_of(self, method: str) -> Traits:
        """How a method drafts."""
        return self.traits.get(method, USUAL)

    def settings_fault(self, config: Mapping[str, Any]) -> Fault | None:
        """The first section or setting of a trace that is not what its name says."""
        return fault_in(config, self._declared)

    @cached_property
    def _declared(self) -> Mapping[str, Kinds]:
        groups = {name: [group] for name, group in SHARED_GROUPS.items()}
        return declared_kinds({**groups, "params": [*dict.fromkeys(self.settings.values())]})
