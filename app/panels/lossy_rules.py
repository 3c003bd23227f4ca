"""The lossy rules on one plot: tokens per target pass against divergences, from the run's recorded chains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.panels.drawing import Figure, Trace
from app.panels.labels import count
from app.panels.panel import GeneralView, RunPanel, TableRow
from respec_core.settings.loss import LOSSY_RULES
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.rule_estimate import Estimate, RecordedRounds
from respec_core.trace.schema import Run

Look = tuple[str, str]  # colour, symbol


@dataclass(frozen=True)
class _Series:
    """One setting of a rule, varied."""

    name: str
    look: Look
    points: tuple[tuple[str, VerifySettings], ...]


def _varied(name: str, unit: str, knob: str, values: Iterable[float], look: Look, **rest: Any) -> _Series:
    points = tuple((f"{unit} {value:g}", VerifySettings.model_validate(rest | {knob: value})) for value in values)
    return _Series(name, look, points)


DEFAULTS = {rule: VerifySettings.model_validate({"rule": rule}) for rule in LOSSY_RULES}
SERIES = (
    _varied("relaxed, by rank", "top", "relax_k", (2, 3, 4, 5), ("var:accepted", "circle"), rule="relaxed", relax_eps=0.0),
    _varied("relaxed, by entropy guard", "at least", "relax_h_min", (0.0, 0.5, 1.0, 1.5, 2.0, 3.0), ("var:accepted", "circle-open"), rule="relaxed"),
    _varied("FLy, by window", "window", "fly_window", (1, 2, 3, 4, 5, 6, 8), ("var:rejected", "square"), rule="fly"),
    _varied("FLy, by gate", "at least", "fly_entropy", (0.0, 0.3, 0.6, 0.9), ("var:rejected", "square-open"), rule="fly", fly_window=2),
)  # fmt: skip


def lossy_view(run: Run) -> GeneralView | None:
    """Estimates by several settings of both rules; None for a run that did not look behind a rejected token."""
    rounds = RecordedRounds.of(run) if run.settings.verify.looks_ahead else None
    if rounds is None or not rounds.chains:
        return None
    strict = rounds.by(VerifySettings())
    found = [(series, [(label, rounds.by(verify)) for label, verify in series.points]) for series in SERIES]
    said = _sentence(run, rounds, strict)
    rows = [_row("strict", "", strict)]
    rows += [_row(series.name, label, one) for series, points in found for label, one in points]
    if not run.settings.strict:
        rows.append(_row("this run, measured", run.settings.verify.rule, measured(run)))
    return {
        "sentence": said,
        "figures": {"tokens per pass against divergences": _figure(run, strict, found) | {"alt": said}},
        "table": {
            "columns": [
                {"key": "rule", "label": "rule"},
                {"key": "setting", "label": "setting"},
                {"key": "mat", "label": "tokens/pass", "numeric": True},
                {"key": "divergences", "label": "divergences in 100", "numeric": True},
                {"key": "known", "label": "known to its end"},
            ],
            "rows": rows,
        },
    }


def measured(run: Run) -> Estimate:
    """What the run itself came to."""
    return Estimate(len(run.tokens), len(run.steps), sum(step.commit.n_relaxed for step in run.steps), True)


def _sentence(run: Run, rounds: RecordedRounds, strict: Estimate) -> str:
    relaxed, fly = (rounds.by(verify) for verify in DEFAULTS.values())
    said = (
        f"Lossy what-if over {count(len(rounds.chains), 'recorded chain')}, each round for itself: strict "
        f"{strict.tokens_per_pass:.2f} tokens a pass; relaxed {_both(relaxed)}; FLy {_both(fly)}, each by its default settings."
    )
    if not run.settings.strict:
        said += f" This run's own rule gave {_both(measured(run))}."
    return f"{said} Behind a divergence the real text goes another way: only a run with the rule measures it."


def _both(one: Estimate) -> str:
    return f"{one.tokens_per_pass:.2f} with {one.per_hundred:.1f} divergences in 100 tokens"


def _row(rule: str, setting: str, one: Estimate) -> TableRow:
    return {
        "rule": rule,
        "setting": setting,
        "mat": f"{one.tokens_per_pass:.2f}",
        "divergences": f"{one.per_hundred:.1f}",
        "known": "yes" if one.certain else "no: at least",
    }


def _figure(run: Run, strict: Estimate, found: list[tuple[_Series, list[tuple[str, Estimate]]]]) -> Figure:
    data = [_line(series.name, points, series.look) for series, points in found]
    data.append(_line("strict", [("", strict)], ("var:ink", "diamond"), 12))
    if not run.settings.strict:
        own = [(run.settings.verify.rule, measured(run))]
        data.append(_line("this run, measured", own, ("var:correction", "star"), 14))
    return {
        "data": data,
        "layout": {
            "height": 340,
            "margin": {"l": 56, "r": 14, "t": 8, "b": 92},
            "xaxis": {"title": {"text": "divergences in 100 tokens"}, "rangemode": "tozero", "zeroline": False},
            "yaxis": {"title": {"text": "tokens per target pass"}, "zeroline": False},
            "showlegend": True,
            "legend": {"orientation": "h", "y": -0.28, "x": 0},
            "dragmode": False,
        },
        "min_width": 460,
    }


def _line(name: str, points: Sequence[tuple[str, Estimate]], look: Look, size: int = 8) -> Trace:
    color, symbol = look
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [one.per_hundred for _, one in points],
        "y": [one.tokens_per_pass for _, one in points],
        "customdata": [f"{name}{f': {label}' * bool(label)}: {_both(one)}" for label, one in points],
        "hoverinfo": "none",
        "cliponaxis": False,
        "line": {"width": 1.2, "color": color},
        "marker": {"size": size, "color": color, "symbol": symbol, "line": {"width": 1.4, "color": color}},
    }


PANEL = RunPanel(id="lossy", title="Lossy rules", tab="Lossy", view=lossy_view)
