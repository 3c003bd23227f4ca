"""The relaxed rule (ReSpec, arXiv 2511.01282; thresholds ours): who may pass, and that nobody who may was turned away.

Of the longest path a trace tells less: what lies behind other permitted children was never committed.
"""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.checks.reading import Judgement, Reading, RoundReading
from respec_core.trace.round import RETRIEVED_SOURCES, Node

TOLERANCE = 1e-5
ENTROPY_TOLERANCE = 1e-3  # nats, of float32 logits


def relaxed_problems(reading: Reading) -> Iterator[str]:
    """Relaxed accepts that a condition forbids, and children left behind that all conditions let pass."""
    verify = reading.config.verify
    if verify.rule != "relaxed":
        return
    for round in reading.rounds:
        used = 0
        for row in round.rows:
            problems: list[str] = []
            if row.token.wish is not None:
                used += 1
                problems += _passed(reading, round, row)
                if used > verify.relax_max:
                    problems.append(f"more than {verify.relax_max} relaxed accepts in the round")
            elif row.taken is None and used < verify.relax_max:
                problems += _turned_away(reading, row)
            yield from (f"{round.where}, token {row.at}: {problem}" for problem in problems)


def _passed(reading: Reading, round: RoundReading, row: Judgement) -> Iterator[str]:
    wish, taken, verify = row.token.wish, row.taken, reading.config.verify
    if taken is None or wish is None:
        return
    if not RETRIEVED_SOURCES.intersection(taken.sources):
        yield f"node {taken.id} passed relaxed but was not retrieved"
    for token, piece in ((taken.token, taken.text), (wish.token, wish.text)):
        if _never(reading, token, piece):
            yield f"token {token} ({piece!r}) may pass by the strict rule only"
    if row.token.entropy < verify.relax_h_min - ENTROPY_TOLERANCE:
        yield f"node {taken.id} passed relaxed where the target's entropy is below {verify.relax_h_min:g}"
    if reading.config.sampling.repetition_penalty != 1:
        return
    if not _within(reading, row, taken):
        yield f"node {taken.id} passed relaxed outside the target's top {verify.relax_k} or ratio"
    better = [child for child in row.children if _likelier(child, taken) and _may_pass(reading, row, child)]
    if better and (verify.relax_path == "strict-first" or _ends(round, row)):
        yield f"node {taken.id} passed relaxed although node {better[0].id} is likelier"
    own = next((child for child in row.children if child.token == wish.token), None)
    if own is not None and _ends(round, row):
        yield f"node {taken.id} passed relaxed although the target's own node {own.id} leads as far"


def _ends(round: RoundReading, row: Judgement) -> bool:
    """Whether the path goes no deeper than the row's child; not known where a stop cut it."""
    return round.rows[-1].taken is None and row is round.rows[-2]


def _turned_away(reading: Reading, row: Judgement) -> Iterator[str]:
    if reading.config.sampling.repetition_penalty != 1 or _never(reading, row.token.id, row.token.piece):
        return
    for child in row.children:
        if _may_pass(reading, row, child):
            yield f"node {child.id} was rejected although the relaxed rule lets it pass"


def _may_pass(reading: Reading, row: Judgement, child: Node) -> bool:
    """Certainly lets pass: retrieved, an ordinary token, within rank and ratio, the target unsure enough."""
    ordinary = child.token in reading.ordinary and not _never(reading, child.token, child.text)
    least = reading.config.verify.relax_h_min
    unsure = not least or row.token.entropy > least + ENTROPY_TOLERANCE
    own = row.token.wish or row.token
    tied = (
        child.target_p == own.p and child.target_rank == reading.config.verify.relax_k
    )  # then the own token is before it
    copied = bool(RETRIEVED_SOURCES.intersection(child.sources))
    return ordinary and unsure and copied and not tied and _within(reading, row, child, -TOLERANCE)


def _within(reading: Reading, row: Judgement, child: Node, slack: float = TOLERANCE) -> bool:
    """Rank and ratio; by the plain distribution when greedy, by the decided one when sampled (the order is the same)."""
    verify, top = reading.config.verify, row.token.top
    if child.target_p is None or child.target_rank is None or not top:
        return False
    tied = (
        child.target_rank > verify.relax_k
        and verify.relax_k <= len(top)
        and child.target_p == top[verify.relax_k - 1].p
    )
    if child.target_rank > verify.relax_k and not tied:
        return False
    ratio = min(child.target_p / top[0].p, 1.0) if top[0].p > 0 else 0.0
    if not reading.config.greedy:
        ratio = ratio ** (1 / reading.config.sampling.temperature)
        sampling = reading.config.sampling
        if slack < 0 and (sampling.top_k or sampling.top_p < 1):
            return False  # it may have been cut
    return ratio >= verify.relax_eps * (1 - slack) - slack


def _likelier(child: Node, taken: Node) -> bool:
    return (child.target_p or 0.0) > (taken.target_p or 0.0) * (1 + TOLERANCE)


def _never(reading: Reading, token: int, piece: str) -> bool:
    if token in reading.ends or token in reading.special:
        return True
    return not reading.config.verify.relax_digits and any(char.isdigit() for char in piece)
