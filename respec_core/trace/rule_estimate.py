"""What another rule of verification would have taken of a recorded chain, and what that comes to over a run. No torch.

Every round counts for itself: behind a token that the target did not want the real text would have gone another way, and
with it all later drafts. So this is an estimate; a run with the rule is the measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from respec_core.settings.verifying import VerifySettings
from respec_core.trace.chains import Chain, Judged, Opinion, chain_of
from respec_core.trace.fly import top_entropy
from respec_core.trace.placing import placed_rounds
from respec_core.trace.round import RETRIEVED_SOURCES
from respec_core.trace.schema import Run


@dataclass(frozen=True)
class Taken:
    """Accepted tokens of a chain.

    Attributes:
        passed: places of those that are not the target's own.
        certain: False where the recorded decisions end before the rule does, so that it would have taken more.
    """

    length: int
    passed: tuple[int, ...]
    certain: bool


def taken(chain: Chain, verify: VerifySettings) -> Taken:
    """What ``verify`` takes of ``chain``; both kinds of relaxed path are one here."""
    judged = chain.judged
    match verify.rule:
        case "strict":
            length = chain.strip.accepted(1, lambda i: False)
        case "fly":
            length = chain.strip.accepted(
                verify.fly_window, lambda i: fly_gate(judged[i], verify) >= verify.fly_entropy
            )
        case "relaxed":
            length = _relaxed(judged, verify)
    passed = tuple(i for i in range(length) if judged[i].miss is not None)
    return Taken(length, passed, chain.whole or length < len(judged))


def fly_gate(judged: Judged, verify: VerifySettings) -> float:
    """The entropy that FLy asks for, of a mismatch."""
    return top_entropy(judged.miss.best[: verify.fly_top_k]) if judged.miss is not None else 0.0


def _relaxed(judged: tuple[Judged, ...], verify: VerifySettings) -> int:
    used = 0
    for i, one in enumerate(judged):
        if one.miss is None:
            continue
        if used == verify.relax_max or not relaxed_passes(one, verify):
            return i
        used += 1
    return len(judged)


def relaxed_passes(judged: Judged, verify: VerifySettings) -> bool:
    """Whether the relaxed rule lets a mismatch pass, however many did already.

    A trace knows the order of the five likeliest tokens: a ``relax_k`` beyond counts as 5.
    """
    match judged.miss:
        case Opinion((best, *_), float(p), float(entropy), str(text), rank=int(rank)) if not judged.closed:
            digits = any(char.isdigit() for char in judged.node.text + text)
            copied = bool(RETRIEVED_SOURCES.intersection(judged.node.sources))
            likely = rank <= verify.relax_k and p >= verify.relax_eps * best
            return copied and likely and entropy >= verify.relax_h_min and (verify.relax_digits or not digits)
    return False


@dataclass(frozen=True)
class Estimate:
    """A run by some rule.

    Attributes:
        mismatches: accepted tokens that are not the target's own.
        certain: whether every chain's decisions were recorded as far as the rule needs them.
    """

    tokens: int
    passes: int
    mismatches: int
    certain: bool

    @property
    def tokens_per_pass(self) -> float:
        """Committed tokens ÷ target passes."""
        return self.tokens / self.passes if self.passes else 0.0

    @property
    def per_hundred(self) -> float:
        """Divergences: mismatches in a hundred committed tokens."""
        return 100 * self.mismatches / self.tokens if self.tokens else 0.0


def added(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """Of several runs as one; None where one is missing."""
    known = [one for one in estimates if one is not None]
    if not known or len(known) < len(estimates):
        return None
    tokens, passes, mismatches = (
        sum(getattr(one, name) for one in known) for name in ("tokens", "passes", "mismatches")
    )
    return Estimate(tokens, passes, mismatches, all(one.certain for one in known))


@dataclass(frozen=True)
class RecordedRounds:
    """What a run's rounds say about other rules; left out are one that a stop cut, and those of a tree in which the run's own
    rule let a mismatch pass: of these nothing is known by another.

    Attributes:
        chains: of the rounds that drafted one.
        others: passes and tokens of all other rounds, which stay as they were.
    """

    chains: tuple[Chain, ...]
    others: Estimate

    @classmethod
    def of(cls, run: Run) -> RecordedRounds:
        """Read a run."""
        chains, tokens, passes = [], 0, 0
        for placed in placed_rounds(run):
            if placed.step.commit.extra is None:
                continue
            chain = chain_of(placed.step, placed.tokens)
            if chain is not None:
                chains.append(chain)
            elif not placed.step.commit.n_relaxed:
                passes += 1
                tokens += len(placed.tokens)
        return cls(tuple(chains), Estimate(tokens, passes, 0, True))

    def by(self, verify: VerifySettings) -> Estimate:
        """What the rounds would have come to by ``verify``."""
        found = [taken(chain, verify) for chain in self.chains]
        return Estimate(
            self.others.tokens + sum(one.length + 1 for one in found),
            self.others.passes + len(found),
            sum(len(one.passed) for one in found),
            all(one.certain for one in found),
        )
