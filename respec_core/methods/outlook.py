"""What settings lead to, said before anything runs: what contradicts, what has no effect, the largest draft. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from respec_core.errors import ReSpecError
from respec_core.methods.family import Method
from respec_core.settings.knobs import Knob, idle, knobs
from respec_core.settings.run_config import SHARED_GROUPS, RunConfig
from respec_core.settings.sketch import Portion, Sketch

NOTHING_DRAFTED = "Nothing is drafted: one token a target pass."


@dataclass(frozen=True)
class Outlook:
    """Attributes:
    wrong: why no run can be so set; empty where one can.
    idle: what has no effect, by setting name, each with a sentence why.
    size: the largest draft in words; empty where the method declares none.
    parts: of that draft by drafter, each with the most nodes that it can have.
    """

    wrong: str = ""
    idle: Mapping[str, str] = field(default_factory=dict)
    size: str = ""
    parts: tuple[tuple[Portion, int], ...] = ()


def outlook(method: Method, values: Mapping[str, Any]) -> Outlook:
    """Of flat ``name: value`` pairs over the method's defaults, as :meth:`Method.configure` takes them."""
    try:
        config = method.configure(values)
    except ReSpecError as error:
        return Outlook(str(error))
    sketch = method.sketch(config)
    unused = idle(_knobs(method), _flat(config)) | _unused(config, sketch)
    limit = config.drafting.budget if config.drafting.budget_rule == "fixed" else None
    parts = () if sketch is None else tuple((part, part.most(sketch.most(limit))) for part in sketch.parts)
    size = "" if sketch is None else _size(sketch, limit, config.drafting.budget_rule == "auto")
    return Outlook(config.contradiction or "", unused, size, parts)


def _knobs(method: Method) -> dict[str, Knob]:
    groups = {**SHARED_GROUPS, "params": method.settings}
    return {knob.name: knob for group, settings in groups.items() for knob in knobs(settings, group)}


def _flat(config: RunConfig) -> dict[str, Any]:
    shared = {name: value for group in SHARED_GROUPS for name, value in dict(getattr(config, group)).items()}
    return shared | config.params


def _unused(config: RunConfig, sketch: Sketch | None) -> dict[str, str]:
    """What a method makes no use of, whatever the other settings."""
    if sketch is None:
        return {}
    if not sketch.parts:
        return dict.fromkeys(("rule", "budget_rule", "budget"), "Nothing is drafted, so nothing is sized or verified.")
    if config.verify.rule == "relaxed" and not sketch.copies:
        return {"rule": "Nothing is copied, so nothing is relaxed: only copied tokens may pass the relaxed rule."}
    return {}


def _size(sketch: Sketch, limit: int | None, by_clock: bool) -> str:
    if not sketch.parts:
        return NOTHING_DRAFTED
    most = sketch.most(limit)
    several = len(sketch.parts) > 1
    where = "" if not several else ", all in one tree" if sketch.together else ", of one drafter at a time"
    said = [f"At most {most} draft {'node' if most == 1 else 'nodes'} a round{where}."]
    if by_clock:
        said.append("The clock keeps as many of them as pay.")
    elif sketch.beyond and sketch.nodes is not None and limit is None:
        said.append(f"More than {sketch.nodes} only where tokens are very likely.")
    return " ".join(said)
