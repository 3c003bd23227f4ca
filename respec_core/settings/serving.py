"""What a setting found here is called in a serving engine: the nearest there is, and what is lost. Imports no torch.

Keys are those of vLLM's ``--speculative-config`` (0.29), SGLang's ``--speculative-…`` flags and the generation arguments of
transformers (5.24).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Engine = Literal["vllm", "sglang", "transformers"]
Fit = Literal["same", "near", "none"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
VLLM_LONGEST = 32  # tokens that its suffix method may propose at once
VLLM_CACHED = 10_000  # requests whose texts vLLM's suffix method keeps by default
WARM = "Its cache has to be warmed with the datastore's documents."
TITLES: dict[Engine, str] = {"vllm": "vLLM", "sglang": "SGLang", "transformers": "transformers"}


@dataclass(frozen=True)
class Equivalent:
    """A method's settings in one engine's words.

    Attributes:
        fit: same: it drafts alike. near: another rule of the same kind. none: the engine has nothing of the kind.
        values: by the engine's own names; empty where there is none, and for plain decoding.
        notes: sentences on what differs or cannot be said there.
    """

    fit: Fit
    values: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


Equivalents = Mapping[Engine, Equivalent]


def nowhere(why: str) -> Equivalents:
    """Of a method that no engine has."""
    return {engine: Equivalent("none", notes=(why,)) for engine in ENGINES}
