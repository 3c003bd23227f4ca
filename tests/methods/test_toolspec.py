"""ToolSpec: its state machine against calls that were written out, its copies against a plain search, its memory, its record."""

from __future__ import annotations

import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import StubModel, one_hot, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.toolspec.copying import OWN, NgramPlaces, copies
from respec_core.methods.toolspec.machine import OPENINGS, position
from respec_core.methods.toolspec.record import ToolState
from respec_core.methods.toolspec.settings import LENGTHS
from respec_core.methods.toolspec.toolbox import read_toolbox
from respec_core.methods.toolspec.tools import Parameter, Tool, tools_in
from respec_core.methods.traces import violations

names = st.text("abc_", min_size=1, max_size=5)
parameters = st.one_of(
    st.builds(Parameter, names, st.just(True), st.just(()), st.booleans()),
    st.builds(Parameter, names, st.just(True), st.lists(names, min_size=1, max_size=3, unique=True).map(tuple)),
    st.builds(Parameter, names, st.just(False), st.sampled_from([(), ("true", "false")])),
)
tools_lists = st.lists(
    st.builds(Tool, names, st.lists(parameters, max_size=3, unique_by=lambda one: one.name).map(tuple)),
    min_size=1,
    max_size=3,
    unique_by=lambda tool: tool.name,
)
free = st.text('ab" \\{}[],:', max_size=6)


@settings(max_examples=60, deadline=None)
@given(tools_lists, st.data())
def test_whatever_is_cut_off_a_call_is_among_what_the_schema_lets_follow(tools, data):
    """The naive parser is who wrote the call: for every character it knows what it belongs to."""
    tool = data.draw(st.sampled_from(tools))
    opening = data.draw(st.sampled_from(OPENINGS))
    wanted = [one for one in data.draw(st.permutations(tool.parameters)) if one.required or data.draw(st.booleans())]
    parts = [("init", opening + tool.name), ("first_param", '", "parameters": {')]
    for i, one in enumerate(wanted):
        state = "remaining_param" if i else "first_param"
        parts.append((state, f'{", " if i else ""}"{one.name}": '))
        if one.choices:
            value = data.draw(st.sampled_from(one.choices))
            parts.append(("dictated", json.dumps(value) if one.quoted else value))
        elif one.quoted:
            written = json.dumps(data.draw(free))
            parts += [(state, '"'), ("free", written[1:])]
        else:
            parts.append(("free", data.draw(st.sampled_from(["1", "-2.5", '[1, "]"]', '{"a": {"b": "}"}}']))))
    parts.append(("remaining_param" if wanted else "first_param", "}}"))
    text, kinds = "".join(part for _, part in parts), [kind for kind, part in parts for _ in part]
    for at, kind in enumerate(kinds):
        here = position(text[:at], tools)
        if kind == "free" or (at and kinds[at - 1] == "free" and text[at - 1].isdigit()):  # a number may go on
            continue
        if kind == "dictated":
            assert here.state in ("value", "first_param", "remaining_param")
        elif text[at:] != "}":
            assert here.state == kind or (kind == "init" and text[:at].endswith(tuple(tool.name for tool in tools)))
        rest = text[at:]
        assert any(rest.startswith(one) or one.startswith(rest) for one in here.expected), (text[:at], here)
    assert position(text, tools).state == "done"


@given(st.text('{}[]",: \\nameprtsol<_1', max_size=60), tools_lists)
def test_no_text_is_too_odd(text, tools):
    for odd in (text, '{"name": "' + text, f'{{"name": "{tools[0].name}", "parameters": {{' + text):
        assert "" not in position(odd, tools).expected


TRAIN = Tool(
    "find_train",
    (
        Parameter("start"),
        Parameter("day", choices=("today", "tomorrow")),
        Parameter("fast", False, ("true", "false"), False),
    ),
)
WALK = Tool("find", (Parameter("hours", False),))


@pytest.mark.parametrize(
    ("text", "state", "expected"),
    [
        ("Sure: ", "init", ()),
        ("<tool_c", "init", ('all>\n{"name": "find_train', 'all>\n{"name": "find', 'all>\n  {"name": "find_train', 'all>\n  {"name": "find')),
        ('{"name": "fi', "init", ("nd_train", "nd")),
        ('{"name": "find', "first_param", ('", "parameters": {"hours": ', "_train")),
        ('{"name": "walk"', "init", ()),
        ('{"name": "find_train", "par', "first_param", tuple(f'ameters": {{{one}' for one in ('"start": "', '"day": "', '"fast": '))),
        ('{"name": "find_train", "arguments": {"', "first_param", ('start": "', 'day": "', 'fast": ')),
        ('{"name": "find_train", "parameters": {"start": "Lu', "value", ()),
        ('{"name": "find_train", "parameters": {"start": "Lu\\"nd"', "remaining_param", (', "day": "', ', "fast": ')),
        ('{"name": "find_train", "parameters": {"start": "Lund", "day": "to', "value", ('day"', 'morrow"')),
        ('{"name": "find_train", "parameters": {"start": "Lund", "day": "today"', "remaining_param", ("}}", ', "fast": ')),
        ('{"name": "find_train", "parameters": {"start": "Lund", "fast": ', "remaining_param", ("true", "false")),
        ('{"name": "find_train", "parameters": {"start": "Lund",', "remaining_param", (' "day": "', ' "fast": ')),
        ('{"name": "find", "parameters": {"hours": 1', "value", ()),
        ('{"name": "find", "parameters": {"hours": 12}', "done", ("}",)),
        ('{"name": "find", "parameters": {"hours": 12}}\n', "done", ()),
        ('{"name": "find", "parameters": {"hours": 12}}\n{"name": "', "init", ("find_train", "find")),
        ('{"name": "find", "parameters": {hours', "first_param", ()),
    ],
)  # fmt: skip
def test_the_state_is_read_off_the_text(text, state, expected):
    here = position(text, (TRAIN, WALK))
    assert (here.state, here.expected) == (state, expected)


