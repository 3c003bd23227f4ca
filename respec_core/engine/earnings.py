"""What drafting and copying each won in a run over plain decoding, and which of the two rests."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from respec_core.engine.patience import Patience
from respec_core.engine.prices import STALL
from respec_core.engine.tree import DraftTree
from respec_core.trace.round import RETRIEVED_SOURCES, Effort, Hit

PHASES: Mapping[Effort, tuple[str, ...]] = {"drafting": ("draft", "search"), "copying": ("retrieve",)}
TARGET = "verify"
SCHEMA = "schema"
FIRST_CREDIT = 0.75  # tokens that drafting may lose at first beyond the slack: first drafts are the worst
RECENT = 7  # rounds that say what an effort usually takes
SMOOTHING = 0.2  # weight of the newest round in what a plain round takes beside the target's forward


@dataclass(frozen=True)
class Spending:
    """Milliseconds of a round.

    Attributes:
        phase_ms: by phase.
        verify: of the target's forward, as far as it counts.
        plain: of a one-token forward.
    """

    phase_ms: Mapping[str, float]
    verify: float
    plain: float

    def of(self, effort: Effort) -> float:
        """What an effort's own phases took."""
        return sum(self.phase_ms.get(phase, 0.0) for phase in PHASES[effort])

    @property
    def beside(self) -> float:
        """Everything but the target's forward and the efforts' own phases."""
        own = (TARGET, *(phase for phases in PHASES.values() for phase in phases))
        return sum(ms for phase, ms in self.phase_ms.items() if phase not in own)


class Earnings:
    """A run's accounts, one an effort."""

    def __init__(self) -> None:
        self._patience: dict[Effort, Patience] = {
            "drafting": Patience(FIRST_CREDIT),
            "copying": Patience(),
        }
        self._beside: float | None = None  # a round in which nothing was sent
        self._recent: dict[Effort, deque[float]] = {effort: deque(maxlen=RECENT) for effort in PHASES}

    @property
    def resting(self) -> frozenset[Effort]:
        """What the next round does without."""
        return frozenset(effort for effort, patience in self._patience.items() if patience.resting)

    def observe(
        self, tree: DraftTree, brought: Sequence[float], spent: Spending, emitted: Sequence[int], hits: Sequence[Hit]
    ) -> None:
        """Book a round.

        Args:
            tree: the verified one.
            brought: tokens that each of its nodes brought, the root's included.
            hits: what was looked up, also what was not sent.
        """
        extra = self._extra(len(tree), spent)
        for effort, patience in self._patience.items():
            if patience.resting:
                patience.rested(foreseen=effort == "copying" and _foreseen(hits, emitted))
            elif any(phase in spent.phase_ms for phase in PHASES[effort]):
                shares = [_share(effort, sources) for sources in tree.sources[1:]]
                gained = sum(share * tokens for share, tokens in zip(shares, brought[1:], strict=True))
                verified = extra * sum(shares) / max(len(shares), 1)
                patience.asked(gained - (self._usual(effort, spent.of(effort)) + verified) / spent.plain)

    def _usual(self, effort: Effort, ms: float) -> float:
        """What counts of the ``ms`` that an effort took: what else a machine does is not its price."""
        recent = self._recent[effort]
        recent.append(ms)
        return min(ms, STALL * median(recent))

    def _extra(self, nodes: int, spent: Spending) -> float:
        """Milliseconds that verifying and committing took beyond a plain round's."""
        if nodes == 1:
            old = spent.beside if self._beside is None else self._beside
            self._beside = old + SMOOTHING * (spent.beside - old)
            return 0.0
        return spent.verify - spent.plain + (0.0 if self._beside is None else spent.beside - self._beside)


def left_out(resting: frozenset[Effort], sources: frozenset[str]) -> bool:
    """Whether a node of these sources is not sent, since all who proposed it rest; what a schema dictates never does."""
    return SCHEMA not in sources and all(effort in resting for effort in PHASES if _share(effort, sources))


def _share(effort: Effort, sources: frozenset[str]) -> float:
    """How much of a node is an effort's: one that both propose is half of each."""
    copied = len(sources & RETRIEVED_SOURCES) / len(sources)
    return copied if effort == "copying" else 1 - copied


def _foreseen(hits: Sequence[Hit], emitted: Sequence[int]) -> bool:
    """Whether the text went on as the first that was looked up does."""
    return bool(hits) and hits[0].cont_ids[:1] == tuple(emitted[:1])
