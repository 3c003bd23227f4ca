"""A visitor's own prompts become a set: recorded by the loaded model, one after another, with progress, and stopped between two tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from app.lab.messages import ProgressMessage, RecordedMessage
from app.lab.sets import Sets, TextSet
from app.messages import Packer
from app.runs import RUN_SECONDS, guarded
from respec_core.bench.questions import Question, questions_in
from respec_core.boundary.untrusted_json import refuse_odd
from respec_core.errors import ReSpecError
from respec_core.methods.registry import BASELINE

if TYPE_CHECKING:
    from respec_core.engine.decoding import Request
    from respec_core.methods.resources import Models

MOST_PROMPTS = 24
MOST_CHARACTERS = 8_000  # of one prompt
MOST_TEXT = 400_000  # of all
MOST_TOKENS = 128  # written for one prompt
PACKET_SECONDS = 0.25
RULE = "---"


def prompts_in(text: Any) -> tuple[Question, ...]:
    """Prompts that were pasted or read from a file: Spec-Bench's lines of JSON, texts with lines of ``---`` between, or one a line.

    Raises:
        ReSpecError: for none, too many, or one that is too long.
    """
    if not isinstance(text, str) or not text.strip():
        raise ReSpecError("Paste some prompts first: one a line, or with a line of --- between two.")
    if len(text) > MOST_TEXT:
        raise ReSpecError(f"These are {len(text)} characters; this page takes up to {MOST_TEXT}.")
    refuse_odd(text, "The prompts")
    if text.lstrip().startswith("{"):
        found = questions_in(text, "The file")
    else:
        ruled = any(line.strip() == RULE for line in text.splitlines())
        parts = re.split(rf"^\s*{RULE}\s*$", text, flags=re.MULTILINE) if ruled else text.splitlines()
        kept = [part.strip() for part in parts if part.strip()]
        found = tuple(Question(str(i), "own", part, i) for i, part in enumerate(kept, 1))
    if not 1 <= len(found) <= MOST_PROMPTS:
        raise ReSpecError(f"These are {len(found)} prompts; this page records 1 to {MOST_PROMPTS} at once.")
    if long := next((one for one in found if len(one.text) > MOST_CHARACTERS), None):
        raise ReSpecError(f"Prompt {long.id} has {len(long.text)} characters; the limit is {MOST_CHARACTERS}.")
    return found


def record_packets(
    stream: str,
    text: Any,
    tokens: Any,
    models: Callable[[], Models],
    sets: Sets,
    stopped: Callable[[], bool] = lambda: False,
    seconds: float = RUN_SECONDS,
) -> Iterator[str]:
    """Everything that the page needs to show prompts being recorded; at the end the set's name.

    Args:
        tokens: how many to write for each.
        models: gives the loaded models, or raises a ReSpecError that says why there are none.
        stopped: whether the visitor asked to stop; whole texts by then make a set.
    """
    packer, end = Packer(stream), perf_counter() + seconds
    yield from guarded(
        packer, _recorded(packer, text, tokens, models, sets, lambda: stopped() or perf_counter() >= end)
    )


def _recorded(
    packer: Packer, text: Any, tokens: Any, models: Callable[[], Models], sets: Sets, over: Callable[[], bool]
) -> Iterator[str]:
    if type(tokens) is not int or not 8 <= tokens <= MOST_TOKENS:
        raise ReSpecError(f"Write 8 to {MOST_TOKENS} tokens for each prompt.")
    questions, loaded = prompts_in(text), models()
    from respec_core.lab.atlas import AtlasWriter, manifest_of
    from respec_core.lab.recording import recordable
    from respec_core.models.costs import cost_curve
    from respec_core.models.prompts import request_for
    from respec_core.retrieval.datastore import Datastore

    config = BASELINE.configure({"max_new_tokens": tokens})
    requests = [request_for(loaded.target, config, question.text) for question in questions]
    cost_curve(loaded.target)
    options = {name: how.options() for name, how in recordable(loaded).items()}
    name = uuid4().hex
    writer = AtlasWriter(sets.folder(name), manifest_of(loaded, config, options, name))
    progress, total = _Progress(packer, len(requests) * tokens), 0
    for question, request in zip(questions, requests, strict=True):
        done = yield from _one(request, loaded, options, progress, total, over)
        if done is None:
            break
        total += tokens
        writer.add(question.id, question.kind, done)
    if not writer.manifest.texts:
        raise ReSpecError("Stopped before the first prompt was recorded.")
    made = len(writer.manifest.texts)
    title = f"Own prompts ({made})" if made == len(questions) else f"Own prompts ({made} of {len(questions)})"
    sets.add(TextSet(name, title, writer.folder, loaded.get(Datastore)))
    message: RecordedMessage = {"kind": "recorded", "set": name, "title": title}
    yield packer.pack([message])


def _one(
    request: Request, models: Models, options: Any, progress: _Progress, before: int, over: Callable[[], bool]
) -> Any:
    """The recorded text, None where it was stopped; yields packets."""
    from respec_core.lab.recording import record_steps

    with closing(record_steps(request, models, options)) as steps:
        while not over():
            try:
                written = next(steps)
            except StopIteration as end:
                return end.value
            yield from progress.at(before + written)
    return None


class _Progress:
    """How far it is and how long the rest may take, a few times a second."""

    def __init__(self, packer: Packer, total: int) -> None:
        self.packer, self.total, self.began, self.due = packer, total, perf_counter(), 0.0

    def at(self, done: int) -> Sequence[str]:
        """The packet that is due, if one is."""
        now = perf_counter()
        if now < self.due:
            return ()
        self.due = now + PACKET_SECONDS
        left = (now - self.began) / done * (self.total - done)
        message: ProgressMessage = {"kind": "progress", "done": done, "total": self.total, "seconds": left}
        return (self.packer.pack([message]),)
