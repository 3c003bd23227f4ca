"""Optimiser, learning rate over a budget of steps or seconds, and checkpoints to resume from."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from respec_core.boundary.output import make_folder, open_output


@dataclass(frozen=True)
class Budget:
    """When training ends: after ``steps`` or ``seconds``, whichever comes first.

    Attributes:
        matrix_rate: peak learning rate of weight matrices (Muon, arXiv 2502.16982, scaled to Adam's step size).
        other_rate: peak learning rate of output layer, norms and vectors (AdamW).
    """

    steps: int = 1_000_000
    seconds: float = float("inf")
    warm_up: int = 50
    matrix_rate: float = 2e-3
    other_rate: float = 1e-3


@dataclass
class TrainingState:
    """How far a training is; what a checkpoint keeps besides weights."""

    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    curve: list[dict[str, float]] = field(default_factory=list)


class Trainer:
    """Weights, their optimisers and the clock."""

    def __init__(self, module: nn.Module, budget: Budget, adam: Iterable[str] = ("lm_head",)) -> None:
        self.module, self.budget, self.progress = module, budget, TrainingState()
        named = [(n, p) for n, p in module.named_parameters() if p.requires_grad]
        other = [p for n, p in named if p.ndim != 2 or any(part in n for part in adam)]
        matrices = [p for n, p in named if p.ndim == 2 and not any(part in n for part in adam)]
        self.parameters = [p for _, p in named]
        self.optimisers: list[torch.optim.Optimizer] = []
        self._rates: list[float] = []
        if matrices:
            muon = torch.optim.Muon(matrices, budget.matrix_rate, 0.01, adjust_lr_fn="match_rms_adamw")
            self.optimisers, self._rates = [muon], [budget.matrix_rate]
        if other:
            self.optimisers.append(torch.optim.AdamW(other, budget.other_rate, betas=(0.9, 0.98), weight_decay=0.0))
            self._rates.append(budget.other_rate)
        self._tick = time.monotonic()
        self._losses: list[torch.Tensor] = []

    @property
    def fraction(self) -> float:
        """Share of the budget that is used, 0 to 1."""
        p, b = self.progress, self.budget
        return min(1.0, max(p.step / b.steps, p.seconds / b.seconds))

    @property
    def done(self) -> bool:
        """Whether the budget is used up."""
        return self.fraction >= 1.0

    def update(self, loss: torch.Tensor, tokens: int) -> None:
        """One step down the gradient at the rate of this moment: warm-up, then flat, then linear to zero."""
        scale = min(1.0, (self.progress.step + 1) / self.budget.warm_up, (1 - self.fraction) / 0.7)
        for optimiser, rate in zip(self.optimisers, self._rates, strict=True):
            for group in optimiser.param_groups:
                group["lr"] = rate * scale
            optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self._losses.append(loss.detach())
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        for optimiser in self.optimisers:
            optimiser.step()
        now = time.monotonic()
        self.progress.seconds += now - self._tick
        self._tick = now
        self.progress.step += 1
        self.progress.tokens += tokens

    def recent_loss(self) -> float:
        """Mean loss since this was last asked."""
        mean = float(torch.stack(self._losses).mean())
        self._losses.clear()
        return mean

    def resume_clock(self) -> None:
        """Leave the time since the last step out of the budget (evaluation, saving)."""
        self._tick = time.monotonic()

    def save(self, path: Path) -> None:
        """Checkpoint, atomically."""
        make_folder(path.parent)
        state: dict[str, Any] = {
            "module": self.module.state_dict(),
            "optimisers": [o.state_dict() for o in self.optimisers],
            "progress": asdict(self.progress),
        }
        with open_output(path) as file:
            torch.save(state, file)

    def resume(self, path: Path) -> bool:
        """Go on from a checkpoint, if there is one."""
        if not path.is_file():
            return False
        state = torch.load(path, map_location=self.parameters[0].device, weights_only=True)
        self.module.load_state_dict(state["module"])
        for optimiser, saved in zip(self.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        self.progress = TrainingState(**state["progress"])
        return True
