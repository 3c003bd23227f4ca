"""Real runs of what was predicted: the set's texts decoded plainly and under the settings, one after another, both timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from app.lab.asked import Question, config_of
from app.lab.messages import ConfirmedMessage, ProgressMessage
from app.lab.sets import Recorded, TextSet
from app.messages import Packer
from app.panels.panel import Column, GeneralView
from app.runs import RUN_SECONDS, guarded
from respec_core.errors import ReSpecError
from respec_core.methods.registry import plain_config

if TYPE_CHECKING:
    from respec_core.engine.decoding import Request
    from respec_core.lab.outcome import Outcome
    from respec_core.methods.resources import Models
    from respec_core.trace.schema import Run


@dataclass(frozen=True)
class Confirmed:
    """A text: what was predicted, what was measured, and whether the text was the recorded one."""

    predicted: Outcome
    run: Run
    plain: Run
    same: bool


def confirm_packets(
    stream: str,
    asked: Question,
    among: TextSet,
    models: Callable[[], Models],
    stopped: Callable[[], bool] = lambda: False,
    seconds: float = RUN_SECONDS,
) -> Iterator[str]:
    """The comparison as it grows: the text that is asked for, or all of the set where none is.

    Args:
        models: gives the loaded models, or raises a ReSpecError that says why there are none.
        stopped: whether the visitor asked to stop; what was measured by then stays.
    """
    packer, end = Packer(stream), perf_counter() + seconds
    yield from guarded(packer, _confirmed(packer, asked, among, models, lambda: stopped() or perf_counter() >= end))


def _confirmed(
    packer: Packer, asked: Question, among: TextSet, models: Callable[[], Models], over: Callable[[], bool]
) -> Iterator[str]:
    from respec_core.engine.decoding import Request
    from respec_core.lab.outcome import outcome

    loaded = models()
    _check_same(among, loaded)
    config = config_of(among.atlas, asked.method, asked.pinned)
    texts = [among.text(asked.text)] if asked.text else [*among.texts]
    precisions = str(among.atlas.manifest.target["dtype"]), loaded.target.dtype_name
    total, began, found = sum(len(text.stage.text) for text in texts), perf_counter(), list[Confirmed]()
    for text in texts:
        with among.lock:
            expected = outcome(text.stage, text.entry.id, text.entry.kind, config)
        prompt = _prompt(text)
        plain = _run(Request(plain_config(config), *prompt), loaded, over)
        run = _run(Request(config, *prompt), loaded, over)
        if over():
            break
        found.append(
            Confirmed(expected, run, plain, run.output_ids == text.stage.text.output_ids[: len(run.output_ids)])
        )
        done = sum(one.predicted.tokens for one in found)
        left = (perf_counter() - began) / max(done, 1) * (total - done)
        progress: ProgressMessage = {"kind": "progress", "done": done, "total": total, "seconds": left}
        message: ConfirmedMessage = {
            "kind": "confirmed",
            "panel": confirmed_view(found, precisions),
            "final": len(found) == len(texts),
        }
        yield packer.pack([progress, message])
    if not found:
        raise ReSpecError("Stopped before a text was measured.")
    if len(found) < len(texts):
        last: ConfirmedMessage = {"kind": "confirmed", "panel": confirmed_view(found, precisions), "final": True}
        yield packer.pack([last])


def _check_same(among: TextSet, models: Models) -> None:
    """The prediction is of the atlas's target; another one has another text and other times."""
    target, recorded = models.target, among.atlas.manifest
    if target.tokenizer_fingerprint() != recorded.tokenizer or target.name != recorded.target["name"]:
        raise ReSpecError(
            f"This set was recorded with {recorded.target['name']}; {target.name} is loaded here, which writes other texts."
        )


def _prompt(text: Recorded) -> tuple[tuple[int, ...], str]:
    words = text.stage.text.words
    return text.stage.text.prompt_ids, words.prompt if words else ""


def _run(request: Request, models: Models, over: Callable[[], bool]) -> Run:
    """The run, or as far as it came."""
    from respec_core.methods.running import decode
    from respec_core.trace.events import TraceFolder

    folder = TraceFolder()
    with closing(decode(request, models)) as events:
        for event in events:
            folder.add(event)
            if over() and folder.started:
                break
    return folder.run()


COLUMNS: list[Column] = [
    {"key": "text", "label": "text"},
    {"key": "tokens", "label": "tokens", "numeric": True},
    {"key": "passes", "label": "passes, predicted", "numeric": True},
    {"key": "real_passes", "label": "measured", "numeric": True},
    {"key": "ms", "label": "ms, predicted", "numeric": True},
    {"key": "real_ms", "label": "measured", "numeric": True},
    {"key": "ratio", "label": "× plain, predicted", "numeric": True},
    {"key": "real_ratio", "label": "measured", "numeric": True},
    {"key": "error", "label": "error of ms"},
    {"key": "same", "label": "text as recorded"},
]


def confirmed_view(found: Sequence[Confirmed], precisions: tuple[str, str]) -> GeneralView:
    """Predicted beside measured, text by text, and all together.

    Args:
        precisions: of the recording, and here.
    """
    rows = [_row(f"{one.predicted.kind}, prompt {one.predicted.id}", [one]) for one in found]
    whole = _row("all", found)
    wrong = sum(not one.same for one in found)
    apart = (
        f" {wrong} texts left the recorded one: another precision or machine decided a near tie otherwise."
        if wrong
        else ""
    )
    predicted = "–" if whole["ratio"] is None else f"{whole['ratio']:.2f}× plain predicted, "
    sentence = (
        f"Passes: {whole['passes']} predicted, {whole['real_passes']} measured. {predicted}{whole['real_ratio']:.2f}× measured here, "
        f"one timing of each.{apart}{_otherwise(*precisions)}"
    )
    return {"sentence": sentence, "table": {"columns": COLUMNS, "rows": [*rows, whole] if len(rows) > 1 else rows}}


def _otherwise(recorded: str, here: str) -> str:
    if recorded == here:
        return ""
    return (
        f" The set was recorded in {recorded} and is decoded in {here} here: forwards take another time, and near ties "
        "may fall otherwise."
    )


def _row(name: str, found: Sequence[Confirmed]) -> dict[str, Any]:
    tallies = [one.predicted.tally for one in found]
    known = all(tally.ms is not None for tally in tallies)
    ms = sum(tally.ms or 0.0 for tally in tallies) if known else None
    plain = sum(tally.plain_ms or 0.0 for tally in tallies)
    real, real_plain = (
        sum(_seconds(run) for run in runs) * 1e3 for runs in ([c.run for c in found], [c.plain for c in found])
    )
    return {
        "text": name,
        "tokens": sum(one.predicted.tokens for one in found),
        "passes": sum(tally.passes for tally in tallies),
        "real_passes": sum(len(one.run.steps) for one in found),
        "ms": ms,
        "real_ms": real,
        "ratio": plain / ms if ms else None,
        "real_ratio": real_plain / real if real else 0.0,
        "error": f"{ms / real - 1:+.0%}" if ms and real else "–",
        "same": "yes" if all(one.same for one in found) else "no",
    }


def _seconds(run: Run) -> float:
    return run.summary.wall_s if run.summary else 0.0
