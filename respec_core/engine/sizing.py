"""How many draft nodes are worth verifying.

``own`` leaves a method's own size, ``fixed`` cuts to a number, ``auto`` keeps a node while its expected gain is worth
its time at the current rate: with n nodes a round commits about ``1 + Σ p`` tokens in ``cost(1 + n)`` milliseconds, and
the n that maximises ``1 + Σ p − rate · cost(1 + n)`` is kept, where ``rate`` is what a millisecond yields in this run so
far (at least plain decoding's). Expected acceptances are the drafters' path scores, of copies the run's record of such
matches (``copy_record.py``), both calibrated by source as the run goes; costs are the curve's, fitted to the run's own
forwards (``prices.py``).

A *sampled* chain is cut by length alone, at a length that the run's earlier rounds set. Its own probabilities must not
have a say: dropping the tokens that the drafter thought unlikely would leave the likely ones over-represented, and the
rejection rule (arXiv 2211.17192) would no longer follow the target's distribution.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from respec_core.boundary.limits import MAX_DRAFT
from respec_core.engine.copy_record import CopyRecord
from respec_core.engine.prices import Prices
from respec_core.engine.tree import DraftTree
from respec_core.settings.run_config import DraftingSettings
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import RETRIEVED_SOURCES, Hit, Sizing

PRIOR_NODES = 4.0  # expected acceptances after which a source's own past outweighs its drafter's claim
LIKELIEST = 0.7  # of a node's chance is about its likeliest child's
TARGET = "verify"  # the phase of its forward
MARGIN = 32  # nodes over which the price of one is averaged
FORGETTING = 0.95  # weight of the past, a round
FIRST_ACCEPTANCE = 0.7  # of a sampled token, before the run has shown its own; outweighed like a drafter's claims
WARM_ROUNDS = 4.0  # rounds of plain decoding that the run's rate starts from


@dataclass(frozen=True)
class Worth:
    """What a drafter's further work must earn where its time counts.

    Attributes:
        rate: tokens a millisecond yields in this run.
        node_ms: what verifying one more node costs.
        trust: accepted ÷ claimed, of the model drafter's nodes so far.
        costs: of the target's forwards.
    """

    rate: float
    node_ms: float
    trust: float
    costs: CostCurve | None = None

    def level_pays(self, frontier: Sequence[float], ms: float) -> bool:
        """Whether children below nodes of these path probabilities can earn the ``ms`` that drafting them takes.

        It counts the likeliest child of every node, as likely as such a child is, less what verifying it costs.
        """
        gain = sum(max(0.0, LIKELIEST * p * self.trust - self.rate * self.node_ms) for p in frontier)
        return gain > self.rate * ms

    def promising(self, frontier: Sequence[float]) -> list[int]:
        """Which of the nodes of these path probabilities could have a child worth verifying, were it as likely as they."""
        return [i for i, p in enumerate(frontier) if p * self.trust > self.rate * self.node_ms]


def paying(expected: Sequence[float], rate: float, costs: CostCurve) -> int:
    """How many nodes of these expected acceptances, in this order, are worth verifying at ``rate`` tokens a millisecond."""
    worth = [gain - rate * costs.ms(1 + n) for n, gain in enumerate(accumulate(expected, initial=0.0))]
    return max(range(len(worth)), key=worth.__getitem__)


class Sizer:
    """Cuts drafts; learns what forwards cost and how far each source's claims can be trusted. One a run.

    Args:
        learns: what forwards cost, and how copies fare; runs recorded earlier took the curve and the drafters' scores.
    """

    def __init__(self, settings: DraftingSettings, costs: CostCurve | None, *, learns: bool = True) -> None:
        self.settings = settings
        self.costs = costs
        self.learns = learns
        self._prices = Prices(costs) if costs else None
        self._copies = CopyRecord()
        self._claimed: defaultdict[str, float] = defaultdict(float)
        self._accepted: defaultdict[str, float] = defaultdict(float)
        self._judged = self._passed = 0.0  # sampled tokens that the target looked at, and those it took
        self._tokens = self._ms = 0.0

    def fit(
        self, tree: DraftTree, hits: Sequence[Hit] = (), *, sampled: bool = False
    ) -> tuple[DraftTree, Sizing | None]:
        """The tree to verify, and the reasoning where there was any; a ``sampled`` tree is a chain."""
        if self.settings.budget_rule == "own":
            return tree.prune(MAX_DRAFT) if len(tree) - 1 > MAX_DRAFT else tree, None
        if self.settings.budget_rule == "fixed":
            limit = self.settings.budget
            return tree.prune(limit), Sizing(rule="fixed", proposed=len(tree) - 1, kept=min(limit, len(tree) - 1))
        return self._auto(tree, hits, sampled)

    @property
    def worth(self) -> Worth | None:
        """What drafting must earn now; None unless the size is ``auto``."""
        if self._prices is None:
            return None
        node_ms = (self._prices.ms(MARGIN) - self._prices.ms(1)) / (MARGIN - 1)
        return Worth(self._rate(self._prices), node_ms, min(1.0, self._trust("model")), self._prices.curve)

    def trust(self, source: str, sampled: bool) -> float:
        """How far claims of ``source`` count now; of a ``sampled`` chain, the share of its tokens that was accepted."""
        return self._acceptance if sampled else self._trust(source)

    def _rate(self, prices: Prices) -> float:
        plain = prices.ms(1)
        return max(1 / plain, (WARM_ROUNDS + self._tokens) / (WARM_ROUNDS * plain + self._ms))

    def _auto(self, tree: DraftTree, hits: Sequence[Hit], sampled: bool) -> tuple[DraftTree, Sizing]:
        assert self._prices is not None
        prices = self._prices
        rate = self._rate(prices)
        if sampled:  # also lengths beyond this chain count: where it ended may tell of its last token
            order = list(range(1, len(tree)))
            expected = [self._acceptance**depth for depth in range(1, MAX_DRAFT + 1)]
        else:
            order, expected = self._ranked(tree, hits, rate * prices.curve.least_for_more)
        keep = min(paying(expected, rate, prices.curve), len(order))
        sizing = Sizing(
            rule="auto",
            proposed=len(tree) - 1,
            kept=keep,
            expected_tokens=1 + sum(expected[:keep]),
            forward_ms=prices.ms(1 + keep),
            plain_ms=prices.ms(1),
            rate=rate,
            trust={source: self.trust(source, sampled) for source in sorted(frozenset().union(*tree.sources))},
            factors=prices.factors if self.learns else None,
        )
        return tree.keep(order[:keep]), sizing

    @property
    def _acceptance(self) -> float:
        """Share of sampled tokens that the target took in earlier rounds."""
        return (self._passed + PRIOR_NODES * FIRST_ACCEPTANCE) / (self._judged + PRIOR_NODES)

    def _ranked(self, tree: DraftTree, hits: Sequence[Hit], least: float) -> tuple[list[int], list[float]]:
        """Nodes, best first, and what is expected of each.

        None where no first token is worth the ``least`` that a node costs: nothing below is likelier.
        """
        if max(self._worths(tree, hits, tree.children[0]), default=0.0) <= least:
            return [], []
        expected = self._calibrated(tree, hits)
        order = tree.with_scores(expected).best(MAX_DRAFT)
        return order, [expected[i] for i in order]

    def _claims(self, tree: DraftTree, hits: Sequence[Hit], nodes: Sequence[int]) -> list[dict[str, float]]:
        """What each source claims for each of ``nodes``: its path score, or how often copies with such matches went so far."""
        depth = max((tree.depths[i] for i in nodes), default=0)
        chances = {hit.id: self._copies.chances(hit, depth) for hit in hits} if self.learns else {}
        claims = []
        for i in nodes:
            copied = [chances[hit][tree.depths[i] - 1] for hit in tree.hits[i] if chances.get(hit)]
            claims.append(
                {
                    source: max(copied) if copied and source in RETRIEVED_SOURCES else tree.scores[i]
                    for source in tree.sources[i]
                }
            )
        return claims

    def _worths(self, tree: DraftTree, hits: Sequence[Hit], nodes: Sequence[int]) -> list[float]:
        """What is expected of each of ``nodes`` by itself, as far as its sources can be trusted."""
        claims = self._claims(tree, hits, nodes)
        return [max((claim * self._trust(source) for source, claim in own.items()), default=1.0) for own in claims]

    def _calibrated(self, tree: DraftTree, hits: Sequence[Hit]) -> list[float]:
        """What is expected of each node; no more than of its parent, of which siblings have shares."""
        worth = self._worths(tree, hits, range(len(tree)))
        expected = [1.0] * len(tree)
        for parent, children in enumerate(tree.children):
            left = expected[parent]
            for i in sorted(children, key=lambda i: -worth[i]):
                expected[i] = min(worth[i], left)
                left -= expected[i] if self.learns else 0.0
        return expected

    def _trust(self, source: str) -> float:
        return (self._accepted[source] + PRIOR_NODES) / (self._claimed[source] + PRIOR_NODES)

    def observe(
        self,
        tree: DraftTree,
        path: Sequence[int],
        emitted: Sequence[int],
        phase_ms: Mapping[str, float],
        hits: Sequence[Hit] = (),
        *,
        sampled: bool = False,
    ) -> None:
        """Learn from a round: which claims held, and what its time yielded; where nobody asks, nothing.

        Args:
            phase_ms: milliseconds by phase.
            hits: what was found, also what was not sent.
        """
        if self._prices is None:
            return
        self._tokens += len(emitted)
        self._ms += sum(phase_ms.values())
        for counts in (self._claimed, self._accepted):  # an old failure must not silence a source for good
            for source in counts:
                counts[source] *= FORGETTING
        self._judged *= FORGETTING
        self._passed *= FORGETTING
        if sampled:
            self._judged += min(len(path) + 1, len(tree) - 1)
            self._passed += len(path)
        on_path, nodes = set(path), range(1, len(tree))
        for i, claims in zip(nodes, self._claims(tree, hits, nodes), strict=True):
            for source, claim in claims.items():
                self._claimed[source] += claim
                self._accepted[source] += i in on_path
        if self.learns:
            self._prices.observe(len(tree), phase_ms.get(TARGET, 0.0))
            self._copies.judge(hits, emitted)
