"""Questions about a whole run, about distributions, and about phrases."""

from __future__ import annotations

from app.learn.distributions import distribution, kept_share
from app.learn.knobs.mix import Phrases
from app.learn.question import Question, among
from app.learn.questions.asked import QuestionFields
from app.learn.recorded import recorded_costs
from app.learn.widget import Runs
from app.learn.widgets.automaton import grown
from app.panels.calibration import judged
from respec_core.errors import ReSpecError
from respec_core.trace.speed import speed_of

READ = 32


def forward(fields: QuestionFields, runs: Runs) -> Question:
    """What reading 32 tokens costs, in one-token forwards."""
    costs = recorded_costs()
    ratio = costs.ms(READ) / costs.ms(1)
    return among(
        f"A forward that reads 1 new token took {costs.ms(1):.0f} ms. What did one that reads {READ} take?",
        f"{ratio:.1f} times as long",
        [f"{factor:.1f} times as long" for factor in (ratio / 2 if ratio > 3 else 1.0, READ / 2, READ)],
        f"{costs.ms(READ):.0f} ms: every weight is read once, for one token or for {READ}; what grows is the arithmetic.",
    )


def kept(fields: QuestionFields, runs: Runs) -> Question:
    """How often a guess from q is accepted."""
    p, q = distribution(fields.p), distribution(fields.q)
    share = kept_share(p, q)
    wrong = sum(a * b for a, b in zip(p, q, strict=True))
    return among(
        f"The target has p = {fields.p}, the drafter draws from q = {fields.q}. How often is its guess accepted?",
        f"{share:.0%}",
        [f"{wrong:.0%}", f"{max(q):.0%}", "100%"],
        f"Σ min(p, q) = {share:.2f}: each token is kept as often as the smaller of both says.",
    )


def favourites(fields: QuestionFields, runs: Runs) -> Question:
    """What the favourites of every position make together."""
    phrases = Phrases.parse(fields.phrases)
    said = phrases.favourites()
    texts = [" ".join(text) for text in dict.fromkeys(phrases.texts)]
    return among(
        f"A diffusion model has seen: {fields.phrases.replace(' x ', ' × ')}. It fills all positions at once. What do the favourites of each make?",
        f"‘{said}’",
        [f"‘{text}’" for text in texts][:3],
        "; ".join(
            f"position {i}: {', '.join(f'{word} {share:.0%}' for word, share in column)}"
            for i, column in enumerate(phrases.columns(), 1)
        )
        + ". No position knows what its neighbour chose.",
    )


def confident(fields: QuestionFields, runs: Runs) -> Question:
    """The share accepted of what a drafter held to be likelier than not."""
    found = [good for p, good in judged(runs(fields.trace)) if p > 0.5]
    if not found:
        raise ReSpecError("No judged node of this run was likelier than not to its drafter: name another trace.")
    share = sum(found) / len(found)
    return among(
        f"In this run the drafter gave {len(found)} judged nodes more than 50 %. How many of these did the target accept?",
        f"{sum(found)} of {len(found)} ({share:.0%})",
        [f"{n} of {len(found)} ({n / len(found):.0%})" for n in (len(found), len(found) // 2, len(found) // 5)],
        "Confidence is the drafter's own opinion. How far it can be trusted is counted, not assumed.",
    )


def faster(fields: QuestionFields, runs: Runs) -> Question:
    """× plain of a run."""
    run = runs(fields.trace)
    speed = speed_of(run)
    if speed is None or run.summary is None:
        raise ReSpecError("This run was not timed beside plain decoding: name another trace.")
    steps = ("slower than plain decoding", "1 to 2 times as fast", "2 to 4 times as fast", "more than 4 times as fast")
    at = sum(speed.ratio >= limit for limit in (1, 2, 4))
    return among(
        f"This run committed {run.summary.mat:.2f} tokens per target pass. It was …",
        steps[at],
        steps,
        f"{speed.ratio:.2f}× plain decoding. Tokens per pass do not say what a pass and its draft cost.",
        ordered=True,
    )


def copied(fields: QuestionFields, runs: Runs) -> Question:
    """What is copied behind a text."""
    last = grown(fields.text)[-1]
    words = list(dict.fromkeys(fields.text.split()))
    right = last["copied"].split(" ")[0] or "nothing"
    return among(
        f"The text so far is ‘{fields.text}’. Which word does the copy begin with?",
        f"‘{right}’",
        [f"‘{word}’" for word in words[:3] if word != right] + ["it abstains"],
        f"The longest ending that occurred before is ‘{last['matched']}’; behind its last place stood ‘{last['copied']}’.",
    )
