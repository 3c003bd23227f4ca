"""RASD (arXiv 2503.03434): the drafter's tree and a retrieval trie, fused into one.

*Prune*: retrieved continuations whose first token is outside the drafter's own best ``prune_top_k`` are dropped.
*Fuse*: the rest joins the drafter's tree along the longest common prefix; shared nodes keep both sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from respec_core.engine.drafting import Context, Draft, Drafter, Part, Round, credit
from respec_core.engine.first_step import FirstStep
from respec_core.engine.routing import Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.foreseen import judged, unforeseen
from respec_core.methods.parts.hits import HitMaker
from respec_core.methods.parts.model_drafter import model_drafter
from respec_core.methods.rasd.settings import NGRAM, SPAN, RASDSettings
from respec_core.methods.resources import Models
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Occurrence, Retriever
from respec_core.trace.round import RETRIEVED_SOURCES, Chosen, Decision, Hit, PrunedBy

OCCURRENCES = 24  # continuations in the trie; the newest of the run's own text, an even sample of the store's


def build(settings: RASDSettings, models: Models) -> Router:
    """Fuse every round.

    Raises:
        ReSpecError: when there is no model drafter, or no datastore for ``retrieval=rest``.
    """
    drafter = model_drafter(settings.drafter, models, settings.head, "rasd")
    by_rest = settings.retrieval == "rest"
    store = models.require(Datastore, "rasd with retrieval=rest") if by_rest else models.get(Datastore)
    return Fusion(RASDDrafter(settings, drafter, Retriever(store, models.target.vocab_size, models.cursor)))


class Fusion(Router):
    """Asks the one drafter, and says whether retrieval had a part in its tree."""

    def __init__(self, drafter: RASDDrafter) -> None:
        self.drafters = (drafter,)

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Always the fused tree."""
        draft = self.drafters[0].propose(context)
        fused = any(RETRIEVED_SOURCES & sources for sources in draft.tree.sources)
        chosen: Chosen = "fused" if fused else "model" if draft.size else "none"
        return Decision(chosen=chosen, rule="always", reason=draft.reason, triggered=fused), draft


class RASDDrafter(Drafter):
    """A model drafter that gives its first-step distribution, and a retriever beside it."""

    def __init__(self, settings: RASDSettings, drafter: Drafter, retriever: Retriever) -> None:
        self.settings = settings
        self.drafter = drafter
        self.retriever = retriever
        self.hidden_layers = drafter.hidden_layers
        self.trained_context = drafter.trained_context
        self.hits = HitMaker(retriever.datastore)

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """For the model drafter."""
        self.drafter.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """Both read the prompt."""
        self.drafter.begin(prompt)
        self.retriever.begin(prompt)

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Both read what was committed."""
        self.drafter.observe(round)
        self.retriever.read(round.emitted)
        return credit(round)

    def propose(self, context: Context) -> Draft:
        """The best ``max_nodes`` nodes of both trees in one, at most ``max_retrieval_nodes`` of them retrieved."""
        own = self.drafter.propose(context)
        if own.first is None:
            return own
        with context.clock.phase("retrieve"):
            found = self._look_up(context)
        with context.clock.phase("fuse"):
            trie = retrieval_trie(context.root, found, own.first)
            pruned = self._prune(trie, own.first)
            kept = trie.keep(set(range(len(trie))).difference(pruned))
            fused = own.tree.merge(kept)
            tree = fused.prune(self.settings.max_nodes)
            hits = self._hits(context, found, own.first, {hit for hits in tree.hits for hit in hits})
            shared = sum(len(sources) > 1 and "model" in sources for sources in tree.sources)
            only = sum("model" not in sources for sources in tree.sources[1:])
            reason = f"{own.reason}; {only} nodes added by {len(found)} retrieved continuations, {shared} shared"
            drafter = own.parts.get("drafter", Part(own.tree))
            return Draft(
                tree,
                hits,
                parts={"drafter": drafter, "retrieval": Part(trie, pruned)},
                first=own.first,
                reason=reason,
            )

    def _look_up(self, context: Context) -> list[Occurrence]:
        length, reader = min(self.settings.cont_len, context.room), self.retriever
        match self.settings.retrieval:
            case "pld":
                found = reader.grams(NGRAM, length, OCCURRENCES)
            case "rest":
                found = reader.static(context.ids, length, OCCURRENCES, SPAN)
            case _:
                found = [*reader.dynamic(length, OCCURRENCES), *reader.static(context.ids, length, OCCURRENCES)]
        return [c for c in found if c.match_len >= self.settings.min_match and c.continuation]

    def _prune(self, trie: DraftTree, first: FirstStep) -> dict[int, PrunedBy]:
        pruned = unforeseen(trie, first, self.settings.prune_top_k)
        left = [node for node in trie.best(len(trie)) if node not in pruned]
        return pruned | dict.fromkeys(left[self.settings.max_retrieval_nodes :], "budget")

    def _hits(self, context: Context, found: Sequence[Occurrence], first: FirstStep, used: set[int]) -> tuple[Hit, ...]:
        hits = []
        for i, candidate in enumerate(found):
            rank = first.rank(candidate.continuation[0])
            status, why = judged(rank, self.settings.prune_top_k, candidate.match_len)
            if status == "kept" and i not in used:
                status, why = "budget_pruned", "better nodes fill the tree"
            hits.append(self.hits.hit(context, i, candidate, status=status, why=why, first_rank=rank))
        return tuple(hits)


def retrieval_trie(root: int, found: Sequence[Occurrence], first: FirstStep) -> DraftTree:
    """All continuations as one tree below ``root``.

    A node's score (ours): the drafter's probability of its first token, times the share of the continuations through
    each node's parent that go on with it.
    """
    tokens, parents, counts, scores = [root], [-1], [len(found)], [1.0]
    sources: list[set[str]] = [set()]
    hits: list[list[int]] = [[]]
    index: dict[tuple[int, int], int] = {}
    for i, candidate in enumerate(found):
        at = 0
        for token in candidate.continuation:
            node = index.setdefault((at, token), len(tokens))
            if node == len(tokens):
                tokens.append(token)
                parents.append(at)
                counts.append(0)
                sources.append(set())
                hits.append([])
            counts[node] += 1
            sources[node].add(candidate.source)
            hits[node].append(i)
            at = node
    for node in range(1, len(tokens)):
        parent = parents[node]
        scores.append(scores[parent] * counts[node] / counts[parent] if parent else first.p(tokens[node]))
    return DraftTree(
        tuple(tokens),
        tuple(parents),
        tuple(map(frozenset, sources)),
        (None,) * len(tokens),
        tuple(scores),
        tuple(map(tuple, hits)),
    )
