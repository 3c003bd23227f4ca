"""Misconceptions about speed, drafters and copies, each with a counter-example that is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

from app.learn.question import Question, among
from app.learn.questions.asked import QuestionFields
from app.learn.questions.rounds import calm
from app.learn.recorded import recorded_costs
from app.learn.widget import Runs
from respec_core.errors import ReSpecError
from respec_core.retrieval.suffix_automaton import SuffixCursor
from respec_core.trace.benefit import benefit
from respec_core.trace.schema import Run
from respec_core.trace.speed import speed_of

DEPTHS = (2, 4, 8, 16, 32)
ACCURACY, CHAIN = 0.7, 5
TRAINED, ROPE_BASE, HEAD_SIZE = (
    2048,
    10_000.0,
    64,
)  # a usual drafter: its longest training context, its rotary positions


def checking_is_easier(fields: QuestionFields, runs: Runs) -> Question:
    """‘Checking is easier than generating’: it is the same forward, over several positions at once."""
    costs, n = recorded_costs(), 11
    ratio = costs.ms(n) / costs.ms(1)
    return among(
        f"The target generates one token in {costs.ms(1):.0f} ms. How long did it take to check a draft of {n - 1} tokens?",
        f"{costs.ms(n):.0f} ms: longer",
        [f"{costs.ms(1) / 10:.0f} ms: a tenth", f"{costs.ms(1):.0f} ms: exactly as long"],
        f"Checking is the same forward with {n} positions in it, {ratio:.1f} times a one-token forward here. It pays because {n} "
        "forwards would have cost more, not because checking is easy.",
    )


def acceptance_is_speed(fields: QuestionFields, runs: Runs) -> Question:
    """‘Higher acceptance is faster’: a pair of recorded runs of one prompt that says otherwise."""
    loser, winner = _pair([runs(name.strip()) for name in fields.trace.split(",")])
    names = [f"{run.method}: {_rate(run):.0%} of its drafted tokens accepted" for run in (loser, winner)]
    return among(
        "Two recorded runs of one prompt. Which one was faster?",
        names[1],
        [*names, "both the same"],
        f"{_told(loser)}. {_told(winner)}. A share says neither what a pass brings nor what it costs.",
        ordered=True,
    )


def longer_is_better(fields: QuestionFields, runs: Runs) -> Question:
    """‘A longer draft never harms’: expected tokens ÷ cost has a best length."""
    costs = recorded_costs()
    alpha = 0.7
    gain = {k: ((1 - alpha ** (k + 1)) / (1 - alpha)) / (costs.ms(1 + k) / costs.ms(1)) for k in DEPTHS}
    best = max(DEPTHS, key=lambda k: gain[k])
    told = ", ".join(f"{k}: {gain[k]:.2f}×" for k in DEPTHS)
    return among(
        f"Each drafted token is accepted with {alpha:.0%}, drafting is free, forwards cost what was recorded here. Which length of a chain is fastest?",
        f"{best} tokens",
        [f"{k} tokens" for k in (DEPTHS[0], DEPTHS[-1], DEPTHS[-2]) if k != best],
        f"Expected × plain by length: {told}. What is likely to be rejected still has to be read.",
    )


def loss_is_acceptance(fields: QuestionFields, runs: Runs) -> Question:
    """‘The loss has converged, so it is accepted’: a training accuracy and a mean length that cannot both be true."""
    expected = (1 - ACCURACY ** (CHAIN + 1)) / (1 - ACCURACY)
    return among(
        f"A head trained on 20 samples says {ACCURACY:.0%} accuracy and proposes {CHAIN} tokens; decoding commits 1.02 tokens a pass. What should "
        f"{ACCURACY:.0%} have brought?",
        f"{expected:.2f} tokens a pass",
        ["1.02 tokens a pass", f"{1 + CHAIN * ACCURACY:.2f} tokens a pass"],
        f"(1 − α^{CHAIN + 1}) / (1 − α) = {expected:.2f}. 1.02 means that about 2 % are accepted: accuracy was measured on something "
        "else, such as texts it had seen, or with other positions or masks. Only acceptance in decoding counts.",
    )


def position_range(fields: QuestionFields, runs: Runs) -> Question:
    """‘The drafter's longest position does not matter’: rotary angles that never occurred in training."""
    pairs = [ROPE_BASE ** (-2 * i / HEAD_SIZE) for i in range(HEAD_SIZE // 2)]
    unseen = sum(TRAINED * speed < 2 * math.pi for speed in pairs)
    return among(
        f"A drafter was trained on up to {TRAINED} positions. At position {2 * TRAINED}, how many of its {len(pairs)} rotary angles are "
        "ones that it has never seen?",
        f"{unseen}",
        ["0", f"{len(pairs)}", f"{unseen // 2}"],
        f"{unseen} of them had not turned round once by position {TRAINED}, so every later angle is new. Acceptance falls there while "
        "the text stays right: the target does not mind.",
    )


def lookup_helps_editing(fields: QuestionFields, runs: Runs) -> Question:
    """‘Prompt lookup helps any editing task’: an edit that touches every word leaves nothing to copy."""
    words = fields.text.split()
    if len(words) < 3:
        raise ReSpecError("This question needs a text of three words or more.")
    edits = {
        "fix one word": [*words[:-1], "rug"],
        "write it all in capitals": [word.upper() for word in words],
        "append a sentence": [*words, "it", "slept"],
    }
    copied = {edit: _copied(words, written) for edit, written in edits.items()}
    least = min(copied, key=lambda edit: copied[edit])
    return among(
        f"‘{' '.join(words)}’ is to be edited. For which edit does copying from the prompt bring nothing?",
        least,
        edits,
        "Words behind a match of two or more: " + ", ".join(f"{edit}: {n}" for edit, n in copied.items()) + ".",
        ordered=True,
    )


def low_entropy(fields: QuestionFields, runs: Runs) -> Question:
    """‘ReSpec retrieves where the target is unsure’: it retrieves where entropy is low."""
    return calm(fields, runs)


def _copied(prompt: list[str], written: list[str]) -> int:
    """Written words that stood behind an earlier place of the two words before them."""
    ids = {word: i for i, word in enumerate(dict.fromkeys([*prompt, *written]))}
    cursor, text, found = SuffixCursor(), [*prompt], 0
    for word in prompt:
        cursor.read(ids[word])
    for word in written:
        places = cursor.occurrences() if cursor.length >= 2 else []
        found += bool(places) and text[places[0]] == word
        cursor.read(ids[word])
        text.append(word)
    return found


def _rate(run: Run) -> float:
    return run.summary.acceptance_rate if run.summary else 0.0


def _ratio(run: Run) -> float:
    speed = speed_of(run)
    return speed.ratio if speed else 0.0


def _told(run: Run) -> str:
    paid = benefit(run)
    assert paid is not None  # of a run that accepted something and was timed
    return f"A pass of {run.method} brought {paid.tokens:.2f} tokens for {paid.cost:.2f} one-token forwards, {_ratio(run):.2f}× plain"


def _pair(runs: Sequence[Run]) -> tuple[Run, Run]:
    """Two of one prompt: the first has the higher acceptance; the second is faster, by the most, and than plain decoding."""
    timed = [run for run in runs if _rate(run) and _ratio(run)]
    pairs = [
        (a, b)
        for a, b in permutations(timed, 2)
        if a.prompt_ids == b.prompt_ids and _rate(a) > _rate(b) and _ratio(a) < 1 < _ratio(b)
    ]
    if not pairs:
        raise ReSpecError("No two of these runs contradict ‘higher acceptance is faster’: name others, of one prompt.")
    return max(pairs, key=lambda pair: _ratio(pair[1]) / _ratio(pair[0]))
