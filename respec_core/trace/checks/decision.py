"""Decisions follow from the settings, the tokens before them and the numbers they show."""

from __future__ import annotations

import math
from collections.abc import Iterator

from respec_core.retrieval.suffix_automaton import SuffixCursor
from respec_core.trace.checks.reading import Reading, Round
from respec_core.trace.round import MODEL_DRAFTS, Decision

TOLERANCE = 1e-9
RETRIEVES = frozenset({"retrieval", "fused"})


def decision_problems(reading: Reading) -> Iterator[str]:
    """Triggers, windows, thresholds and matches that do not follow."""
    cursor = SuffixCursor()
    read, rule = 0, _rule(reading)
    for round in reading.rounds:
        decision = round.step.decision
        if decision.rule != rule:
            yield f"{round.where}: decided by {decision.rule}, the method decides by {rule}"
            continue
        problems = [*_chosen(round)]
        if decision.rule == "entropy":
            problems += _entropy(reading, round)
        elif (
            decision.entropies or decision.H or decision.C or decision.k_star is not None or decision.theta is not None
        ):
            problems.append(f"the rule {decision.rule} knows no entropies")
        if decision.rule == "match_len":
            for token in reading.ids[read : round.step.ctx_len]:
                cursor.read(token)
            read = round.step.ctx_len
            problems += _match(reading, decision, cursor.length)
        elif decision.match is not None:
            problems.append(f"the rule {decision.rule} compares no match lengths")
        if decision.unit != ("ln V" if reading.params.get("normalised") else "nats"):
            problems.append(f"entropies are in {decision.unit}, the settings say otherwise")
        yield from (f"{round.where}: {problem}" for problem in problems)
    yield from _trained_context(reading)


def _trained_context(reading: Reading) -> Iterator[str]:
    """What the drafter was trained on is one number, noted wherever it guessed behind a longer context."""
    contexts = (round.step.decision.trained_context for round in reading.rounds)
    noted = sorted({context for context in contexts if context is not None})
    if not noted:
        return
    if len(noted) > 1:
        yield f"the drafter was trained on {' and '.join(map(str, noted))} tokens of context"
    trained = noted[0]
    for round in reading.rounds:
        step = round.step
        beyond = step.decision.chosen in MODEL_DRAFTS and step.ctx_len > trained
        if beyond != (step.decision.trained_context is not None):
            yield f"{round.where}: {step.ctx_len} tokens of context, the drafter was trained on {trained}"


def _rule(reading: Reading) -> str:
    """The rule that the method's settings belong to."""
    if "theta_entropy" in reading.params:
        return "entropy"
    return "match_len" if "len_threshold" in reading.params else "always"


def _chosen(round: Round) -> Iterator[str]:
    decision, drafted = round.step.decision, len(round.nodes) - 1
    retrieves = decision.chosen in RETRIEVES
    if decision.chosen == "none" and drafted:
        yield f"nothing was chosen, yet {drafted} nodes were drafted"
    if decision.chosen not in ("none", *RETRIEVES) and not drafted and decision.sizing is None:
        yield f"{decision.chosen} was chosen but drafted nothing"
    if decision.rule == "entropy":
        kept = any(hit.status == "kept" for hit in round.step.retrieval)
        if retrieves and not decision.triggered:
            yield f"{decision.chosen} was chosen although nothing triggered"
        if decision.triggered and kept and drafted and not retrieves:
            yield f"{decision.chosen} was chosen although retrieval was triggered and had something"
        if retrieves and not kept:
            yield f"{decision.chosen} was chosen but no hit was kept"
    elif decision.triggered != retrieves:
        yield f"triggered is {decision.triggered} but {decision.chosen} was chosen"


def _entropy(reading: Reading, round: Round) -> Iterator[str]:
    d, params = round.step.decision, reading.params
    written = round.step.ctx_len - len(reading.run.prompt_ids)
    tokens = reading.run.tokens[max(0, written - params["lookback"]) : written]
    scale = math.log(max(reading.vocab or 0, 2)) if params["normalised"] else 1.0
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
    if d.theta != params["theta_entropy"]:
        yield f"θ is {d.theta}, set to {params['theta_entropy']}"
    if not costs:
        if d.k_star is not None or d.triggered:
            yield "triggered without any entropy"
        return
    if d.k_star is None or not 1 <= d.k_star <= len(costs) or costs[d.k_star - 1] > min(costs) + TOLERANCE:
        yield f"k* = {d.k_star} does not minimise C_k"
    elif abs(means[d.k_star - 1] - params["theta_entropy"]) > TOLERANCE and d.triggered != (
        means[d.k_star - 1] <= params["theta_entropy"]
    ):
        yield f"triggered is {d.triggered} but H_k* = {means[d.k_star - 1]:.4f} and θ = {d.theta}"


def _match(reading: Reading, decision: Decision, longest: int) -> Iterator[str]:
    match, params = decision.match, reading.params
    if match is None:
        yield "the rule match_len shows no match lengths"
        return
    if (match.threshold, match.bias) != (params["len_threshold"], params["len_bias"]):
        yield "threshold or bias are not the settings'"
    if match.dyn != longest:
        yield f"the longest match in the run's own text has {longest} tokens, not {match.dyn}"
    if (match.static is not None) != ("datastore" in reading.run.models):
        yield "a static match without a datastore, or none with one"
    best = max(match.dyn, (match.static or 0) - match.bias)
    if decision.triggered != (best >= match.threshold):
        yield f"triggered is {decision.triggered} but the match is {best} against {match.threshold}"


def _same(recorded: tuple[float, ...], expected: list[float]) -> bool:
    return len(recorded) == len(expected) and all(
        math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE) for a, b in zip(recorded, expected, strict=True)
    )
