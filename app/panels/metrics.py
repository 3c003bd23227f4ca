"""The run's figures, each with its definition; and what they add up to, said plainly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from app.panels.labels import count
from app.panels.story import story
from respec_core.methods.losses import losses
from respec_core.methods.registry import BASELINE
from respec_core.methods.size_rule import size_rule
from respec_core.trace.benefit import Benefit, benefit
from respec_core.trace.differences import first_difference
from respec_core.trace.mean_lengths import mean_lengths
from respec_core.trace.notes import context_note, lacking_note, loop_note
from respec_core.trace.rates import FEW, MISSING, Rate, hit_rate, level_acceptance, node_acceptance, told, trigger_rate
from respec_core.trace.repetition import find_loop
from respec_core.trace.schema import Run, Summary
from respec_core.trace.speed import Speed, speed_of
from respec_core.trace.summary import GLOSSARY, specials_note

QUOTED = 200  # characters of a broken invariant
MOST_QUOTED = 3


class Metric(TypedDict):
    """A number of the run with its definition; ``muted`` where something speaks against it."""

    name: str
    value: str
    note: str
    help: str
    muted: bool


class Badge(TypedDict):
    """A short mark with its meaning."""

    kind: Literal["broken", "lossy", "note", "same", "differs"]
    text: str
    help: str


class LoopView(TypedDict):
    """Tokens ``start`` to ``start + length`` are the same ``period`` tokens over and over."""

    start: int
    length: int
    period: int


class MetricsView(TypedDict):
    """The run's numbers, marks, what speaks against the numbers, what they come to, where its text loops, and what is to be seen."""

    metrics: list[Metric]
    badges: list[Badge]
    warning: str
    verdict: str
    loop: LoopView | None
    story: str


def metrics_view(run: Run, *, running: bool = False, broken: Sequence[str] = ()) -> MetricsView:
    """Metrics, badges, the verdict of a run, and before all of them what speaks against its figures.

    While it goes on there is no verdict. ``broken`` are the invariants that its trace does not hold.
    """
    if running:
        return {"metrics": _metrics(run), "badges": [], "warning": "", "verdict": "", "loop": None, "story": story(run)}
    warned = warning(run, broken)
    return {
        "metrics": _metrics(run, muted=bool(warned)),
        "badges": [*_broken_badge(broken), *badges(run)],
        "warning": warned,
        "verdict": verdict(run),
        "loop": _loop(run),
        "story": story(run),
    }


def _loop(run: Run) -> LoopView | None:
    found = find_loop(run.output_ids)
    return {"start": found.start, "length": found.length, "period": found.period} if found else None


def _metrics(run: Run, *, muted: bool = False) -> list[Metric]:
    s, speed = run.summary, speed_of(run)
    assert s is not None
    return [
        _metric("tokens per target pass", f"{s.mat:.2f}", f"{s.tokens} tokens in {s.target_passes} passes"),
        _metric("× plain", f"{speed.ratio:.2f}×" if speed else MISSING, _speed_note(speed), muted=muted),
        _metric("tokens/s", f"{s.tok_s:.1f}", f"{s.wall_s:.2f} s of decoding"),
        _rate("levels accepted", level_acceptance(run), "drafted levels", "nothing was drafted"),
        _rate("tree nodes accepted", node_acceptance(run), "nodes sent", "nothing was drafted"),
        _metric("accepted per pass", f"{s.accepted_per_step:.2f}", ""),
        _rate("trigger rate", trigger_rate(run), "rounds", "this method has no trigger"),
        _rate("hit rate", hit_rate(run), "rounds with copies", "no copy was verified"),
        _metric("draft size", size_rule(run.settings) or MISSING, _size_note(run)),
        *_cost(benefit(run)),
        *(_metric(name, _number(value), "") for name, value in mean_lengths(run).items()),
    ]


def _cost(found: Benefit | None) -> list[Metric]:
    if found is None:
        return []
    terms = f"verifying {found.verify:.2f}, drafting {found.drafting:.2f}, the rest {found.rest:.2f}"
    return [_metric("cost of a pass", f"{found.cost:.2f}", terms)]


def _metric(name: str, value: str, note: str, *, muted: bool = False) -> Metric:
    return {"name": name, "value": value, "note": note, "help": GLOSSARY[name], "muted": muted}


def _rate(name: str, rate: Rate | None, whole: str, missing: str) -> Metric:
    """A share never stands without what it is a share of."""
    if rate is None:
        return _metric(name, MISSING, missing)
    return _metric(name, told(rate), whole if rate.whole < FEW else f"{rate.part} of {rate.whole} {whole}")


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def _size_note(run: Run) -> str:
    drafted = sum(len(step.trees.final) - 1 for step in run.steps)
    return f"{drafted / len(run.steps):.1f} nodes a pass" if drafted else ""


