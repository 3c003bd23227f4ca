"""What a panel declares of itself. The page, the live stream and the saved page loop over the declarations.

A view is plain data for the browser: a :class:`GeneralView` where the page's general component draws it, any form
where the panel names a module of its own. No torch, no gradio.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NotRequired, TypedDict

from app.panels.drawing import Figure
from respec_core.trace.round import Step
from respec_core.trace.schema import Run, Token

View = Mapping[str, object]  # a TypedDict of the panel's own, or a GeneralView
OWN_TABS = ("tree", "retrieval", "trigger", "entropy", "timeline", "metrics")  # what every run is shown with
ID = re.compile(r"[a-z][a-z0-9_-]*")


class Column(TypedDict):
    """A column of a table; numbers stand to the right, what is ``mono`` in letters of one width."""

    key: str
    label: str
    numeric: NotRequired[bool]
    mono: NotRequired[bool]


TableCell = str | float | None
TableRow = Mapping[str, TableCell]  # by the columns' keys


class Table(TypedDict):
    """Rows by the columns' keys."""

    columns: list[Column]
    rows: Sequence[TableRow]


class GeneralView(TypedDict):
    """What there is to see, in a sentence and drawings by title.

    A mark's ``customdata`` is shown on hover: text, or an object that has it as ``note``. Such an object, and a row of the
    table, can be chosen where it has a ``node`` of the round's verified tree, or a ``round`` counted from 1.
    """

    sentence: str
    figures: NotRequired[dict[str, Figure]]
    table: NotRequired[Table]


class Described(TypedDict):
    """What the browser knows of a panel before there is anything to show."""

    id: str
    title: str
    tab: str
    scope: Literal["round", "run"]
    module: str | None


@dataclass(frozen=True)
class ById:
    """Marks views by their panels' ids: ``Annotated[dict[str, View | None], ById("RoundPanels")]``.

    Attributes:
        name: ``RoundPanels`` of a round, ``LivePanels`` of a run that goes on, ``RunPanels`` of a whole run; these with
            the lines of panels about rounds.
    """

    name: Literal["RoundPanels", "LivePanels", "RunPanels"]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What both kinds have.

    Attributes:
        id: its name in packets and in the page, unlike any other panel's.
        title: its heading.
        tab: its name among the tabs of a narrow page, where that is not the title.
        reads: parts of a round that it draws, names of records or of the trees beside the final one; without all of
            them there is nothing to show.
        module: the script in ``app/static`` that draws it; None for the general component.
    """

    scope: ClassVar[Literal["round", "run"]]
    view: Callable[..., View | None]
    id: str
    title: str
    tab: str = ""
    reads: tuple[str, ...] = ()
    module: str | None = None

    def __post_init__(self) -> None:
        if not ID.fullmatch(self.id) or self.id in OWN_TABS:
            raise ValueError(
                f"a panel's id is lower-case letters, digits, - and _, and not the page's own: {self.id!r}"
            )

    def finds(self, step: Step) -> bool:
        """Whether the round has what it reads."""
        return all(name in step.records or getattr(step.trees, name, None) is not None for name in self.reads)

    def described(self) -> Described:
        """Itself, for the browser."""
        tab = self.tab or self.title
        return {"id": self.id, "title": self.title, "tab": tab, "scope": self.scope, "module": self.module}


@dataclass(frozen=True, kw_only=True)
class RoundPanel(Panel):
    """A panel about the round that the reader looks at.

    Attributes:
        view: of a round, its tokens, and how many nodes or cells it may draw (see ``room.py``).
        total: a line about the whole run, shown beneath at its end; empty for nothing to say.
    """

    scope: ClassVar[Literal["round", "run"]] = "round"
    view: Callable[[Step, Sequence[Token], int], View | None]
    total: Callable[[Run], str] | None = None

    def of(self, step: Step, tokens: Sequence[Token], room: int) -> View | None:
        """The round's view, None where there is nothing to show."""
        return self.view(step, tokens, room) if self.finds(step) else None


@dataclass(frozen=True, kw_only=True)
class RunPanel(Panel):
    """A panel about a whole run.

    Attributes:
        live: whether it is drawn while the run goes on; each time anew, so it should be quick.
    """

    scope: ClassVar[Literal["round", "run"]] = "run"
    view: Callable[[Run], View | None]
    live: bool = False

    def of(self, run: Run) -> View | None:
        """The run's view, None where no round has what it reads, or where there is nothing to show."""
        return self.view(run) if not self.reads or any(self.finds(step) for step in run.steps) else None
