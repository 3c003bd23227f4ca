"""What ToolSpec adds to a round of the trace."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from respec_core.boundary.limits import MAX_FEW, Count, Names
from respec_core.trace.record import MethodRecord, Record

CallState = Literal["init", "first_param", "remaining_param", "value", "done"]
STATES: tuple[CallState, ...] = ("init", "first_param", "value", "remaining_param", "done")


class Recalled(Record):
    """An earlier answer by its number, and how alike its question is: the cosine of both questions' last hidden states."""

    answer: Count
    cosine: Annotated[float, Field(ge=-1.001, le=1.001)]


class ToolState(MethodRecord):
    """Where the text stood in a tool call before the round, and the ``expected`` texts of which the schema lets one follow.

    ``recalled``: the earlier answers that were searched beside the run's own text, the most alike first.
    """

    state: CallState
    tool: str | None = None
    parameter: str | None = None
    expected: Names = ()
    recalled: Annotated[tuple[Recalled, ...], Field(max_length=MAX_FEW)] = ()
