"""Questions in Spec-Bench's format, answered greedily by the target, to measure drafters on text never trained on."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import chain, zip_longest
from pathlib import Path

from respec_core.methods.parts.written_texts import Text
from respec_core.training.lean import LeanLlama
from respec_core.training.recipes import Frame
from respec_core.training.writer import Limits, Request, write

KINDS = ("mt_bench", "translation", "summarization", "qa", "math_reasoning", "rag")


def first_turns(path: Path, per_kind: int) -> list[tuple[str, str]]:
    """(kind, question) of the first turns; the categories of MT-Bench count as one kind and take turns."""
    by_category: dict[str, list[str]] = defaultdict(list)
    for line in path.read_text().splitlines():
        item = json.loads(line)
        by_category[item["category"]].append(item["turns"][0])
    mixed = chain.from_iterable(zip_longest(*(q for c, q in by_category.items() if c not in KINDS)))
    by_kind = {"mt_bench": [q for q in mixed if q is not None], **{k: by_category[k] for k in KINDS[1:]}}
    return [(kind, question) for kind in KINDS for question in by_kind[kind][:per_kind]]


def answered(model: LeanLlama, frame: Frame, path: Path, per_kind: int, new_tokens: int, limits: Limits) -> list[Text]:
    """The target's greedy answers; ``model`` should be fp32, which is what plain decoding is compared with."""
    asked = first_turns(path, per_kind)
    prompts = [(*frame.before, *frame.encode(q), *frame.between) for _, q in asked]
    answers = write(model, [Request(p, 0.0, new_tokens) for p in prompts], frame.stop, limits, 0)
    return [
        Text((*prompt, *answer), len(prompt), kind, 0)
        for (kind, _), prompt, answer in zip(asked, prompts, answers, strict=True)
        if answer
    ]
