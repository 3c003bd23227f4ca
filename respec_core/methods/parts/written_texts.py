"""Self-written texts on disk and in memory: token ids, where the answer starts, what kind, which question.

One safetensors file a stage: flat arrays, so that millions of tokens load in a moment.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import load, save

from respec_core.boundary.output import make_folder, write_bytes

HELD_OUT_ONE_IN = 50
USER_TURNS = frozenset({"ask", "follow-up"})


@dataclass(frozen=True)
class Text:
    """One prompt with the target's answer.

    Attributes:
        tokens: prompt and answer.
        start: index of the answer's first token.
        kind: recipe it came from.
        root: hash of the first question it goes back to; the held-out part is chosen by it.
    """

    tokens: tuple[int, ...]
    start: int
    kind: str
    root: int

    @property
    def answer(self) -> tuple[int, ...]:
        """What the target wrote."""
        return self.tokens[self.start :]

    def opening(self, tokens: int) -> Text:
        """The prompt and the answer's first ``tokens``."""
        return replace(self, tokens=self.tokens[: self.start + tokens])

    @property
    def held_out(self) -> bool:
        """Kept apart from training, with everything derived from the same question."""
        return is_held_out(self.root)


def is_held_out(root: int) -> bool:
    """Side of the split that a root falls on; whoever builds a text on several keeps to one side."""
    return root % HELD_OUT_ONE_IN == 0


def root_of(question: Sequence[int]) -> int:
    """A stable 48-bit hash of a question's tokens."""
    raw = ",".join(map(str, question)).encode()
    return int.from_bytes(hashlib.sha256(raw).digest()[:6], "big")


def save_texts(texts: Sequence[Text], path: Path) -> None:
    """Write a stage atomically: an interrupted run leaves no half file."""
    kinds = sorted({t.kind for t in texts})
    arrays = {
        "tokens": torch.tensor([token for t in texts for token in t.tokens], dtype=torch.int32),
        "lengths": torch.tensor([len(t.tokens) for t in texts], dtype=torch.int32),
        "starts": torch.tensor([t.start for t in texts], dtype=torch.int32),
        "kinds": torch.tensor([kinds.index(t.kind) for t in texts], dtype=torch.int32),
        "roots": torch.tensor([t.root for t in texts], dtype=torch.int64),
    }
    make_folder(path.parent)
    write_bytes(path, save(arrays, metadata={"kinds": json.dumps(kinds)}))


def _read(path: Path) -> tuple[dict[str, torch.Tensor], list[str]]:
    """A stage's arrays and the names of its kinds."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    return load(raw), json.loads(header["__metadata__"]["kinds"])


def load_texts(path: Path) -> list[Text]:
    """Read what :func:`save_texts` wrote, also gzip-compressed."""
    tensors, kinds = _read(path)
    arrays = {name: tensor.tolist() for name, tensor in tensors.items()}
    texts, at = [], 0
    columns = (arrays[name] for name in ("lengths", "starts", "kinds", "roots"))
    for length, start, kind, root in zip(*columns, strict=True):
        texts.append(Text(tuple(arrays["tokens"][at : at + length]), start, kinds[kind], root))
        at += length
    return texts


def _stages(folder: Path) -> list[Path]:
    """Stages of answers; stage 1 holds questions alone."""
    return sorted([*folder.glob("[2-9]*.safetensors"), *folder.glob("[2-9]*.gz")])


def load_corpus(folder: Path) -> list[Text]:
    """All answers of a corpus folder, in order; some kinds are user turns, which nobody drafts."""
    return [text for path in _stages(folder) for text in load_texts(path) if text.kind not in USER_TURNS]


def trained_on(folder: Path) -> torch.Tensor:
    """Tokens of all answers of a corpus folder that are not held out, one text behind the other, int32 ``[n]``."""
    parts = [torch.zeros(0, dtype=torch.int32)]
    for path in _stages(folder):
        arrays, kinds = _read(path)
        turns = torch.tensor([kind in USER_TURNS for kind in kinds])
        used = (arrays["roots"] % HELD_OUT_ONE_IN != 0) & ~turns[arrays["kinds"].long()]
        parts.append(arrays["tokens"][used.repeat_interleave(arrays["lengths"].long())])
    return torch.cat(parts)
