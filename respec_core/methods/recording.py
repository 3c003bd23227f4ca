"""How a resource is recorded for the lab, and answers from the record instead of thinking: declared beside the resource.

An *atlas* (``lab/``) is one plain decoding of each prompt. At every output position each recorder writes down what its
resource would have drafted there. A replay then runs the methods' own routers and drafters on these records.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from respec_core.engine.drafting import Context, Draft, Drafter
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.settings.declaring import Settings

if TYPE_CHECKING:
    from respec_core.methods.resources import Beside

RecordedColumns = Mapping[str, NDArray[Any]]  # of one prompt, one row an output position


class Elapsed:
    """A replay's time: it passes by what was recorded, and only so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def restart(self) -> None:
        """Count from 0, so that a round's time is the same to the last bit whenever it comes."""
        self.seconds = 0.0

    def now(self) -> float:
        """Seconds so far."""
        return self.seconds

    def add(self, ms: float) -> None:
        """Let ``ms`` milliseconds pass."""
        self.seconds += ms / 1e3


class Recorder(Drafter):
    """Writes down, at every position of one text, what its resource drafts there."""

    @abstractmethod
    def record(self, context: Context) -> None:
        """Of the position behind ``context.root``."""

    @abstractmethod
    def columns(self) -> RecordedColumns:
        """All positions so far."""

    def propose(self, context: Context) -> Draft:
        """Nothing: the text is decoded plainly."""
        self.record(context)
        return Draft(DraftTree.root(context.root))


@dataclass(frozen=True)
class Recording:
    """What a resource declares.

    Attributes:
        options: how much is recorded; its fields with their defaults.
        recorder: a fresh recorder for one text, from (resource, options).
        facts: what a replay must know of the resource itself, as JSON, from it.
        able: whether this resource, one of its kind, can be recorded.
        replayed: a resource of the same kind that answers from a text's columns, from (columns, vocabulary size, options,
            facts, time); raises ``ReSpecError`` for columns that this recorder cannot have written.
    """

    options: type[Settings]
    recorder: Callable[[Any, Any], Recorder]
    facts: Callable[[Any], dict[str, Any]]
    replayed: Callable[[RecordedColumns, int, Any, Mapping[str, Any], Elapsed], Beside]
    able: Callable[[Any], bool] = lambda resource: True


def column(columns: RecordedColumns, name: str, kind: type[np.generic], shape: Sequence[int | None]) -> NDArray[Any]:
    """A column of this kind and shape (None: any length), every number of it finite.

    Raises:
        ReSpecError: if it is missing or otherwise.
    """
    found = columns.get(name)
    if found is None:
        raise ReSpecError(f"the column {name} is missing")
    fits = len(found.shape) == len(shape) and all(w in (None, n) for n, w in zip(found.shape, shape, strict=True))
    if found.dtype != kind or not fits or not np.isfinite(found).all():
        raise ReSpecError(f"the column {name} is not what is recorded there")
    return found


def token_column(columns: RecordedColumns, name: str, vocab: int, shape: Sequence[int | None]) -> NDArray[np.int32]:
    """Token ids below ``vocab``.

    Raises:
        ReSpecError: if they are otherwise.
    """
    found = column(columns, name, np.int32, shape)
    if found.size and not 0 <= int(found.min()) <= int(found.max()) < vocab:
        raise ReSpecError(f"the column {name} holds ids that are no tokens")
    return found
