"""Building a corpus in stages, each a file: a stage that is there is not written again.

questions -> answers -> texts built on these answers (summaries, rewrites, questions about a document, follow-up
turns) -> texts built on those (documents with a question, second answers). A text that holds several documents or
another's question takes them from its own side of the split, so that nothing held out is read in training.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from respec_core.methods.parts.written_texts import Text, is_held_out, load_texts, root_of, save_texts
from respec_core.models.checkpoints import Progress
from respec_core.training import recipes
from respec_core.training.lean import LeanLlama
from respec_core.training.recipes import Frame, fill
from respec_core.training.texts import distinct
from respec_core.training.writer import Limits, WritingRequest, write

Wanted = tuple[WritingRequest, str, int]


@dataclass(frozen=True)
class Plan:
    """Sizes of a corpus.

    Attributes:
        questions: user turns the target begins with; everything else is built on them.
        seconds: time for all stages together; a stage that runs out of its share keeps what it has.
    """

    questions: int
    seconds: float = float("inf")
    question_tokens: int = 96
    answer_tokens: int = 192
    document_tokens: int = 320
    context_tokens: int = 900
    seed: int = 0


SHARES = {"1-questions": 0.14, "2-answers": 0.46, "3-derived": 0.72, "4-second": 1.0}


class CorpusBuilder:
    """Runs the stages of one plan into one folder."""

    def __init__(
        self, model: LeanLlama, frame: Frame, plan: Plan, limits: Limits, folder: Path, progress: Progress
    ) -> None:
        self.model, self.frame, self.plan, self.folder = model, frame, plan, folder
        self.limits, self.progress = limits, progress
        self.began = time.monotonic()

    def build(self) -> None:
        """Write every missing stage."""
        questions = self._stage("1-questions", self._questions)
        answers = self._stage("2-answers", lambda rng: self._answers(questions, rng))
        derived = self._stage("3-derived", lambda rng: self._derived(answers, rng))
        self._stage("4-second", lambda rng: self._second(questions, answers, derived, rng))

    def _stage(self, name: str, drafts: Callable[[random.Random], list[Wanted]]) -> list[Text]:
        path = self.folder / f"{name}.safetensors"
        if path.is_file():
            return load_texts(path)
        seed = self.plan.seed * 16 + int(name[0])
        planned = drafts(random.Random(seed))
        limits = replace(self.limits, deadline=self.began + self.plan.seconds * SHARES[name])
        written = write(self.model, [d[0] for d in planned], self.frame.stop, limits, seed)
        texts = list(
            distinct(
                Text((*r.prompt, *answer), len(r.prompt), kind, root)
                for (r, kind, root), answer in zip(planned, written, strict=True)
                if answer is not None
            )
        )
        save_texts(texts, path)
        tokens = sum(len(t.answer) for t in texts)
        spent = time.monotonic() - self.began
        self.progress(f"{name}: {len(texts)} of {len(planned)} texts, {tokens} tokens written, {spent:.0f} s")
        return texts

    def _questions(self, rng: random.Random) -> list[Wanted]:
        kinds = list(recipes.OPENINGS)
        weights = [recipes.OPENINGS[k][0] for k in kinds]
        ids = {
            opening: self.frame.encode(opening) if opening else []
            for _, o in recipes.OPENINGS.values()
            for opening in o
        }
        drafts: list[Wanted] = []
        for kind in rng.choices(kinds, weights, k=self.plan.questions):
            prompt = (*self.frame.before, *ids[rng.choice(recipes.OPENINGS[kind][1])])
            drafts.append((WritingRequest(prompt, 1.0, self.plan.question_tokens), kind, 0))
        return drafts

    def _answers(self, questions: Sequence[Text], rng: random.Random) -> list[Wanted]:
        drafts: list[Wanted] = []
        asked: set[tuple[int, ...]] = set()
        for text in questions:
            if text.tokens[-1] not in self.frame.stop or text.tokens in asked:
                continue
            asked.add(text.tokens)
            question = text.tokens[len(self.frame.before) : -1]
            document = text.kind in recipes.DOCUMENT_KINDS
            heat = rng.choice((0.0, 0.0, 0.9, 0.9, 1.0)) if document else _heat(rng)
            limit = self.plan.document_tokens if document else self.plan.answer_tokens
            drafts.append((WritingRequest(self._ask(question), heat, limit), text.kind, root_of(question)))
        return drafts

    def _derived(self, answers: Sequence[Text], rng: random.Random) -> list[Wanted]:
        drafts: list[Wanted] = []
        pools = _by_side(answers)
        for text in answers:
            body = self._body(text)
            if text.kind in recipes.DOCUMENT_KINDS:
                doc = self._stretch(text, pools[text.held_out], rng)
                tasks: list[tuple[str, Sequence[str], float]] = [
                    ("ask", recipes.ASK, 0.7),
                    ("summary", recipes.SUMMARISE, _heat(rng)),
                ]
                if rng.random() < 0.3:
                    tasks.append(("rewrite", recipes.REWRITE, _heat(rng)))
                for kind, templates, heat in tasks:
                    filled = fill(rng.choice(templates), self.frame, doc=body if kind == "ask" else doc)
                    # a question about the text is the user's to write: his turn stays open
                    prompt = (*self.frame.before, *filled) if kind == "ask" else self._ask(filled)
                    limit = 32 if kind == "ask" else self.plan.answer_tokens
                    drafts.append((WritingRequest(prompt, heat, limit), kind, text.root))
            elif rng.random() < 0.3 and text.tokens[-1] in self.frame.stop:
                opening = rng.choice(recipes.FOLLOW_UPS)
                start = (*text.tokens, *self.frame.again, *(self.frame.encode(opening) if opening else ()))
                drafts.append((WritingRequest(start, 1.0, 48), "follow-up", text.root))
        return drafts

    def _second(
        self, questions: Sequence[Text], answers: Sequence[Text], derived: Sequence[Text], rng: random.Random
    ) -> list[Wanted]:
        drafts: list[Wanted] = []
        documents = _by_side([t for t in answers if t.kind in recipes.DOCUMENT_KINDS])
        asked = [t.tokens[len(self.frame.before) : -1] for t in questions if t.kind == "qa"]
        others = {side: [q for q in asked if is_held_out(root_of(q)) == side] for side in (False, True)}
        by_root = {t.root: t for side in documents.values() for t in side}
        for text in derived:
            if text.kind == "follow-up" and text.tokens[-1] in self.frame.stop:
                drafts.append(
                    (
                        WritingRequest((*text.tokens[:-1], *self.frame.between), _heat(rng), self.plan.answer_tokens),
                        "turn",
                        text.root,
                    )
                )
            elif text.kind == "ask" and text.root in by_root:
                side = text.held_out
                doc = self._stretch(by_root[text.root], documents[side], rng)
                question = self._body(text) if rng.random() < 0.75 or not others[side] else rng.choice(others[side])
                ids = fill(rng.choice(recipes.RETRIEVE), self.frame, doc=doc, question=question)
                drafts.append(
                    (WritingRequest(self._ask(ids), _heat(rng), self.plan.answer_tokens), "retrieval", text.root)
                )
        return drafts

    def _stretch(self, text: Text, pool: Sequence[Text], rng: random.Random) -> list[int]:
        """The text, often among others of its kind in one context, as long as ``context_tokens`` allows."""
        room = rng.randint(min(self.plan.document_tokens, self.plan.context_tokens), self.plan.context_tokens)
        parts = [self._body(text)]
        while rng.random() < 0.65:
            other = self._body(rng.choice(pool))
            if sum(map(len, parts)) + len(other) > room:
                break
            parts.append(other)
        rng.shuffle(parts)
        gap = self.frame.encode("\n\n")
        return [token for part in parts for token in (*part, *gap)][: -len(gap)]

    def _body(self, text: Text) -> tuple[int, ...]:
        answer = text.answer
        return answer[:-1] if answer[-1] in self.frame.stop else answer

    def _ask(self, question: Sequence[int]) -> tuple[int, ...]:
        return (*self.frame.before, *question, *self.frame.between)


def _by_side(texts: Sequence[Text]) -> dict[bool, list[Text]]:
    """Texts that are trained on (False) and held out (True)."""
    return {side: [t for t in texts if t.held_out == side] for side in (False, True)}


def _heat(rng: random.Random) -> float:
    return rng.choice((0.0,) * 8 + (0.6, 1.0))