def test_before_anything_is_written_every_opening_and_every_tool_is_offered():
    assert set(position("", (TRAIN, WALK)).expected) == {o + t.name for o in OPENINGS for t in (TRAIN, WALK)}


def test_tools_are_found_in_prompts_and_calls_are_none():
    schema = {
        "type": "object",
        "properties": {"place": {"type": "string"}, "hot": {"type": "boolean"}},
        "required": ["place"],
    }
    plain = {"name": "get_weather", "description": "Weather", "parameters": schema}
    expected = Tool("get_weather", (Parameter("place"), Parameter("hot", False, ("true", "false"), False)))
    call = '{"name": "get_weather", "parameters": {"place": "Lund"}}'
    for text in (
        json.dumps(plain),
        json.dumps([{"type": "function", "function": plain}]),
        f"{call} Tools: {json.dumps(plain)}",
    ):
        assert tools_in(f"Use {{these}}: {text} and [nothing else") == (expected,)
        assert tools_in(json.dumps(expected.described())) == (expected,)
    listed = 'x\n1. Name: GetTime\nDescription: Time.\nParameters: {"zone": {"type": "string"}}\n2. Name: Stop\nDescription: End. Parameters: {}'
    assert tools_in(listed) == (Tool("GetTime", (Parameter("zone"),)), Tool("Stop", ()))
    assert tools_in(call) == ()


@given(
    st.lists(st.integers(0, 1), min_size=6, max_size=60),
    st.lists(st.lists(st.integers(0, 1), max_size=40), max_size=2),
    st.integers(2, 5),
    st.integers(1, 4),
)
def test_copies_are_what_a_search_through_all_n_grams_finds(ids, answers, longest, shortest):
    texts = [*enumerate(NgramPlaces(shortest, answer) for answer in answers), (OWN, NgramPlaces(shortest, ids))]
    expected: list[tuple[int, int, list[int]]] = []
    for n in range(longest, shortest - 1, -1):
        for number, text in [*enumerate(answers), (OWN, ids)]:
            for end in range(n, len(text) + 1):
                if len(expected) == len(LENGTHS):
                    break
                tail = text[end : end + LENGTHS[len(expected)]]
                begins = any(tail[: len(o)] == o[: len(tail)] for _, _, o in expected)
                if text[end - n : end] == ids[-n:] and len(tail) == LENGTHS[len(expected)] and not begins:
                    expected.append((number, end, tail))
    found = copies(ids, texts, longest, shortest)
    assert [(copy.answer, copy.at, [*copy.tokens]) for copy in found] == expected
    for copy in found:
        text = ids if copy.answer == OWN else answers[copy.answer]
        assert text[copy.at - copy.match_len : copy.at] == ids[-copy.match_len :]


def writing(tokenizer, prompt: str, answer: str, *others, **values):
    """A run whose target writes ``answer`` and an end behind ``prompt``."""
    begun = tokenizer(prompt)["input_ids"]
    text = [*begun, *tokenizer(answer)["input_ids"], tokenizer.eos_token_id]
    size, end = len(tokenizer), tokenizer.eos_token_id
    target = StubModel(
        lambda ids: one_hot(text[len(ids)] if len(ids) < len(text) else end, size),
        vocab_size=size, tokenizer=tokenizer, eos_ids=frozenset([end]),
    )  # fmt: skip
    config = find_method("toolspec").configure({"max_new_tokens": 400, "budget": "own"} | values)
    run = complete(Request(config, tuple(begun), prompt), Models(target, *others))
    assert run.output_text == answer
    return run


PROMPT = "Tools: " + json.dumps(
    {
        "name": "book",
        "description": "Book",
        "parameters": {"properties": {"who": {}, "seat": {"enum": ["left", "right"]}}},
    }
)
ANSWER = '{"name": "book", "parameters": {"who": "Ann", "seat": "left"}}'