def _speed_note(speed: Speed | None) -> str:
    if speed is None:
        return "not measured"
    if not speed.silent:
        return "n = 1: one timing each, no silent repeats"
    return f"median of {count(speed.repeats, 'silent repeat')}, {speed.low:.2f} to {speed.high:.2f}×"


def badges(run: Run) -> list[Badge]:
    """Short marks with their meaning: exactness, and equality with plain decoding where it was measured."""
    found: list[Badge] = []
    relaxed = sum(step.commit.n_relaxed for step in run.steps)
    for loss in losses(run.settings):
        text = f"lossy · {relaxed} {loss.tokens}" if loss.tokens else loss.name
        found.append({"kind": "lossy", "text": text, "help": loss.why})
    if run.reference_ar is not None and run.finish_reason != "cancelled":
        found.append(_equality(run))
    if (said := loop_note(run)) is not None:
        found.append({"kind": "note", "text": "text loops", "help": said})
    if (said := context_note(run)) is not None:
        found.append({"kind": "note", "text": "context beyond training", "help": said})
    if (said := lacking_note(run)) is not None:
        found.append({"kind": "note", "text": "a part is lacking", "help": said})
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
    """What the run comes to, slower included."""
    if run.summary is None or not run.summary.tokens:
        return ""
    paid = benefit(run)
    cost = paid.sentence(timed=speed_of(run) is not None) if paid else None
    return " ".join(filter(None, [_speed(run, run.summary), cost, context_note(run), lacking_note(run)]))


def warning(run: Run, broken: Sequence[str] = ()) -> str:
    """What speaks against the figures of a run: that its trace contradicts itself, that it is lossy, that it loops."""
    return " ".join(filter(None, [_contradiction(broken), _loss(run), loop_note(run)]))


def _contradiction(broken: Sequence[str]) -> str:
    if not broken:
        return ""
    more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    return f"This trace contradicts itself: {broken[0][:QUOTED]}{more}. Figures that its rounds do not give were computed again."


def _broken_badge(broken: Sequence[str]) -> list[Badge]:
    if not broken:
        return []
    said = "; ".join(sentence[:QUOTED] for sentence in broken[:MOST_QUOTED])
    rest = f"; and {len(broken) - MOST_QUOTED} more" if len(broken) > MOST_QUOTED else ""
    return [{"kind": "broken", "text": f"{count(len(broken), 'check')} failed", "help": f"{said}{rest}."}]


def _speed(run: Run, s: Summary) -> str:
    passes = f"{count(s.tokens, 'token')} in {s.target_passes} target passes"
    speed = speed_of(run)
    if speed is None or run.reference_ar is None:
        return f"{passes}; time against plain decoding was not measured."
    lengths = ""
    if len(run.reference_ar.output_ids) != s.tokens:
        lengths = f" (plain wrote {count(len(run.reference_ar.output_ids), 'token')})"
    if run.method == BASELINE.name:
        return f"{passes}: this is plain decoding, the baseline; a second timing of it gave {speed.ratio:.2f}×."
    if not speed.silent:
        return (
            f"{passes}; {speed.ratio:.2f}× plain decoding's speed{lengths} in one timing each, which settles nothing."
        )
    spread = f"{speed.low:.2f} to {speed.high:.2f}× in {count(speed.repeats, 'silent repeat')}{lengths}"
    if speed.repeats < 2:
        return f"{passes}; {spread}, which settles nothing."
    if not speed.clear:
        return f"No clear difference from plain decoding here: {spread}; {passes}."
    if speed.ratio < 1:
        return f"Slower than plain decoding here: {spread}. {passes} did not pay for the drafts."
    return f"{speed.ratio:.2f}× as fast as plain decoding here, {spread}: {passes}."


def _loss(run: Run) -> str:
    """Whichever way the run was lossy; a rule of verification only where it let something pass."""
    relaxed = sum(step.commit.n_relaxed for step in run.steps)
    lost = [loss.why for loss in losses(run.settings) if not loss.tokens]
    if relaxed:
        same = run.reference_ar is None or run.output_ids == run.reference_ar.output_ids
        changed = "" if same else " and changed the text"
        lost.insert(0, f"{count(relaxed, 'token')} passed that the target did not want{changed}.")
    return f"Lossy: {' '.join(lost)}" if lost else ""
