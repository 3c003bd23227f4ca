"""How near int8 is to fp32: ``python -m respec_core.bench.precision --questions F.jsonl``.

Each question's text is written in fp32, greedily; int8 then reads the same text, and at every place of the answer its
distribution is compared: the mean divergence KL(fp32 ‖ int8) in nats, and how often the first choice is the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import mean

import torch

from respec_core.bench.questions import Question, read_questions
from respec_core.engine.decoding import Request
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.registry import BASELINE
from respec_core.models.language_model import LanguageModel, load_model
from respec_core.models.prompts import request_for
from respec_core.models.registry import DEFAULT_TARGET

TOKENS = 32


@dataclass(frozen=True)
class Nearness:
    """One text: ``divergence`` in nats and ``same``, the share of equal first choices, both means over its places."""

    divergence: float
    same: float


def compare(exact: LanguageModel, rounded: LanguageModel, prompt: Sequence[int], tokens: int = TOKENS) -> Nearness:
    """``rounded`` beside ``exact`` on what ``exact`` writes after ``prompt`` (ids)."""
    truth, text = _written(exact, prompt, tokens)
    session = rounded.session(len(prompt) + tokens)
    for _ in session.prefill(prompt[:-1]):
        pass
    ours = session.forward(DraftTree.chain(prompt[-1], text[:-1], "text")).logits
    p, q = truth.double().log_softmax(-1), ours.double().log_softmax(-1)
    terms = (p.exp() * (p - q)).nan_to_num(0.0)  # ids that are no token have no probability in either
    return Nearness(float(terms.sum(-1).mean()), float((p.argmax(-1) == q.argmax(-1)).float().mean()))


def _written(model: LanguageModel, prompt: Sequence[int], tokens: int) -> tuple[torch.Tensor, list[int]]:
    """Logits ``[n, vocab]`` and the tokens they chose, up to the end of the text."""
    session, text = model.session(len(prompt) + tokens), [prompt[-1]]
    rows: list[torch.Tensor] = []
    for _ in session.prefill(prompt[:-1]):
        pass
    while len(rows) < tokens and not (rows and text[-1] in model.eos_ids):
        rows.append(session.forward(DraftTree.root(text[-1])).logits[0])
        session.keep([0])
        text.append(int(rows[-1].argmax()))
    return torch.stack(rows), text[1:]


def requests(model: LanguageModel, questions: Iterable[Question]) -> Iterator[Request]:
    """The questions as prompts of ``model``."""
    return (request_for(model, BASELINE.configure(), question.text) for question in questions)


def main(argv: Sequence[str] | None = None) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description="How near int8 is to fp32.")
    parser.add_argument("--questions", type=Path, action="append", required=True, metavar="F.jsonl")
    parser.add_argument("--limit", type=int, metavar="N", help="questions of each kind and file")
    parser.add_argument("--tokens", type=int, default=TOKENS, metavar="N", help="of each answer (%(default)s)")
    parser.add_argument("--model", default=DEFAULT_TARGET, help="registry name, hub id or folder (%(default)s)")
    args = parser.parse_args(argv)
    try:
        questions = tuple(chain.from_iterable(read_questions(path, args.limit) for path in args.questions))
        exact = load_model(args.model, "cpu", "fp32")
        if exact.why_not_lean:
            raise ReSpecError(f"{exact.name} cannot run in int8: {exact.why_not_lean}.")
        rounded = exact.in_int8()
        found = [compare(exact, rounded, asked.prompt_ids, args.tokens) for asked in requests(exact, questions)]
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    kl, same = mean(near.divergence for near in found), mean(near.same for near in found)
    print(f"{exact.name}, int8 beside fp32, {len(found)} prompts of up to {args.tokens} tokens:")
    print(f"KL {kl:.4f} nats (worst prompt {max(near.divergence for near in found):.4f}), same first choice {same:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
