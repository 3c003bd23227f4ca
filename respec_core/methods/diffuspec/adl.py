"""Adaptive draft length (DiffuSpec, arXiv 2510.02358 §4.3, Eq. 9–11). No torch.

Averages of what the raw draft held (``L_gen``) and of what the target took (``L_acc``) set the next length:
``L̃ ← (1−ρ)·L̃ + ρ·L`` and ``k' = clip(L̃_gen + δ·1[L̃_acc ≥ L̃_gen], k_min, k_max)``, rounded (ours; the paper leaves
k fractional). A run starts with averages of 0 and ``k = k_max``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class LengthState:
    """The controller between two rounds.

    Attributes:
        k_min, k_max: bounds of the length, already within what the drafter can fill.
        delta: growth when everything was taken.
        rho: weight of the newest round.
        k: length to ask for next.
    """

    k_min: int
    k_max: int
    delta: float
    rho: float
    k: int
    ema_gen: float = 0.0
    ema_acc: float = 0.0

    @classmethod
    def start(cls, k_min: int, k_max: int, delta: float, rho: float, longest: int) -> LengthState:
        """A run's first state; for a drafter that fills only ``longest`` positions both bounds shrink alike (ours)."""
        most = min(k_max, longest)
        least = round(k_min * most / k_max)
        return cls(min(max(least, 1), most), most, delta, rho, most)

    def grows(self) -> bool:
        """Whether the averages say that the drafts were taken whole."""
        return self.ema_acc >= self.ema_gen

    def after(self, generated: int, accepted: int) -> LengthState:
        """The state behind a round."""
        gen = (1 - self.rho) * self.ema_gen + self.rho * generated
        acc = (1 - self.rho) * self.ema_acc + self.rho * accepted
        wanted = round(gen + self.delta * (acc >= gen))
        return replace(self, ema_gen=gen, ema_acc=acc, k=min(max(wanted, self.k_min), self.k_max))


@dataclass(frozen=True)
class LengthRound:
    """One round of the controller, before the target has spoken.

    Attributes:
        first_end: ``s_t``, None where the raw draft has no end of text.
        generated: ``L_gen``.
    """

    state: LengthState
    first_end: int | None
    generated: int

    def after(self, accepted: int) -> LengthState:
        """The state once ``accepted`` draft tokens were taken."""
        return self.state.after(self.generated, accepted)
