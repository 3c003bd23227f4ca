"""How large a trace may be, and the ranges of what stands in it. Far above what the engine writes.

Pydantic applies them where a trace is read; the engine's own records are constructed without validation. Sequences fail
at their first bad entry, so that a hostile file costs no list of a million errors.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

MAX_ROUNDS = 10_000
MAX_IDS = 2**20  # token ids in one list: prompts fit every context length there is
MAX_OUTPUT = 2**14  # tokens written
MAX_VOCABULARY = 2**20
MAX_TREE_NODES = 2**13
MAX_DRAFT = 128  # nodes that a target is sent at once, whatever a method drafts
MAX_NODES = 2**18  # in all trees of all rounds
MAX_HITS = 256  # a round
MAX_POSITIONS, MAX_CANDIDATES, MAX_BEAMS, MAX_PASSES = 256, 64, 64, 64
MAX_CELLS = 2**17  # candidates in all lattices of all rounds, refinement passes included
MAX_FEW = 256  # entries of whatever is short by nature
MAX_TEXT = 2**16  # characters of a piece, a reason, a snippet
MAX_LONG_TEXT = 2**22  # characters of a whole prompt or output

ROUNDING = 1e-3

Count = Annotated[int, Field(ge=0, lt=2**31)]
Offset = Annotated[int, Field(gt=-(2**31), lt=2**31)]
TokenId = Annotated[int, Field(ge=0, lt=MAX_VOCABULARY)]
Probability = Annotated[float, Field(ge=0, le=1 + ROUNDING)]
LogProbability = Annotated[float, Field(ge=-1e4, le=ROUNDING)]
Duration = Annotated[float, Field(ge=0)]
LongText = Annotated[str, Field(max_length=MAX_LONG_TEXT)]

Ids = Annotated[tuple[TokenId, ...], Field(max_length=MAX_IDS, fail_fast=True)]
OutputIds = Annotated[tuple[TokenId, ...], Field(max_length=MAX_OUTPUT, fail_fast=True)]
Counts = Annotated[tuple[Count, ...], Field(max_length=MAX_TREE_NODES, fail_fast=True)]
Numbers = Annotated[tuple[float, ...], Field(max_length=MAX_FEW, fail_fast=True)]
Names = Annotated[tuple[str, ...], Field(max_length=MAX_FEW, fail_fast=True)]
PieceTexts = Annotated[tuple[str, ...], Field(max_length=MAX_IDS, fail_fast=True)]
