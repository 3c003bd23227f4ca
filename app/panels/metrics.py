"""The run's figures, each with its definition; and what they add up to, said plainly."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.panels.labels import count
from respec_core.methods.losses import losses
from respec_core.methods.registry import BASELINE
from respec_core.methods.size_rule import size_rule
from respec_core.settings.loss import RELAXED
from respec_core.trace.differences import first_difference
from respec_core.trace.mean_lengths import mean_lengths
from respec_core.trace.notes import context_note, loop_note, notes
from respec_core.trace.rates import FEW, MISSING, Rate, hit_rate, level_acceptance, node_acceptance, told, trigger_rate
from respec_core.trace.schema import Run, Summary
from respec_core.trace.summary import GLOSSARY, specials_note


class Metric(TypedDict):
    """A number of the run with its definition."""

    name: str
    value: str
    note: str
    help: str


class Badge(TypedDict):
    """A short mark with its meaning."""

    kind: Literal["lossy", "note", "same", "differs"]
    text: str
    help: str


class MetricsView(TypedDict):
    """The run's numbers, marks, and what they come to."""

    metrics: list[Metric]
    badges: list[Badge]
    verdict: str


def metrics_view(run: Run, *, running: bool = False) -> MetricsView:
    """Metrics, badges and the verdict of a run; while it goes on there is no verdict."""
    if running:
        return {"metrics": _metrics(run), "badges": [], "verdict": ""}
    return {"metrics": _metrics(run), "badges": badges(run), "verdict": verdict(run)}


def _metrics(run: Run) -> list[Metric]:
    s = run.summary
    assert s is not None
    return [
        _metric("tokens per target pass", f"{s.mat:.2f}", f"{s.tokens} tokens in {s.target_passes} passes"),
        _metric("× plain", f"{s.speedup_measured:.2f}×" if s.speedup_measured else MISSING, _plain_note(run)),
        _metric("tokens/s", f"{s.tok_s:.1f}", f"{s.wall_s:.2f} s of decoding"),
        _rate("levels accepted", level_acceptance(run), "drafted levels", "nothing was drafted"),
        _rate("tree nodes accepted", node_acceptance(run), "nodes sent", "nothing was drafted"),
        _metric("accepted per pass", f"{s.accepted_per_step:.2f}", ""),
        _rate("trigger rate", trigger_rate(run), "rounds", "this method has no trigger"),
        _rate("hit rate", hit_rate(run), "rounds with copies", "no copy was verified"),
        _metric("draft size", size_rule(run.settings) or MISSING, _size_note(run)),
        *(_metric(name, _number(value), "") for name, value in mean_lengths(run).items()),
    ]


def _metric(name: str, value: str, note: str) -> Metric:
    return {"name": name, "value": value, "note": note, "help": GLOSSARY[name]}


def _rate(name: str, rate: Rate | None, whole: str, missing: str) -> dict[str, Any]:
    """A share never stands without what it is a share of."""
    if rate is None:
        return _metric(name, MISSING, missing)
    return _metric(name, told(rate), whole if rate.whole < FEW else f"{rate.part} of {rate.whole} {whole}")


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def _size_note(run: Run) -> str:
    drafted = sum(len(step.trees.final) - 1 for step in run.steps)
    return f"{drafted / len(run.steps):.1f} nodes a pass" if drafted else ""


def _plain_note(run: Run) -> str:
    if run.reference_ar is None:
        return "not measured"
    return f"plain took {run.reference_ar.wall_s:.2f} s"


def badges(run: Run) -> list[Badge]:
    """Short marks with their meaning: exactness, and equality with plain decoding where it was measured."""
    found: list[Badge] = []
    relaxed = sum(step.commit.n_relaxed for step in run.steps)
    for loss in losses(run.settings):
        text = f"lossy · {relaxed} relaxed" if loss is RELAXED else loss.name
        found.append({"kind": "lossy", "text": text, "help": loss.why})
    if run.reference_ar is not None and run.finish_reason != "cancelled":
        found.append(_equality(run))
    if (said := loop_note(run)) is not None:
        found.append({"kind": "note", "text": "text loops", "help": said})
    if (said := context_note(run)) is not None:
        found.append({"kind": "note", "text": "context beyond training", "help": said})
    if run.finish_reason == "cancelled" and run.steps:
        found.append({"kind": "note", "text": "stopped", "help": "The run was stopped before its end."})
    if run.prompt_specials:
        parsed = run.settings.prompt.parse_special
        text = "special tokens read" if parsed else "special tokens kept as text"
        found.append({"kind": "note", "text": text, "help": specials_note(run.prompt_specials, parsed=parsed)})
    if run.finish_reason == "context":
        found.append(
            {
                "kind": "note",
                "text": "context full",
                "help": "Prompt and output fill the model's context: the run ended there, before its token limit.",
            }
        )
    return found


def _equality(run: Run) -> Badge:
    assert run.reference_ar is not None
    ours, plain = run.output_ids, run.reference_ar.output_ids
    if ours == plain:
        return {"kind": "same", "text": "same ids as plain", "help": "Every token equals plain decoding's."}
    at = first_difference(ours, plain)
    where = f"differs from plain at token {at}"
    if lost := losses(run.settings):
        return {"kind": "lossy", "text": where, "help": lost[0].difference}
    if not run.settings.greedy:
        note = "Both were sampled: strict verification keeps the distribution, not the individual draw."
        return {"kind": "note", "text": where, "help": note}
    note = "Strict greedy output should be equal; in bf16 near-ties can flip, in fp32 this would be a bug."
    return {"kind": "differs", "text": where, "help": note}


def verdict(run: Run) -> str:
    """What the run comes to, slower or lossy included."""
    if run.summary is None or not run.summary.tokens:
        return ""
    return " ".join(filter(None, [_speed(run, run.summary), _loss(run, run.summary), *notes(run)]))


def _speed(run: Run, s: Summary) -> str:
    passes = f"{count(s.tokens, 'token')} in {s.target_passes} target passes"
    if s.speedup_measured is None or run.reference_ar is None:
        return f"{passes}; time against plain decoding was not measured."
    ratio = s.speedup_measured
    lengths = ""
    if len(run.reference_ar.output_ids) != s.tokens:
        lengths = f" (plain wrote {count(len(run.reference_ar.output_ids), 'token')})"
    if run.method == BASELINE.name:
        return f"{passes}: this is plain decoding, the baseline; a second measurement differs by {ratio:.2f}×."
    if ratio < 0.995:
        return f"Slower than plain decoding here: {ratio:.2f}×{lengths}. {passes} did not pay for the drafts."
    if ratio < 1.05:
        return f"No faster than plain decoding here: {ratio:.2f}×{lengths}; {passes}."
    return f"{ratio:.2f}× as fast as plain decoding here{lengths}: {passes}."


def _loss(run: Run, s: Summary) -> str:
    if not s.relaxed_accepts:
        return ""
    changed = (
        "" if run.reference_ar is None or run.output_ids == run.reference_ar.output_ids else " and changed the text"
    )
    return f"Lossy: {count(s.relaxed_accepts, 'token')} passed that the target did not want{changed}."
