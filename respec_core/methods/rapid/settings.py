"""RAPID's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from respec_core.settings.declaring import Settings, knob
from respec_core.settings.run_config import GREEDY


class RapidSettings(Settings):
    """RAPID (arXiv 2502.20330): the target itself drafts, on what it retrieves from its own long context."""

    kept_tokens: int = knob(
        512,
        "Context kept",
        "The drafter reads so many tokens of the document (the authors' 8192), beside the prompt's beginning and the question.",
        line="how much of the text the drafter reads",
        ge=16,
        le=8192,
        step=16,
        unit="tokens",
    )
    chunk: int = knob(
        64,
        "Chunk",
        "The document is cut into pieces of so many tokens (the authors' 512), which are kept or left out.",
        line="in pieces of what size it is kept or left out",
        ge=8,
        le=512,
        step=8,
        unit="tokens",
    )
    lead: int = knob(
        16, "Beginning", "Tokens of the prompt's beginning that are always kept.", ge=0, le=512, step=1, unit="tokens"
    )
    query: int = knob(
        64,
        "Question",
        "Tokens of the prompt's end that are always kept, and by which the pieces are ranked.",
        ge=1,
        le=512,
        step=1,
        unit="tokens",
    )
    draft_len: int = knob(
        10,
        "Draft length",
        "Tokens that the drafter guesses in a round.",
        line="how far ahead the drafter guesses",
        provenance="code",
        ge=1,
        le=32,
        step=1,
        unit="tokens",
    )
    confidence_stop: float = knob(
        0.1,
        "Confidence stop",
        "End the draft behind a token below this probability; 0 never ends early.",
        provenance="code",
        ge=0.0,
        le=1.0,
        step=0.05,
    )
    eta: float = knob(
        0.0,
        "Transfer η",
        "How far the target is pulled towards the drafter before it accepts (the authors' 10 to 50). Above 0 samples no longer "
        "follow the target: lossy. 0 is the strict rule.",
        idle=GREEDY,
        ge=0.0,
        le=50.0,
        step=1.0,
    )
    alpha: float = knob(
        0.1,
        "Transfer ratio α",
        "Only tokens with this share of the drafter's best probability are pulled.",
        provenance="code",
        idle={**GREEDY, "eta": (0.0,)},
        ge=0.0,
        le=1.0,
        step=0.05,
    )
