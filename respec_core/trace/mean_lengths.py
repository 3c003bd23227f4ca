"""Mean accepted length as others count it; the same run has several, so each is named. Imports no torch."""

from __future__ import annotations

from respec_core.trace.schema import Run

LENGTHS: dict[str, str] = {
    "mean length (vLLM, llama.cpp)": "1 + accepted draft tokens ÷ rounds that drafted: with the target's own token, "
    "rounds without a draft left out",
    "mean length without bonus": "accepted draft tokens ÷ rounds that drafted: the target's own token not counted",
    "mean length (Spec-Bench)": "committed tokens ÷ all target forwards after prefill, rounds without a draft included",
}


def with_bonus(accepted: int, drafts: int) -> float | None:
    """vLLM's and llama.cpp's mean acceptance length: 167 tokens of 87 drafts give 2.92. None without a draft."""
    return 1 + accepted / drafts if drafts else None


def without_bonus(accepted: int, drafts: int) -> float | None:
    """The same without the token that the target adds itself: 1.92."""
    return accepted / drafts if drafts else None


def spec_bench(tokens: int, passes: int) -> float | None:
    """Spec-Bench's mean accepted tokens, which counts every forward."""
    return tokens / passes if passes else None


def mean_lengths(run: Run) -> dict[str, float | None]:
    """All of them, by the names of :data:`LENGTHS`."""
    accepted = sum(step.commit.n_accepted for step in run.steps)
    drafts = sum(len(step.trees.final) > 1 for step in run.steps)
    values = (
        with_bonus(accepted, drafts),
        without_bonus(accepted, drafts),
        spec_bench(len(run.output_ids), len(run.steps)),
    )
    return dict(zip(LENGTHS, values, strict=True))
