"""Prompts in Spec-Bench's format (hemingkx/Spec-Bench): one JSON object a line, first turns only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from respec_core.boundary.untrusted_json import parse_json
from respec_core.errors import ReSpecError

MAX_FILE = 64 * 2**20
# Spec-Bench counts MT-Bench's eight categories as one
MT_BENCH = {"writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities"}


@dataclass(frozen=True)
class Question:
    """A prompt and the kind it counts for.

    Attributes:
        line: where it stands in the file, from 1.
    """

    id: str
    kind: str
    text: str
    line: int


def read_questions(path: Path, limit: int | None = None) -> tuple[Question, ...]:
    """The file's questions; with ``limit`` so many of each kind, MT-Bench's eight categories in turn.

    Raises:
        ReSpecError: if the file cannot be read, or a line is not a question or repeats a ``question_id``; names the line.
    """
    try:
        if path.stat().st_size > MAX_FILE:
            raise ReSpecError(f"{path} is larger than {MAX_FILE // 2**20} MB.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReSpecError(f"{path} cannot be read as text: {error}.") from error
    return questions_in(text, str(path), limit)


def questions_in(text: str, where: str, limit: int | None = None) -> tuple[Question, ...]:
    """As :func:`read_questions`, from a text; ``where`` begins the sentences.

    Raises:
        ReSpecError: if a line is not a question or repeats a ``question_id``; names the line.
    """
    by_category: dict[str, list[Question]] = defaultdict(list)
    first_use: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):  # a JSON text may hold other line ends
        if line.strip():
            category, question = _parse(line, number, where)
            if (first := first_use.setdefault(question.id, number)) != number:
                raise ReSpecError(f"{where}, line {number}: the question_id is that of line {first}.")
            by_category[category].append(question)
    if not by_category:
        raise ReSpecError(f"{where} holds no questions.")
    return tuple(_pick(by_category, limit))


def _parse(line: str, number: int, file: str) -> tuple[str, Question]:
    where = f"{file}, line {number}"
    entry = parse_json(line, where)
    try:
        category, text = entry["category"], entry["turns"][0]
        if not isinstance(category, str) or not isinstance(text, str):
            raise TypeError
    except (KeyError, TypeError, IndexError) as error:
        raise ReSpecError(
            f'{where}: not a question; each line is {{"question_id", "category", "turns": ["…"]}}.'
        ) from error
    kind = "mt_bench" if category in MT_BENCH else category
    return category, Question(str(entry.get("question_id", f"line {number}")), kind, text, number)


def _pick(by_category: dict[str, list[Question]], limit: int | None) -> Iterable[Question]:
    kinds: dict[str, list[list[Question]]] = defaultdict(list)
    for questions in by_category.values():
        kinds[questions[0].kind].append(questions)
    for columns in kinds.values():
        longest = max(map(len, columns))
        in_turn = [column[i] for i in range(longest) for column in columns if i < len(column)]
        yield from in_turn[:limit]
