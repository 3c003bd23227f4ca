"""``automaton``: a suffix automaton grown word by word, with the longest match and what would be copied (arXiv 2411.10666)."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.learn.widget import Fields, Runs, Widget
from respec_core.errors import ReSpecError
from respec_core.retrieval.suffix_automaton import SuffixCursor

MOST_WORDS = 24
COPY = 4  # words


class AutomatonFields(Fields):
    """The text, words between spaces."""

    text: str


class Edge(TypedDict):
    """Reading ``word`` leads from state to state."""

    start: int
    end: int
    word: str


class GrownStep(TypedDict):
    """Behind a word: the longest ending that occurred before, what would be copied, and the automaton.

    ``lengths`` and ``links`` have an entry a state: the longest text that it stands for, and the state of that text's
    longest ending that occurs elsewhere too (−1 of the empty text).
    """

    word: str
    matched: str
    copied: str
    lengths: list[int]
    links: list[int]
    edges: list[Edge]


class AutomatonView(TypedDict):
    """A step for every word."""

    kind: Literal["automaton"]
    steps: list[GrownStep]


def grown(text: str) -> list[GrownStep]:
    """The steps of ``text``.

    Raises:
        ReSpecError: if it has no words, or too many.
    """
    words = text.split()
    if not 1 <= len(words) <= MOST_WORDS:
        raise ReSpecError(f"The text of an automaton has 1 to {MOST_WORDS} words.")
    ids = {word: i for i, word in enumerate(dict.fromkeys(words))}
    cursor, steps = SuffixCursor(), list[GrownStep]()
    for n, word in enumerate(words, 1):
        cursor.read(ids[word])
        steps.append(_step(cursor, words[:n], ids))
    return steps


def _step(cursor: SuffixCursor, words: list[str], ids: dict[str, int]) -> GrownStep:
    sam, places = cursor.automaton, cursor.occurrences()
    copied = words[places[0] : places[0] + COPY] if places else []
    edges: list[Edge] = [
        {"start": state, "end": end, "word": word}
        for state in range(len(sam.length))
        for word, token in ids.items()
        if (end := sam.step(state, token)) is not None
    ]
    return {
        "word": words[-1],
        "matched": " ".join(words[len(words) - cursor.length :]),
        "copied": " ".join(copied),
        "lengths": list(sam.length),
        "links": list(sam.link),
        "edges": edges,
    }


def automaton_view(fields: AutomatonFields, runs: Runs) -> AutomatonView:
    """All steps."""
    return {"kind": "automaton", "steps": grown(fields.text)}


WIDGET = Widget("automaton", AutomatonFields, automaton_view)
