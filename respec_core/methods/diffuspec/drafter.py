"""DiffuSpec (arXiv 2510.02358): a diffusion model fills a lattice, a path is searched, the length adapts.

Beyond the paper (ours): a second path costs the target next to nothing in the same forward, so the lattice can also be
verified as a tree; and ReSpec's trigger can choose between retrieval and the diffusion model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.routing import Always, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.diffuspec.adl import LengthRound, LengthState
from respec_core.methods.diffuspec.cps import Grown, PathWeighing, Searched, along, best_first, search
from respec_core.methods.diffuspec.denoiser import Denoiser, DiffusionModel, Filled
from respec_core.methods.diffuspec.lattice import SearchLattice
from respec_core.methods.diffuspec.lattice_draft import LatticeDraft
from respec_core.methods.diffuspec.proxy import MixedProxy, NGramProxy, Proxy
from respec_core.methods.diffuspec.recycled_proxy import RecycledProxy
from respec_core.methods.diffuspec.resting import Brought, Look, Resting
from respec_core.methods.diffuspec.settings import DiffuSpecRetrievalSettings, DiffuSpecSettings
from respec_core.methods.parts.copies import copies
from respec_core.methods.parts.switching import Switch
from respec_core.methods.resources import Models
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Retriever
from respec_core.trace.round import DIFFUSION_SOURCE, Hit


def build(settings: DiffuSpecSettings, models: Models) -> Router:
    """Ask the diffusion model every round."""
    return Always(diffuspec_drafter(settings, models, "diffuspec"), "diffusion")


def build_hybrid(settings: DiffuSpecRetrievalSettings, models: Models) -> Router:
    """Retrieve where the target was sure of itself, ask the diffusion model elsewhere."""
    drafter = diffuspec_drafter(settings, models, "diffuspec-retrieval")
    retrieval = copies(settings, Retriever(models.get(Datastore), models.target.vocab_size, models.cursor))
    return Switch(settings, retrieval, drafter, math.log(models.target.vocab_size), "diffusion")


def diffuspec_drafter(settings: DiffuSpecSettings, models: Models, who: str) -> DiffuSpecDrafter:
    """A run's drafter.

    Raises:
        ReSpecError: when no diffusion model was loaded.
    """
    model = models.require(DiffusionModel, who)
    vocab = models.target.vocab_size
    proxy: Proxy | None = None
    if settings.proxy in ("corpus", "ngram"):
        proxy = session = NGramProxy(settings.ngram, vocab)
        if settings.proxy == "corpus" and (counts := model.corpus_counts()) is not None:
            proxy = MixedProxy(session, counts)
    elif settings.proxy == "recycling":
        proxy = RecycledProxy(vocab)
    return DiffuSpecDrafter(settings, model.denoiser(), proxy, models.target.eos_ids, vocab)


@dataclass(frozen=True)
class OpenBlock:
    """A round that looked, until the target has spoken; ``length`` is None where it filled no block."""

    context: Context
    look: Look
    length: LengthRound | None


class DiffuSpecDrafter(Drafter):
    """One run's lattice filler, proxy and length controller; where time counts it rests while blocks do not pay."""

    def __init__(
        self, settings: DiffuSpecSettings, denoiser: Denoiser, proxy: Proxy | None, eos: frozenset[int], vocab: int
    ) -> None:
        s, self.vocab = settings, vocab
        self.settings, self.denoiser, self.proxy, self.eos = settings, denoiser, proxy, eos
        self.hidden_layers = denoiser.hidden_layers
        self.trained_context = denoiser.trained_context
        self.length = LengthState.start(s.k_min, s.k_max, s.delta, s.rho, denoiser.longest)
        self.resting = Resting()
        self._open: OpenBlock | None = None

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """For denoisers that read the target's features."""
        self.denoiser.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        self.denoiser.begin(prompt)
        if self.proxy is not None:
            self.proxy.read(prompt)

    def propose(self, context: Context) -> Draft:
        """A block's tree, unless there is no room, nothing to stand on, or no time for one."""
        worth, root = context.worth, DraftTree.root(context.root)
        if min(self.length.k, context.room) < 1:
            return Draft(root, reason="no room for a draft")
        if worth and (why := self.resting.round(worth)):
            return Draft(root, reason=why)
        with context.clock.phase("draft"):
            if not self.denoiser.ready():
                return Draft(root, reason="the drafter has not seen a feature of the target yet")
            sure = self.denoiser.sure() if worth else None
        look = Look.of(sure, context.clock.ms["draft"])
        if worth and (why := self.resting.block(look, context.room, worth)):
            self._open = OpenBlock(context, look, None)
            return Draft(root, reason=why)
        return self._block(context, look)

    def _block(self, context: Context, look: Look) -> Draft:
        """Fill ``k_t`` positions, prune, search, and shape what is verified."""
        s = self.settings
        with context.clock.phase("draft"):
            filled = self._filled(context.ids, min(self.length.k, context.room))
        with context.clock.phase("search"):
            lattice = SearchLattice.of(
                filled.tokens, filled.log_p, s.tau, self.eos, filled.glances, filled.edges, filled.alone
            )
            known = self.denoiser.remembered(len(context.ids), (s.proxy, s.ngram))
            weighing = PathWeighing(s.lambda_dlm, self.proxy, s.length_normalised, known)
            shown = context.told or s.shape != "tree"  # a tree is not made of the beams
            searched = search(lattice, weighing, context.ids, s.beam) if shown else None
            tree = self._shaped(lattice, weighing, searched, context)
        length = LengthRound(self.length, lattice.first_end, lattice.generated)
        self._open = OpenBlock(context, look, length)
        kept = sum(len(column.kept) for column in lattice.columns) / len(lattice)
        reason = f"{len(lattice)} positions, {kept:.1f} candidates each; {_SHAPES[s.shape]} of {len(tree) - 1} nodes"
        ratio = s.sampling_rule == "p/q" and not context.sampler.greedy
        drawn = self._claimed(filled, tree.tokens[1:]) if ratio else {}
        extension = LatticeDraft(searched, length) if searched else None
        return Draft(tree, distributions=drawn, reason=reason, extension=extension)

    def _filled(self, ids: Sequence[int], k: int) -> Filled:
        """Candidates of ``k`` positions, linked where that is wanted and there."""
        if self.settings.links and self.denoiser.links:
            return self.denoiser.linked(ids, k, self.settings.m_max)
        return self.denoiser.filled(ids, k, self.settings.passes, self.settings.m_max)

    def _claimed(self, filled: Filled, path: Sequence[int]) -> dict[int, Tensor]:
        """The paper's q (Eq. 6, at S = 1 the marginals of the one pass, or the chain's behind each token) of a path."""
        p, tokens = filled.claimed(path).exp(), self.denoiser.tokens
        q = p.new_zeros(len(path), self.vocab)
        if tokens is None:
            shared = min(p.shape[-1], self.vocab)  # ids beyond the target's vocabulary are banned: they have no share
            q[:, :shared] = p[:, :shared]
        else:
            q.index_copy_(1, tokens, p)
        return dict(enumerate(q))

    def _shaped(
        self, lattice: SearchLattice, weighing: PathWeighing, searched: Searched | None, context: Context
    ) -> DraftTree:
        """The chosen path, all beams merged, or the best nodes of all paths."""
        if searched is None or self.settings.shape == "tree":
            return _tree(context.root, best_first(lattice, weighing, context.ids, self.settings.tree_nodes))
        paths = searched.paths if self.settings.shape == "beams" else searched.paths[:1]
        first, *others = [_tree(context.root, along(searched, path, context.ids)) for path in paths]
        return first.merge(*others)

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """The denoiser reads on, the proxy counts; the length and what blocks are worth follow if this was our draft."""
        self.denoiser.observe(round)
        if self.proxy is not None:
            self.proxy.observe(round)
        if self._open is not None:
            self._learn(self._open, round)
            self._open = None
        return ()

    def _learn(self, done: OpenBlock, round: Round) -> None:
        brought = None
        if done.length is not None:
            accepted = round.tree.supplied(round.path, DIFFUSION_SOURCE)
            self.length = done.length.after(accepted)
            brought = Brought(accepted, sum(DIFFUSION_SOURCE in sources for sources in round.tree.sources))
        if (worth := done.context.worth) is not None and worth.costs is not None:
            self.resting.learn(done.look, brought, len(round.tree), done.context.clock.ms, worth.costs)


_SHAPES = {"chain": "a path", "beams": "beams", "tree": "a tree"}


def _tree(root: int, nodes: Sequence[Grown]) -> DraftTree:
    return DraftTree.grown(
        (root, *(node.token for node in nodes)),
        (-1, *(node.parent + 1 for node in nodes)),
        DIFFUSION_SOURCE,
        draft_p=(None, *(node.p for node in nodes)),
        scores=(1.0, *(node.value for node in nodes)),
    )
