"""Real runs: the set's texts decoded plainly and under the settings, one after another, both timed, beside what was predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING

from app.lab.asked import Question, config_of
from app.lab.confirmed import Confirmed, confirmed_view
from app.lab.messages import ConfirmedMessage, ProgressMessage
from app.lab.sets import Recorded, TextSet
from app.messages import Packer
from app.runs import RUN_SECONDS, guarded
from respec_core.errors import ReSpecError
from respec_core.methods.registry import plain_config

if TYPE_CHECKING:
    from respec_core.engine.decoding import Request
    from respec_core.lab.outcome import Outcome
    from respec_core.methods.resources import Models
    from respec_core.trace.schema import Run


def confirm_packets(
    stream: str,
    asked: Question,
    among: TextSet,
    models: Callable[[], Models],
    stopped: Callable[[], bool] = lambda: False,
    seconds: float = RUN_SECONDS,
) -> Iterator[str]:
    """The comparison as it grows: the text that is asked for, or all of the set where none is.

    Settings that cannot be replayed are really run all the same, without a prediction.

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

    loaded = models()
    _check_same(among, loaded)
    config = config_of(among.atlas, asked.method, asked.pinned, replayed=False)
    texts = [among.text(asked.text)] if asked.text else [*among.texts]
    precisions = str(among.atlas.manifest.target["dtype"]), loaded.target.dtype_name
    total, began, found = sum(len(text.stage.text) for text in texts), perf_counter(), list[Confirmed]()
    for text, predicted in zip(texts, _expected(asked, among, texts), strict=True):
        prompt = _prompt(text)
        plain = _run(Request(plain_config(config), *prompt), loaded, over)
        run = _run(Request(config, *prompt), loaded, over)
        if over():
            break
        same = run.output_ids == text.stage.text.output_ids[: len(run.output_ids)]
        found.append(Confirmed(text.entry, predicted, run, plain, same))
        done = sum(len(one.stage.text) for one in texts[: len(found)])
        left = (perf_counter() - began) / max(done, 1) * (total - done)
        progress: ProgressMessage = {"kind": "progress", "done": done, "total": total, "seconds": left}
        message: ConfirmedMessage = {
            "kind": "confirmed",
            "panel": confirmed_view(asked, found, precisions, len(texts)),
            "final": len(found) == len(texts),
        }
        yield packer.pack([progress, message])
    if not found:
        raise ReSpecError("Stopped before a text was measured.")
    if len(found) < len(texts):
        panel = confirmed_view(asked, found, precisions, len(texts))
        last: ConfirmedMessage = {"kind": "confirmed", "panel": panel, "final": True}
        yield packer.pack([last])


def _expected(asked: Question, among: TextSet, texts: Sequence[Recorded]) -> Sequence[Outcome | None]:
    """What is predicted of each text; of none where a replay is not the run."""
    from respec_core.lab.outcome import outcome

    try:
        config = config_of(among.atlas, asked.method, asked.pinned)
        with among.turns:
            return [outcome(text.stage, text.entry.id, text.entry.kind, config) for text in texts]
    except ReSpecError:
        return [None] * len(texts)


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