def test_a_call_is_dictated_but_for_its_values(byte_tokenizer):
    run = writing(byte_tokenizer, PROMPT, ANSWER)
    assert violations(run) == []
    states = [step.record(ToolState).state for step in run.steps]
    assert states[:2] == ["init", "first_param"]
    assert "value" in states and states[-1] in ("remaining_param", "done")
    first = run.steps[0]
    assert (first.decision.chosen, first.decision.rule) == ("schema", "priority")
    assert {source for token in run.tokens if token.outcome == "strict_accept" for source in [token.source]} >= {
        "schema"
    }
    written = "".join(token.text for token in run.tokens if token.source == "schema")
    assert "Ann" not in written and "name" in written and "seat" in written
    assert run.summary.mat > 4


def test_the_state_advances_by_what_was_accepted(byte_tokenizer):
    """The authors' machine would have left its first state after the first round."""
    run = writing(byte_tokenizer, PROMPT, f"I will book it. {ANSWER}")
    assert violations(run) == []
    in_words = [step.record(ToolState) for step in run.steps if step.ctx_len < len(run.prompt_ids) + 10]
    assert len(in_words) > 3 and {state.state for state in in_words} == {"init"}
    assert any(step.record(ToolState).state == "first_param" for step in run.steps)


def toolbox(tokenizer, **data):
    return read_toolbox(data, tiny_model(seed=1, tokenizer=tokenizer), "tools.json", lambda _: None)


def test_answers_to_similar_questions_are_copied_from(byte_tokenizer):
    answers = [{"question": question, "answer": ANSWER + " thanks" * 6} for question in ("Book it", "zzzz", "What?")]
    box = toolbox(byte_tokenizer, answers=answers)
    target = tiny_model(seed=1, tokenizer=byte_tokenizer)
    assert box.alike(box.questions[1], 3)[0][0] == 1
    assert box.alike(box.questions[0] * 3, 1) == [(0, pytest.approx(1, abs=1e-5))]
    prompt = byte_tokenizer("Book it")["input_ids"]
    config = find_method("toolspec").configure({"max_new_tokens": 24, "budget": "own", "max_ngram": 2, "min_ngram": 1})
    run = complete(Request(config, tuple(prompt), "Book it"), Models(target, box))
    assert violations(run) == []
    recalled = run.steps[0].record(ToolState).recalled
    assert (recalled[0].answer, len(recalled)) == (0, 3)
    assert recalled[0].cosine == pytest.approx(1, abs=1e-4)
    copied = [hit for step in run.steps for hit in step.retrieval if hit.corpus == "tool_memory"]
    for hit in copied:
        texts = [token for answer in box.answers for token in answer]
        assert tuple(texts[hit.end_pos : hit.end_pos + len(hit.cont_ids)]) == hit.cont_ids
    plain = complete(Request(find_method("vanilla").configure({"max_new_tokens": 24}), tuple(prompt)), Models(target))
    assert run.output_ids == plain.output_ids


def test_tools_may_stand_in_the_file_instead_of_the_prompt(byte_tokenizer):
    box = toolbox(byte_tokenizer, tools=json.loads(PROMPT.removeprefix("Tools: ")))
    run = writing(byte_tokenizer, "Please book", ANSWER, box)
    assert violations(run) == []
    assert run.steps[0].decision.chosen == "schema"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "no file of tools"),
        ({"tool": []}, "no file of tools"),
        ({"tools": [{"name": "x"}]}, "describes no tool"),
        ({"answers": [{"question": "?"}]}, "answers are at most"),
    ],
)
def test_what_is_no_file_of_tools_is_refused_in_a_sentence(data, says):
    with pytest.raises(ReSpecError, match=says):
        read_toolbox(data, tiny_model(), "tools.json", lambda _: None)


def test_a_changed_record_is_found_out(byte_tokenizer):
    run = writing(byte_tokenizer, PROMPT, ANSWER)
    at = next(i for i, step in enumerate(run.steps) if step.record(ToolState).state == "first_param")
    step = run.steps[at]
    told = step.record(ToolState)
    changes = ({"state": "value"}, {"tool": None}, {"parameter": "who"}, {"expected": told.expected[1:]})
    for changed in changes:
        records = {**step.records, "toolspec": told.model_copy(update=changed)}
        forged = step.model_copy(update={"records": records})
        steps = (*run.steps[:at], forged, *run.steps[at + 1 :])
        assert violations(run.model_copy(update={"steps": steps})), changed
    other = step.trees.final[1].model_copy(update={"text": "?"})
    nodes = (step.trees.final[0], other, *step.trees.final[2:])
    forged = step.model_copy(update={"trees": step.trees.model_copy(update={"final": nodes})})
    said = violations(run.model_copy(update={"steps": (*run.steps[:at], forged, *run.steps[at + 1 :])}))
    assert any("schema does not let follow" in problem for problem in said)


def test_hidden_states_are_asked_for_only_where_there_is_something_to_compare_with(byte_tokenizer):
    box = toolbox(byte_tokenizer, answers=[{"question": "Book it", "answer": ANSWER}])
    target = tiny_model(seed=1, tokenizer=byte_tokenizer)
    method = find_method("toolspec")
    assert method.build(method.configure().params, Models(target)).hidden_layers == ()
    assert method.build(method.configure().params, Models(target, box)).hidden_layers == (-1,)
    assert torch.allclose(box.questions.norm(dim=-1), torch.ones(1))
