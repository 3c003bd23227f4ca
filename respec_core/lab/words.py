"""How the tokens of a recorded text read, so that an atlas can be shown without the model's tokenizer. Imports no torch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from respec_core.boundary.limits import Ids, LongText, PieceTexts
from respec_core.boundary.untrusted_json import parse_json
from respec_core.engine.pieces import Pieces
from respec_core.errors import ReSpecError
from respec_core.trace.schema import Run


class Words(BaseModel):
    """Texts of one recorded text.

    ``texts`` is what each output token adds to the output, as in a trace; ``pieces`` shows each of ``ids``, which are all
    tokens that the text, the target's opinions and the drafts hold; ``special`` are those that end texts or turns.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    prompt: LongText
    texts: PieceTexts
    ids: Ids
    pieces: PieceTexts
    special: Ids

    @classmethod
    def of(cls, run: Run, pieces: Pieces, ids: Iterable[int]) -> Words:
        """Of a run and every token that is recorded of it."""
        known = tuple(ids)
        return cls(
            prompt=run.prompt_text,
            texts=tuple(token.text for token in run.tokens),
            ids=known,
            pieces=tuple(map(pieces.piece, known)),
            special=tuple(filter(pieces.is_special, known)),
        )

    @classmethod
    def read(cls, column: NDArray[np.uint8], tokens: int) -> Words:
        """From a file's column, of a text of so many ``tokens``.

        Raises:
            ReSpecError: if these are no such texts.
        """
        try:
            found = cls.model_validate(parse_json(column.tobytes(), "what the tokens read as"))
        except ValidationError as error:
            raise ReSpecError("what the tokens read as is not what is recorded there") from error
        if len(found.texts) != tokens or len(found.pieces) != len(found.ids):
            raise ReSpecError("what the tokens read as is not of all tokens")
        return found

    def column(self) -> NDArray[np.uint8]:
        """For a file."""
        spelt = json.dumps(self.model_dump(), ensure_ascii=False, separators=(",", ":"))
        return np.frombuffer(spelt.encode("utf-8", "replace"), np.uint8)

    @cached_property
    def by_id(self) -> Mapping[int, str]:
        """Pieces by token."""
        return dict(zip(self.ids, self.pieces, strict=True))


class RecordedPieces(Pieces):
    """Pieces as they were recorded; a token that was not is shown by its number."""

    def __init__(self, words: Words) -> None:
        super().__init__(None)
        self.special_ids = frozenset(words.special)
        self._known = words.by_id

    def _piece(self, token: int) -> str:
        return self._known.get(token) or super()._piece(token)
