"""ReSpec's trigger (arXiv 2511.01282, Algorithm 1) again: windows, costs and threshold from the tokens before the round."""

from __future__ import annotations

import math
from collections.abc import Iterator

from respec_core.trace.checks.decision import RETRIEVES
from respec_core.trace.checks.reading import Reading, RoundReading

TOLERANCE = 1e-9


def trigger_problems(reading: Reading) -> Iterator[str]:
    """Triggers that entropies and settings do not give, and choices against them."""
    if "theta_entropy" not in reading.params:
        return
    for round in reading.rounds:
        if round.step.decision.rule == "entropy":
            problems = (*_chosen(round), *_unit(reading, round), *_entropy(reading, round))
            yield from (f"{round.where}: {problem}" for problem in problems)


def _chosen(round: RoundReading) -> Iterator[str]:
    decision, drafted = round.step.decision, len(round.nodes) - 1
    retrieves = decision.chosen in RETRIEVES
    kept = any(hit.status == "kept" for hit in round.step.retrieval)
    if retrieves and not decision.triggered:
        yield f"{decision.chosen} was chosen although nothing triggered"
    if decision.triggered and kept and drafted and not retrieves:
        yield f"{decision.chosen} was chosen although retrieval was triggered and had something"
    if retrieves and not kept:
        yield f"{decision.chosen} was chosen but no hit was kept"


def _unit(reading: Reading, round: RoundReading) -> Iterator[str]:
    unit = round.step.decision.unit
    if unit != ("ln V" if reading.params.get("normalised") else "nats"):
        yield f"entropies are in {unit}, the settings say otherwise"


def _entropy(reading: Reading, round: RoundReading) -> Iterator[str]:
    d, params = round.step.decision, reading.params
    written = round.step.ctx_len - len(reading.run.prompt_ids)
    tokens = reading.run.tokens[max(0, written - params["lookback"]) : written]
    scale = math.log(max(reading.vocab or 0, 2)) if params.get("normalised") else 1.0
    newest = [token.entropy / scale for token in reversed(tokens)]
    if not _same(d.entropies, newest):
        yield "the entropies are not those of the newest tokens, newest first"
        return
    means = [sum(newest[:k]) / k for k in range(1, len(newest) + 1)]
    costs = [mean + params["lambda_e"] / k for k, mean in enumerate(means, 1)]
    if not _same(d.H, means):
        yield "H_k is not the mean of the newest k entropies"
    if not _same(d.C, costs):
        yield "C_k is not H_k + λ/k"
    gated = reading.config.params.get("switch", "gate") == "gate"  # the only way there was, before traces named it
    if d.theta != (params["theta_entropy"] if gated else None):
        yield f"θ is {d.theta}, set to {params['theta_entropy']} and the switch is {'a' if gated else 'no'} gate"
    if not costs:
        if d.k_star is not None or (gated and d.triggered):
            yield "triggered without any entropy"
        return
    if d.k_star is None or not 1 <= d.k_star <= len(costs) or costs[d.k_star - 1] > min(costs) + TOLERANCE:
        yield f"k* = {d.k_star} does not minimise C_k"
    elif (
        gated
        and abs(means[d.k_star - 1] - params["theta_entropy"]) > TOLERANCE
        and d.triggered != (means[d.k_star - 1] <= params["theta_entropy"])
    ):
        yield f"triggered is {d.triggered} but H_k* = {means[d.k_star - 1]:.4f} and θ = {d.theta}"


def _same(recorded: tuple[float, ...], expected: list[float]) -> bool:
    return len(recorded) == len(expected) and all(
        math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE) for a, b in zip(recorded, expected, strict=True)
    )
