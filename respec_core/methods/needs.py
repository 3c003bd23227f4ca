"""What can be loaded beside a target, as it is declared: by families, and for all in ``parts/shared.py``. Imports no torch.

Command line, :class:`~respec_core.methods.opening.ModelChoice`, loading, the trace and what methods need follow these
declarations; nothing lists them by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from graphlib import CycleError, TopologicalSorter


@dataclass(frozen=True)
class Need:
    """What a method cannot run without.

    Attributes:
        name: what it is called in sentences.
        how_to_get: what the user should do to have it, going on behind a colon.
    """

    name: str
    how_to_get: str

    @property
    def met_by(self) -> tuple[str, ...]:
        """Names of the resources of which any one will do."""
        return (self.name,)

    def __str__(self) -> str:
        return f"needs a {self.name}: {self.how_to_get}"


@dataclass(frozen=True)
class OneOf(Need):
    """Any of several resources, whichever there is; named, since a family imports no other."""

    resources: tuple[str, ...]

    @property
    def met_by(self) -> tuple[str, ...]:
        """Names of the resources of which any one will do."""
        return self.resources


@dataclass(frozen=True)
class Resource(Need):
    """A kind of thing that is loaded once, beside the target, and shared by all runs.

    Attributes:
        name: also the command line's option ``--name``.
        kind: ``module:Class``, by which methods ask for it; no two resources share one. It has a method ``describe()``,
            which gives what the trace says of it.
        opener: ``module:function`` from (choice, models, progress) to one, or None where it is neither asked for nor
            comes with the target; ``models`` has the target and what is named in ``after``.
        help: of the option.
        metavar: what the option's value is called.
        fits: ``module:function`` from (target, resource), which raises ``ReSpecError`` where these do not go together.
        after: names of the resources that the opener looks at, if they are there.
        in_trace: its name in the trace's ``models``, if another.
        recording: ``module:RECORDING``, how the lab records it; None where it cannot be recorded, or needs no model.
    """

    _: KW_ONLY
    kind: str
    opener: str
    help: str
    metavar: str = "NAME"
    fits: str | None = None
    after: tuple[str, ...] = ()
    in_trace: str = ""
    recording: str | None = None

    @property
    def key(self) -> str:
        """Its name as an identifier."""
        return self.name.replace("-", "_")


def opening_order(resources: Sequence[Resource]) -> tuple[Resource, ...]:
    """Each behind those that it is opened after, else as given.

    Raises:
        ValueError: where two share a name or a kind, one follows what is not there, or some follow each other.
    """
    by_name = {resource.name: resource for resource in resources}
    for names in ([r.name for r in resources], [r.kind for r in resources]):
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"there are two resources {twice}")
    for resource in resources:
        if unknown := next((name for name in resource.after if name not in by_name), None):
            raise ValueError(f"{resource.name} is opened after {unknown}, which is not there")
    try:
        order = list(TopologicalSorter({r.name: r.after for r in resources}).static_order())
    except CycleError as error:
        raise ValueError(f"resources are opened after each other: {', '.join(error.args[1])}") from error
    return tuple(by_name[name] for name in order)
