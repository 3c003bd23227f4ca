"""What the target is asked to write: openings of user turns, and frames around its own texts.

An opening is only the first words of a user turn; the target goes on with them, so that the questions, too, are
its own. No benchmark's text is used here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Frame:
    """A chat template in token ids.

    Attributes:
        before: everything up to a user's first words.
        between: from the end of a user's turn to the assistant's first word.
        again: from behind the stop token of an answer to the user's next words.
        stop: tokens that end a turn.
        encode: text to ids, without special tokens.
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    again: tuple[int, ...]
    stop: frozenset[int]
    encode: Callable[[str], list[int]]

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase, stop: frozenset[int]) -> Frame:
        """Read the frame off a tokenizer's chat template."""
        marks = ("\u2460", "\u2461", "\u2462")
        turns = [{"role": r, "content": m} for r, m in zip(("user", "assistant", "user"), marks, strict=True)]
        text = str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
        before, between, again, _ = re.split("|".join(marks), text)
        for token in stop:
            again = again.removeprefix(str(tokenizer.decode([token])))

        def encode(part: str) -> list[int]:
            ids: list[int] = tokenizer.encode(part, add_special_tokens=False)
            return ids

        return cls(tuple(encode(before)), tuple(encode(between)), tuple(encode(again)), stop, encode)


# fmt: off
GERMAN_ASKS = (
    "Translate from German into English:", "Translate this German sentence: ",
    "What does this mean in English?", "Please translate the following German text into English:\n",
    "German to English translation:",
)
GERMAN_WORDS = (
    "Der", "Die", "Das", "Ein", "Eine", "In", "Nach", "Am", "Im", "Wir", "Er", "Es", "Mit",
    "Die Regierung", "Seit", "Viele", "Auf", "Bei", "Der Präsident", "Für", "Doch", "Zwei", "Laut", "Ich",
    "Wenn",
)
OPENINGS: Mapping[str, tuple[float, Sequence[str]]] = {
    "chat": (0.22, (
        "", "", "", "Write", "Write a", "Explain", "Describe", "How can I", "How do I", "Why do",
        "Compose", "Imagine you are", "Give me", "I need help", "Can you", "Create a", "Draft an email",
        "Discuss", "Compare", "What are some", "Suggest", "Plan a", "I want to", "Pretend you are",
        "Write a short story", "Write a poem about", "Design a", "Analyze", "List",
        "What would happen if", "Help me", "Tell me about", "What are the main differences between",
        "Outline", "Act as", "Provide", "Develop a",
    )),
    "qa": (0.19, (
        "What is", "What is the", "Who was", "Who is the", "When did", "When was the", "Where is",
        "Where did", "Which country", "Which", "How many", "What year", "Name the", "How long",
        "who sings", "when did the", "what is the", "where does", "who wrote", "who played", "how many",
        "what was the name of", "what does", "who invented", "who won the", "when is", "what type of",
        "where was", "the name of the", "why is", "what are the", "Who played", "What does", "In what",
        "Is it true that", "who is", "how much",
    )),
    "math": (0.17, (
        "Tom has", "Maria buys", "A farmer", "A train", "If a", "There are", "Every day, Lisa",
        "A baker sells", "John works", "Sarah", "In a class of", "A box contains", "Three friends",
        "Mike earns", "A store sells", "Anna is twice", "It takes", "A recipe", "Peter spends",
        "The price of", "Kevin collects", "A school", "Emma reads", "A car travels", "Jack and Jill",
        "A company", "Each week", "Ben wants to buy", "Calculate", "Solve", "What is the area",
        "How many ways", "Mrs. Brown", "Olivia saves", "David runs", "Last year,",
    )),
    "german": (0.13, tuple(f"{ask} {word}" for ask in GERMAN_ASKS for word in GERMAN_WORDS)),
    "code": (0.05, (
        "Write a Python function", "Write a function that", "Write a program", "Implement",
        "Fix this code:\n", "How do I in Python", "Write an SQL query", "Write a JavaScript function",
        "What does this code do?\n", "Write a Python class", "Write HTML for", "Write a C++ program",
        "Write a Python script to",
    )),
    "news": (0.16, (
        "Write a news article about", "Write a news report about a", "Write a newspaper article:",
        "Write a detailed news story about", "Report on", "Write an article about the police",
        "Write an article about a football match between", "Write a news article about the president",
        "Write a news article about a court case", "Write a news article about a woman who",
        "Write a news article about a man who", "Write a news article about a storm",
        "Write a news article about an election in", "Write a news article about a study",
        "Write a news article about a celebrity", "Write a news article about a company that",
    )),
    "document": (0.08, (
        "Write an encyclopedia article about", "Write a detailed article about the history of",
        "Write a paragraph about", "Write a biography of", "Write an essay about", "Write a guide to",
        "Write several paragraphs about", "Explain in detail the",
        "Write an encyclopedia entry for the city of", "Write a long text about the science of",
        "Write a report about", "Write a review of the movie",
    )),
}
DOCUMENT_KINDS = frozenset({"news", "document"})

SUMMARISE = (
    "Summarize the following article:\n{doc}", "Summarize this: {doc}",
    "{doc}\n\nSummarize the text above.", "Please give a short summary of this text:\n\n{doc}",
    "Summarise in three sentences: {doc}", "Summarize this article in one paragraph.\n\n{doc}",
    "{doc}\n\nTL;DR", "Article: {doc}\n\nSummary:", "Give me the main points of this news story: {doc}",
)
REWRITE = (
    "Rewrite the following text to make it more formal:\n{doc}", "Rewrite this in simpler words: {doc}",
    "{doc}\n\nMake this text shorter.", "Correct the mistakes in this text:\n{doc}",
    "List the key facts in this text:\n\n{doc}",
    "Extract all names mentioned in the following text:\n{doc}", "Turn this into bullet points:\n{doc}",
    "Write a title for this text: {doc}", "Continue this text:\n{doc}", "Translate this to German: {doc}",
)
ASK = (
    "{doc}\n\nQuestion:", "{doc}\n\nQ:", "{doc}\n\nA question about this text:",
)
RETRIEVE = (
    "{doc}\n\nQuestion: {question}", "{doc}\n\n{question}",
    "Context:\n{doc}\n\nQuestion: {question}\nAnswer:",
    "Use the passages to answer the question.\n\n{doc}\n\nQuestion: {question}",
    "Answer the question with the help of this text.\nQuestion: {question}\nText: {doc}",
    "Read these documents:\n{doc}\n\nNow answer: {question}", "{question}\n\n{doc}",
)
FOLLOW_UPS = (
    "", "", "Rewrite", "Now", "Can you", "What", "How", "Why", "Explain", "Make it", "Give", "Summarize",
    "Translate", "And", "Write", "Could you", "If", "List", "Which", "Describe", "Shorten your answer",
    "Are there", "Add",
)
# fmt: on


def fill(template: str, frame: Frame, **parts: Sequence[int]) -> list[int]:
    """Template text to ids, with token sequences put in place of ``{name}``."""
    ids: list[int] = []
    for piece in re.split(r"(\{\w+\})", template):
        if piece.startswith("{"):
            ids += parts[piece[1:-1]]
        elif piece:
            ids += frame.encode(piece)
    return ids
