"""SAM-Decoding's ``len_threshold`` (arXiv 2411.10666): how long a match must be before its continuation is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs
from app.panels.labels import count
from respec_core.trace.mean_lengths import with_bonus

if TYPE_CHECKING:
    from respec_core.lab.replay import Replay

MOST = 16
NAMES = {
    "accepted_share": "the share of copied tokens that are accepted",
    "drafts": "the number of rounds that copy",
    "mean_length": "the mean length over rounds that copy, the target's own token with it",
    "tokens_per_pass": "tokens per target pass",
}


def threshold_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Matches of 1 token or more, of 2, and so on."""
    from app.learn.simulator import replayed, stage_of  # torch comes with it

    run = runs(fields.trace)
    stage = stage_of(run)
    return [_reading(n, replayed(run, stage, "sam", {"len_threshold": n})) for n in range(1, MOST + 1)]


def _reading(threshold: int, found: Replay) -> Reading:
    drafted = [round for round in found.rounds if len(round.draft.tree) > 1]
    tokens, accepted = sum(len(r.draft.tree) - 1 for r in drafted), sum(len(r.path) for r in drafted)
    length = with_bonus(accepted, len(drafted)) or 0.0
    per_pass = found.tokens / len(found.rounds)
    said = (
        f"{count(len(drafted), 'round')} of {len(found.rounds)} copy; {accepted} of {count(tokens, 'copied token')} accepted: "
        f"a mean length of {length:.2f} over these rounds, {per_pass:.2f} over all (tokens per target pass)."
    )
    metrics = {
        "accepted_share": accepted / max(tokens, 1),
        "drafts": len(drafted),
        "mean_length": length,
        "tokens_per_pass": per_pass,
    }
    label = f"a match of {count(threshold, 'token')} or more"
    return {"value": threshold, "label": label, "sentence": said, "metrics": metrics}


KNOB = Knob("threshold", "Shortest match that is trusted, tokens", NAMES, 5, threshold_readings)
