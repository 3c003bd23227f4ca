"""What every record of a trace is, and what a method may add to a round. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    create_model,
)

from respec_core.boundary.limits import (
    MAX_CANDIDATES,
    MAX_TEXT,
    Probability,
    TokenId,
)

NO_RECORDS = {"lattice": None, "adl": None}  # written in every round, also by methods that leave no such record
Fault = tuple[str, str]  # where, and what is wrong there


class Record(BaseModel):
    """Base of everything in a trace: immutable, unknown names refused, numbers finite, texts of moderate length."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_max_length=MAX_TEXT)

    @classmethod
    def trusted(cls, **values: Any) -> Self:
        """From values of our own, unchecked: as :meth:`model_construct`, which asks every field for its default each time."""
        made = cls.__new__(cls)
        set_in = object.__setattr__
        set_in(made, "__dict__", _defaults(cls) | values)
        set_in(made, "__pydantic_fields_set__", {*values})
        set_in(made, "__pydantic_extra__", None)
        set_in(made, "__pydantic_private__", None)
        return made


@cache
def _defaults(kind: type[Record]) -> dict[str, Any]:
    """Every field in its order; those that must be given hold nothing yet."""
    return {name: field.get_default(call_default_factory=True) for name, field in kind.model_fields.items()}


class Candidate(Record):
    """A token with its probability."""

    token: TokenId
    text: str
    p: Probability


Candidates = Annotated[tuple[Candidate, ...], Field(max_length=MAX_CANDIDATES, fail_fast=True)]


class MethodRecord(Record):
    """Base of what a method adds to a round's record: it says itself what shared checks ask of it."""

    def faults(self) -> Iterator[Fault]:
        """Where its parts do not hang together, and how: what anything that reads it relies on."""
        return iter(())

    @property
    def cells(self) -> int:
        """How much it holds, for the limit on all records of a trace together."""
        return 0

    def spelt(self) -> Iterator[tuple[int, str]]:
        """Every token it names, with its text."""
        return iter(())

    @property
    def ends(self) -> frozenset[int]:
        """Tokens that it marks as ends of a text."""
        return frozenset()


Kept = TypeVar("Kept", bound=MethodRecord)


class RecordKinds:
    """The records that methods may add to a round, by name; the context in which traces are validated."""

    def __init__(self, kinds: Mapping[str, type[MethodRecord]]) -> None:
        self._names = kinds.keys()
        fields: Any = {name: (kind | None, None) for name, kind in kinds.items()}
        self._model = create_model("Records", __base__=Record, **fields)

    def json_schema(self) -> dict[str, Any]:
        """Of an object that holds nothing but the records."""
        return self._model.model_json_schema()

    def gather(self, round: Mapping[str, Any]) -> dict[str, Any]:
        """``round`` with its records validated and under ``records``.

        Raises:
            ValidationError: for a record that is not of its kind.
        """
        given = {name: round[name] for name in self._names if name in round}
        records = {name: record for name, record in self._model.model_validate(given) if record is not None}
        empty = {name for name in NO_RECORDS if round.get(name) is None}
        return {name: value for name, value in round.items() if name not in given.keys() | empty} | {"records": records}
