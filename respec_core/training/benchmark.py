"""Questions in Spec-Bench's format, answered greedily by the target, to measure drafters on text never trained on."""

from __future__ import annotations

from pathlib import Path

from respec_core.bench.questions import read_questions
from respec_core.methods.parts.written_texts import Text
from respec_core.training.lean import LeanLlama
from respec_core.training.recipes import Frame
from respec_core.training.writer import Limits, WritingRequest, write


def answered(model: LeanLlama, frame: Frame, path: Path, per_kind: int, new_tokens: int, limits: Limits) -> list[Text]:
    """The target's greedy answers to ``per_kind`` questions of each kind.

    ``model`` should be fp32, which is what plain decoding is compared with.

    Raises:
        ReSpecError: if the file holds something other than questions.
    """
    asked = read_questions(path, per_kind)
    prompts = [(*frame.before, *frame.encode(question.text), *frame.between) for question in asked]
    answers = write(model, [WritingRequest(p, 0.0, new_tokens) for p in prompts], frame.stop, limits, 0)
    return [
        Text((*prompt, *answer), len(prompt), question.kind, 0)
        for question, prompt, answer in zip(asked, prompts, answers, strict=True)
        if answer
    ]
