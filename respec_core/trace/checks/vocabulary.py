"""A token id reads the same wherever it stands; what hits show is what their ids read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from respec_core.trace.checks.reading import Reading


def vocabulary_problems(reading: Reading) -> Iterator[str]:
    """Ids with two readings, and texts that their ids do not give."""
    pieces: dict[int, str] = {}
    for where, token, text in _spelt(reading):
        if pieces.setdefault(token, text) != text:
            yield f"{where}: token {token} reads {text!r}, elsewhere {pieces[token]!r}"
        if reading.vocab is not None and not 0 <= token < reading.vocab:
            yield f"{where}: token {token} is outside the target's vocabulary"
    for round in reading.rounds:
        for hit in round.step.retrieval:
            for name, ids, text in (
                ("snippet", hit.snippet_ids, hit.snippet),
                ("continuation", hit.cont_ids, hit.continuation),
            ):
                if _read(pieces, ids) not in (None, text):
                    yield f"{round.where}: the {name} of hit {hit.id} is not the text of its ids"
    special: dict[int, bool] = {}
    for written in reading.run.tokens:
        if special.setdefault(written.id, written.special) != written.special:
            yield f"token {written.id} is special in one place only"


def _spelt(reading: Reading) -> Iterator[tuple[str, int, str]]:
    """Every (where, id, text) of a trace."""
    run = reading.run
    yield from (("the prompt", *pair) for pair in zip(run.prompt_ids, run.prompt_pieces, strict=False))
    for i, token in enumerate(run.tokens):
        yield f"token {i}", token.id, token.piece
        yield from ((f"token {i}", c.token, c.text) for c in (*token.top, *([token.wish] if token.wish else [])))
    for round in reading.rounds:
        step = round.step
        for nodes in (step.trees.final, step.trees.drafter or (), step.trees.retrieval or ()):
            for node in nodes:
                yield round.where, node.token, node.text
                yield from ((round.where, c.token, c.text) for c in node.target_top)
        for record in step.records.values():
            yield from ((round.where, *named) for named in record.spelt())


def _read(pieces: dict[int, str], ids: Sequence[int]) -> str | None:
    """The text of ``ids``; None where one is not known."""
    known = [pieces.get(token) for token in ids]
    return None if any(piece is None for piece in known) else "".join(piece or "" for piece in known)
