"""Single semantic changes to a trace, over its whole schema: what `check` has to notice.

A *place* is a path in the JSON with list indices left out. Free text (reasons, names) and what nothing else in a trace
determines are left alone; see :data:`FREE`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from respec_core.trace.round import Decision, FinishReason, Hit, NodeOutcome, PrunedBy
from respec_core.trace.schema import Run, TokenOutcome

Path = tuple[str | int, ...]

# nothing else in a trace says what these are: names, explanations, and measurements that stand alone
FREE = frozenset(
    {
        "schema_version",
        "variant",
        "prompt_text",
        "steps.decision.reason",
        "steps.retrieval.doc",
        "steps.retrieval.why",
        "summary.prefill_s",
    }
)
CHOICES = {
    "finish_reason": get_args(FinishReason),
    "steps.commit.stopped": get_args(FinishReason),
    "steps.commit.extra.kind": ("correction", "bonus"),
    "steps.decision.chosen": get_args(Decision.model_fields["chosen"].annotation),
    "steps.decision.rule": get_args(Decision.model_fields["rule"].annotation),
    "steps.decision.unit": ("nats", "ln V"),
    "steps.decision.sizing.rule": ("fixed", "auto"),
    "steps.retrieval.corpus": get_args(Hit.model_fields["corpus"].annotation),
    "steps.retrieval.status": get_args(Hit.model_fields["status"].annotation),
    "tokens.outcome": get_args(TokenOutcome),
    "tokens.source": ("model", "dynamic", "static", "datastore", "recycle", "dlm", "target"),
    **{f"steps.trees.{tree}.outcome": get_args(NodeOutcome) for tree in ("final", "drafter", "retrieval")},
    **{f"steps.trees.{tree}.pruned_by": get_args(PrunedBy) for tree in ("final", "drafter", "retrieval")},
    **{
        f"steps.trees.{tree}.sources": ("model", "dynamic", "static", "datastore", "recycle", "dlm")
        for tree in ("final", "drafter", "retrieval")
    },
    "steps.lattice.positions.cand.pruned_by": get_args(PrunedBy),
}


@dataclass(frozen=True)
class Mutation:
    """One change: ``place`` where in the schema, ``says`` what was done; ``data`` holds it until the next is asked for."""

    place: str
    says: str
    data: dict[str, Any]


def mutations(run: Run, seed: int, each: int) -> Iterator[Mutation]:
    """``each`` changes at every place of ``run``, chosen by ``seed``."""
    rng = random.Random(seed)
    original = json.loads(run.to_json())
    for place, paths in sorted(_places(original).items()):
        if place in FREE or place.startswith("models"):
            continue
        for _ in range(each):
            path = rng.choice(paths)
            old = _at(original, path)
            new = _changed(rng, place, old, [_at(original, other) for other in paths])
            if new is None:
                continue
            holder = _at(original, path[:-1])
            holder[path[-1]] = new[0]
            yield Mutation(place, f"{'.'.join(map(str, path))}: {old!r:.60} → {new[0]!r:.60}", original)
            holder[path[-1]] = old


def _places(value: Any, path: Path = ()) -> dict[str, list[Path]]:
    """Every path by place: numbers, flags, words and lists."""
    found: dict[str, list[Path]] = {}
    if isinstance(value, dict):
        below = [_places(item, (*path, key)) for key, item in value.items()]
    elif isinstance(value, list):
        if value and path:
            found[".".join(str(part) for part in path if isinstance(part, str)) + "[]"] = [path]
        below = [_places(item, (*path, i)) for i, item in enumerate(value)]
    else:
        below = []
        if value is not None:
            found[".".join(str(part) for part in path if isinstance(part, str))] = [path]
    for part in below:
        for place, paths in part.items():
            found.setdefault(place, []).extend(paths)
    return found


def _at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def _changed(rng: random.Random, place: str, old: Any, others: list[Any]) -> tuple[Any] | None:
    """Another value of the same kind in a 1-tuple; None where there is none."""
    if isinstance(old, list):
        return _relisted(rng, old)
    if place in CHOICES:
        return (rng.choice([word for word in CHOICES[place] if word != old]),)
    if isinstance(old, bool):
        return (not old,)
    if isinstance(old, str):
        return (rng.choice([word for word in others if word != old] or [old + "x"]),)
    elsewhere = [value for value in others if not _alike(value, old)]
    if elsewhere and rng.random() < 0.5:
        return (rng.choice(elsewhere),)
    if isinstance(old, int):
        return (max(0, old + rng.choice((-1, 1, 2))) if old > 0 else 1,)
    return (rng.choice((old * 1.5 + 0.1, old * 0.5 - 0.01, old + 1.0)),)


def _relisted(rng: random.Random, old: list[Any]) -> tuple[Any] | None:
    options = [old[:-1], [*old, old[-1]]]
    if len(old) > 1 and old[0] != old[-1]:
        options.append([old[-1], *old[1:-1], old[0]])
    return (rng.choice(options),)


def _alike(a: Any, b: Any) -> bool:
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-3 * max(abs(a), abs(b)))
