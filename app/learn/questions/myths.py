"""Misconceptions about rules and texts, each with a counter-example that is computed."""

from __future__ import annotations

import math
from random import Random

from app.learn.distributions import Distribution, outcome, residual
from app.learn.question import Question, among, counted
from app.learn.questions.asked import QuestionFields
from app.learn.recorded import precision
from app.learn.widget import Runs
from app.panels.labels import visible
from respec_core.errors import ReSpecError
from respec_core.trace.differences import repeats_itself
from respec_core.trace.mean_lengths import mean_lengths
from respec_core.trace.schema import Run, Token

P: Distribution = (0.5, 0.3, 0.2)
Q: Distribution = (0.2, 0.7, 0.1)
BF16_STEP = 0.0625  # between neighbours of bf16 from 8 to 16, where logits of chosen tokens lie
LETTERS = "ABC"


def _told(p: Distribution) -> str:
    return ", ".join(f"{x:.2f}" for x in p)


def larger_p_only(fields: QuestionFields, runs: Runs) -> Question:
    """‘Accept if p ≥ q, else reject’: what is then written does not follow the target."""
    wrong = outcome(P, Q, tuple(float(p >= q) for p, q in zip(P, Q, strict=True)))
    right = outcome(P, Q, tuple(min(1.0, p / q) for p, q in zip(P, Q, strict=True)))
    return among(
        f"p = {_told(P)}, q = {_told(Q)} for A, B, C. Accept only where p ≥ q. How often is B written?",
        f"{wrong[1]:.0%}",
        [f"{right[1]:.0%}", f"{Q[1]:.0%}"],
        f"B is always rejected and never in the residual: {_told(wrong)} is written instead of {_told(P)}. With u ≤ p/q B is kept "
        f"{P[1] / Q[1]:.0%} of the time, and what is written is {_told(right)}: the target's.",
    )


def depends_on_rule(fields: QuestionFields, runs: Runs) -> Question:
    """‘It lowers quality’ and ‘it is always lossless’: the rule decides."""
    strict, relaxed = (runs(name.strip()) for name in _names(fields.trace, 2))
    same = [_is_plain(run) for run in (strict, relaxed)]
    options = ["both", "only the first", "only the second", "neither"]
    at = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}[same[0], same[1]]
    assert relaxed.summary is not None
    return among(
        f"Two recorded runs of one prompt: {strict.method} by the {strict.settings.verify.rule} rule, {relaxed.method} by the "
        f"{relaxed.settings.verify.rule} rule. Which wrote exactly plain decoding's text?",
        options[at],
        options,
        f"The strict rule keeps what the target would have written; the relaxed one let {relaxed.summary.relaxed_accepts} other "
        "tokens pass. Neither ‘always lossless’ nor ‘always worse’: it hangs on the rule.",
        ordered=True,
    )


def point_mass(fields: QuestionFields, runs: Runs) -> Question:
    """‘q(x) = 1 breaks the proof’: a point mass is accepted with probability p(x), and the rest is the residual."""
    q: Distribution = (0.0, 1.0, 0.0)
    written = outcome(P, q, tuple(min(1.0, p / b) if b else 1.0 for p, b in zip(P, q, strict=True)))
    return among(
        f"A top-k tree or a copy guesses B for sure: q(B) = 1. The target has {_told(P)} for A, B, C. What is written in the end?",
        f"A, B, C with {_told(written)}",
        [f"A, B, C with {_told(q)}", f"A, B, C with {_told(residual(P, Q))}"],
        f"B is accepted with p(B) / 1 = {P[1]:.0%}; else A or C is drawn from {_told(residual(P, q))}. Together: exactly p.",
    )


def bit_equal(fields: QuestionFields, runs: Runs) -> Question:
    """‘Greedy text must be bit-equal in any precision’: near ties are closer than bf16 can tell apart."""
    run = runs(fields.trace)
    gaps = [(math.log(token.top[0].p / token.top[1].p), i) for i, token in enumerate(run.tokens) if _two(token)]
    close = sum(gap < BF16_STEP for gap, _ in gaps)
    gap, at = min(gaps)
    first, second = (visible(candidate.text) for candidate in run.tokens[at].top[:2])
    wrote = "wrote" if _is_plain(run) else "did not write"
    held = (
        "where a pass over several tokens decides as passes over one do"
        if repeats_itself(run.models)
        else "which promises nothing"
    )
    return counted(
        f"bf16 tells logits apart in steps of {BF16_STEP}. In how many of the {len(gaps)} positions of this run are the two likeliest "
        "tokens closer than one step?",
        close,
        (0 if close else 1, close + 3, len(gaps) // 2),
        f"The closest: ‘{first}’ before ‘{second}’ by {gap:.4f}. There, a sum in another order can decide otherwise. This run was "
        f"decoded in {precision(run)}, {held}, and {wrote} plain decoding's text; in bf16 or fp16 that is likely at each position and "
        "promised at none.",
    )


def seeded(fields: QuestionFields, runs: Runs) -> Question:
    """‘Seeded speculative sampling gives seeded plain sampling’: the same distribution, another draw."""
    seed, n = 1, 12
    plain, speculative = _plain_draws(seed, n), _speculative_draws(seed, n)
    same = sum(a == b for a, b in zip(plain, speculative, strict=True))
    return counted(
        f"Plain sampling from p = {_told(P)} with seed {seed} wrote {plain}. Speculative sampling draws from the same p with the same "
        "seed. In how many of the 12 places does it write the same?",
        same,
        (12, 0, same + 3),
        f"It wrote {speculative}: its random numbers also choose drafts and verdicts. Both follow p; a seed repeats a text only within "
        "one method and one setting.",
    )


def mean_length(fields: QuestionFields, runs: Runs) -> Question:
    """‘The mean accepted length’: with or without the bonus, over which rounds?"""
    found = {name: value for name, value in mean_lengths(runs(fields.trace)).items() if value is not None}
    all_of_them = "each of these, by another definition"
    return among(
        "Three tools report the mean accepted length of this one run. Which number do they print?",
        all_of_them,
        [*(f"{value:.2f}" for value in found.values()), all_of_them],
        "; ".join(f"{name}: {value:.2f}" for name, value in found.items()) + ". Say which one you mean.",
        ordered=True,
    )


def _names(trace: str, count: int) -> list[str]:
    names = [name for name in trace.split(",") if name.strip()]
    if len(names) != count:
        raise ReSpecError(f"This question needs {count} traces, with a comma between them.")
    return names


def _is_plain(run: Run) -> bool:
    if run.reference_ar is None:
        raise ReSpecError("This question needs runs with plain decoding beside them: name other traces.")
    return run.reference_ar.output_ids == run.output_ids


def _two(token: Token) -> bool:
    return len(token.top) > 1 and token.top[1].p > 0


def _drawn(random: Random, weights: Distribution) -> str:
    return random.choices(LETTERS, weights)[0]


def _plain_draws(seed: int, n: int) -> str:
    random = Random(seed)
    return "".join(_drawn(random, P) for _ in range(n))


def _speculative_draws(seed: int, n: int) -> str:
    random, text = Random(seed), ""
    while len(text) < n:
        guess = LETTERS.index(_drawn(random, Q))
        text += LETTERS[guess] if random.random() <= P[guess] / Q[guess] else _drawn(random, residual(P, Q))
    return text
