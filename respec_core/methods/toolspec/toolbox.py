"""Tools and earlier answers from a file: what ToolSpec loads beside a target.

``{"tools": […], "answers": [{"question": "…", "answer": "…"}]}``, both optional: tool schemas as prompts have them, and calls
that answered earlier questions. The target reads each question once, so that later ones can be compared with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from respec_core.boundary.untrusted_json import parse_json
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.resources import Models
from respec_core.methods.toolspec.settings import ToolSpecSettings
from respec_core.methods.toolspec.tools import Tool, tools_in
from respec_core.models.checkpoints import Progress
from respec_core.settings.run_config import build_config

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel

MAX_FILE = 4 * 2**20
MOST_ANSWERS = 1000
LAST = -1  # the target's last layer


@dataclass(frozen=True)
class Toolbox:
    """Attributes:
    tools: beside those of the prompt.
    answers: token ids of each.
    questions: float32 ``[answers, width]``, unit vectors: the target's last hidden state behind each question.
    """

    tools: tuple[Tool, ...] = ()
    answers: tuple[tuple[int, ...], ...] = ()
    questions: torch.Tensor | None = None

    def describe(self) -> dict[str, Any]:
        """For the trace: every tool, so that the state machine can be followed again, and how many answers."""
        return {"tools": [tool.described() for tool in self.tools], "answers": len(self.answers)}

    def alike(self, state: torch.Tensor, most: int) -> list[tuple[int, float]]:
        """Numbers of the answers to the most similar questions, each with its cosine, the most similar first."""
        if self.questions is None or most == 0:
            return []
        cosine = self.questions @ unit(state)
        best = cosine.topk(min(most, len(cosine)))
        return [*zip(best.indices.tolist(), best.values.tolist(), strict=True)]


def unit(state: torch.Tensor) -> torch.Tensor:
    """``[width]`` of length 1, float32."""
    flat = state.detach().float().cpu().reshape(-1)
    return torch.nn.functional.normalize(flat, dim=0)


def open_toolbox(choice: ModelChoice, models: Models, progress: Progress) -> Toolbox | None:
    """The file that ``choice`` names; None without a name.

    Raises:
        ReSpecError: if it cannot be read, or is no such file.
    """
    name = choice.beside.get("tools")
    if not name:
        return None
    path = Path(name)
    try:
        if path.stat().st_size > MAX_FILE:
            raise ReSpecError(f"{name} is larger than {MAX_FILE // 2**20} MB.")
        data = parse_json(path.read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise ReSpecError(f"{name} cannot be read as text: {error}.") from error
    return read_toolbox(data, models.target, name, progress)


def read_toolbox(data: Any, target: LanguageModel, where: str, progress: Progress) -> Toolbox:
    """From the file's JSON.

    Raises:
        ReSpecError: for anything but tools and answers.
    """
    if not isinstance(data, Mapping) or not data.keys() <= {"tools", "answers"}:
        raise ReSpecError(
            f'{where} is no file of tools: write {{"tools": […], "answers": [{{"question", "answer"}}]}}.'
        )
    from respec_core.models.prompts import request_for  # loads transformers, which the lab does without

    given = data.get("answers", [])
    if not isinstance(given, list) or len(given) > MOST_ANSWERS or not all(map(_is_answer, given)):
        raise ReSpecError(f'{where}: answers are at most {MOST_ANSWERS} of {{"question": "…", "answer": "…"}}.')
    tools = tools_in(json.dumps(data.get("tools", [])))
    if data.get("tools") and not tools:
        raise ReSpecError(f'{where} describes no tool: each needs "name", "description" and "parameters".')
    answers, states = list[tuple[int, ...]](), list[torch.Tensor]()
    for i, one in enumerate(given):
        progress(f"reading earlier question {i + 1} of {len(given)}")
        tokenizer = target.tokenizer
        assert tokenizer is not None  # request_for says so in a sentence
        config = build_config("toolspec", ToolSpecSettings, {})
        states.append(unit(state_behind(target, request_for(target, config, one["question"]).prompt_ids)))
        answers.append(tuple(tokenizer(one["answer"], add_special_tokens=False)["input_ids"]))
    return Toolbox(tools, tuple(answers), torch.stack(states) if states else None)


def state_behind(target: LanguageModel, prompt: tuple[int, ...]) -> torch.Tensor:
    """The target's last hidden state behind all tokens of ``prompt`` but the last, which a run's first round reads."""
    session = target.session(len(prompt), (LAST,))
    *_, (_, hidden) = session.prefill(prompt[:-1])
    return hidden[LAST][-1]


def _is_answer(one: Any) -> bool:
    return isinstance(one, Mapping) and all(
        isinstance(one.get(name), str) and one[name] for name in ("question", "answer")
    )
