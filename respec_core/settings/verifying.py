"""Settings of verification: what passes beside the target's own token. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.settings.declaring import Settings, knob

UNRELAXED = {"rule": ("strict", "fly")}
UNFLOWN = {"rule": ("strict", "relaxed")}


class VerifySettings(Settings):
    """Acceptance rule (arXiv 2211.17192, 2511.01282, 2511.22972). All but the strict one change the text and are marked lossy."""

    rule: Literal["strict", "relaxed", "fly"] = knob(
        "strict",
        "Verification",
        "strict: output equals plain decoding. relaxed: retrieved tokens may pass when the target ranks them high (lossy). "
        "fly: a mismatch may pass when the target was unsure there and agrees with all that follows (lossy; temperature 0).",
        line="whether only the target's own tokens pass",
    )
    relax_k: int = knob(
        3,
        "Relaxed rank",
        "A retrieved token passes only within the target's top k.",
        idle=UNRELAXED,
        ge=1,
        le=50,
        step=1,
    )
    relax_eps: float = knob(
        0.1,
        "Relaxed ratio",
        "… and only with at least this share of the top token's probability.",
        idle=UNRELAXED,
        ge=0.0,
        le=1.0,
        step=0.01,
    )
    relax_h_min: float = knob(
        0.0,
        "Relaxed entropy",
        "… and only where the target's entropy is at least this: where it is nearly certain, the strict rule stays. 0 is off.",
        idle=UNRELAXED,
        unit="nats",
        ge=0.0,
        le=12.0,
        step=0.05,
    )
    relax_path: Literal["strict-first", "longest"] = knob(
        "strict-first",
        "Relaxed path",
        "strict-first: at every node the target's own token, where a child carries it. longest: of all paths that the rule "
        "permits the longest, then the one with fewer relaxed tokens, then the likelier.",
        idle=UNRELAXED,
    )
    relax_max: int = knob(
        2,
        "Relaxed per round",
        "At most so many relaxed tokens in one round.",
        idle=UNRELAXED,
        ge=0,
        le=64,
        step=1,
    )
    relax_digits: bool = knob(
        False, "Relax digits", "Also let digits pass; errors in numbers then go unnoticed.", idle=UNRELAXED
    )
    fly_window: int = knob(
        5,
        "FLy window",
        "A mismatch passes only if so many drafted tokens right behind it are the target's own (the authors' win_len counts "
        "the mismatch too: 6; vLLM counts as here). In a tree the strict path is taken; below its end FLy goes on only "
        "where what is left is one chain.",
        idle=UNFLOWN,
        provenance="code",
        unit="tokens",
        ge=1,
        le=64,
        step=1,
    )
    fly_entropy: float = knob(
        0.3,
        "FLy entropy",
        "… and only where the entropy of the target's likeliest tokens is at least this; below, it was sure, and the mismatch "
        "is an error.",
        idle=UNFLOWN,
        provenance="code",
        unit="nats",
        ge=0.0,
        le=3.0,
        step=0.05,
    )
    fly_top_k: int = knob(
        3,
        "FLy top-k",
        "How many of the target's likeliest tokens that entropy adds up.",
        idle=UNFLOWN,
        provenance="code",
        ge=1,
        le=5,
        step=1,
    )
    look_ahead: bool = knob(
        False,
        "Look ahead",
        "Record what the target says behind a rejected token of a chain, so that other rules can be tried on the recorded run "
        "(temperature 0). Runs with a lossy rule do so anyway.",
        idle={"rule": ("relaxed", "fly")},
    )

    @property
    def strict(self) -> bool:
        """Whether nothing passes but what the target itself would have written."""
        return self.rule == "strict"

    @property
    def looks_ahead(self) -> bool:
        """Whether the trace holds what lies behind a rejected token."""
        return self.look_ahead or not self.strict
