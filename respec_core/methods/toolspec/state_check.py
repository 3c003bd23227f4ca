"""What must hold of ToolSpec's record: the state machine is run again on what the trace says of prompt, tools and text.

Imports no torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from respec_core.methods.toolspec.copying import OWN, NgramPlaces, copies
from respec_core.methods.toolspec.machine import SCHEMA_FIRST, Position, key_of, position
from respec_core.methods.toolspec.record import ToolState
from respec_core.methods.toolspec.settings import ToolSpecSettings
from respec_core.methods.toolspec.tools import Tool, tools_in
from respec_core.trace.checks.hits import OWN_TEXT
from respec_core.trace.checks.reading import Reading, RoundReading

RESOURCE = "tools"


def state_problems(reading: Reading) -> Iterator[str]:
    """States that the text contradicts, drafts that the schema does, and turns that the priority does."""
    ours = reading.run.method == "toolspec"
    settings = ToolSpecSettings(**reading.params) if ours else ToolSpecSettings()
    prompt = "".join(reading.run.prompt_pieces)
    loaded = reading.run.models.get(RESOURCE)
    tools = _tools(prompt, loaded) if ours else ()
    own, written, recalled = NgramPlaces(settings.min_ngram), "", None
    own.read(reading.run.prompt_ids if ours else ())
    for round in reading.rounds:
        told = round.step.record(ToolState)
        if (told is None) == ours:
            yield f"{round.where}: a state in a tool call belongs to toolspec, and to all of its rounds"
        elif told is None:
            if round.step.decision.chosen == "schema":
                yield f"{round.where}: a schema was chosen, which toolspec alone has"
        else:
            here = position(written, tools, key_of(prompt))
            problems = (*_state(told, here), *_recalled(told, loaded, settings), *_drafted(round, here, own, settings))
            yield from (f"{round.where}: {problem}" for problem in problems)
            if recalled is not None and told.recalled != recalled:
                yield f"{round.where}: other earlier answers are recalled than before"
            recalled = told.recalled
            own.read(round.step.commit.emitted_ids)
            written += "".join(token.piece for token in round.tokens)


def _tools(prompt: str, loaded: Any) -> Sequence[Tool]:
    given = loaded.get("tools") if isinstance(loaded, Mapping) else None
    return tuple({tool.name: tool for tool in (*tools_in(json.dumps(given)), *tools_in(prompt))}.values())


def _state(told: ToolState, here: Position) -> Iterator[str]:
    if (told.state, told.tool, told.parameter) != (here.state, here.tool, here.parameter):
        yield f"the text stands at {here.state} of {here.tool or 'no tool'}, said is {told.state} of {told.tool or 'no tool'}"
    if told.expected != here.expected:
        yield f"{len(told.expected)} texts are said to be expected, the schema lets {len(here.expected)} follow"


def _recalled(told: ToolState, loaded: Any, settings: ToolSpecSettings) -> Iterator[str]:
    answers = loaded.get("answers", 0) if isinstance(loaded, Mapping) else 0
    if len(told.recalled) != min(answers, settings.memory_top_k):
        yield f"{len(told.recalled)} of {answers} earlier answers are recalled"
    if any(one.answer >= answers for one in told.recalled):
        yield "an answer is recalled that there is not"
    if any(a.cosine < b.cosine for a, b in pairwise(told.recalled)):
        yield "recalled answers are not ordered by their cosines"


def _drafted(round: RoundReading, here: Position, own: NgramPlaces, settings: ToolSpecSettings) -> Iterator[str]:
    chosen, hits = round.step.decision.chosen, round.step.retrieval
    first = here.state in SCHEMA_FIRST and bool(here.expected)
    found = copies(own.ids, [(OWN, own)], settings.max_ngram, settings.min_ngram)
    there = {(copy.at, copy.match_len, copy.tokens) for copy in found}
    told = {(hit.end_pos, hit.match_len, hit.cont_ids) for hit in hits if hit.corpus in OWN_TEXT}
    if hits and len(told) == len(hits) and told != there:  # earlier answers are searched first, and are not at hand
        yield "the copies in the text itself are others"
    if first and chosen not in ("schema", "none"):
        yield f"{chosen} drafted where the schema comes first"
    elif not first and there and chosen in ("schema", "model"):
        yield f"{chosen} drafted where the text had something to copy"
    if chosen == "schema":
        yield from _dictated(round, here)
    if chosen != "retrieval" and hits:
        yield f"{chosen} drafted, and there are copies"


def _dictated(round: RoundReading, here: Position) -> Iterator[str]:
    texts = [""]
    for node in round.nodes[1:]:
        texts.append(texts[node.parent] + node.text)
        if not any(expected.startswith(texts[-1]) for expected in here.expected):
            yield f"node {node.id} reads {texts[-1]!r:.60}, which the schema does not let follow"
