"""All questions by name: predictions from traces, and the thirteen misconceptions that are met most."""

from __future__ import annotations

from app.learn.questions import cost_myths, myths, numbers, rounds
from app.learn.questions.asked import Ask

PREDICTIONS: dict[str, Ask] = {
    "accepted": rounds.accepted,
    "tokens": rounds.tokens,
    "own-token": rounds.own_token,
    "first-child": rounds.first_child,
    "calm-round": rounds.calm,
    "forward": numbers.forward,
    "kept": numbers.kept,
    "favourites": numbers.favourites,
    "confident": numbers.confident,
    "faster": numbers.faster,
    "copied": numbers.copied,
}
MYTHS: dict[str, Ask] = {
    "accept-if-larger": myths.larger_p_only,
    "quality": myths.depends_on_rule,
    "checking-is-easier": cost_myths.checking_is_easier,
    "point-mass": myths.point_mass,
    "bit-equal": myths.bit_equal,
    "acceptance-is-speed": cost_myths.acceptance_is_speed,
    "mean-length": myths.mean_length,
    "longer-is-better": cost_myths.longer_is_better,
    "loss-is-acceptance": cost_myths.loss_is_acceptance,
    "position-range": cost_myths.position_range,
    "lookup-helps-editing": cost_myths.lookup_helps_editing,
    "seeded": myths.seeded,
    "low-entropy": cost_myths.low_entropy,
}
