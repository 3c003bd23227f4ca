"""A diffusion drafter's candidates at every position of a text, and a drafter that answers from them.

One pass over all positions is recorded. Fewer positions are its beginning where the model is ``steady``; a further pass
hangs on what the first decided, and is not recorded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from numpy.typing import NDArray

from respec_core.boundary.limits import MAX_VOCABULARY
from respec_core.engine.drafting import Context, Round
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.block import BlockDiffusion, counted_corpus
from respec_core.methods.diffuspec.corpus_counts import CorpusCounts
from respec_core.methods.diffuspec.cps import Known
from respec_core.methods.diffuspec.denoiser import Denoiser, DiffusionModel, Filled
from respec_core.methods.diffuspec.recorded_passes import LINKED, NOTHING, RecordedPasses
from respec_core.methods.recording import Elapsed, RecordedColumns, Recorder, Recording
from respec_core.models.assets import ASSETS
from respec_core.settings.declaring import Settings, knob
from respec_core.trace.round import Hit

KEPT = 128  # positions of a text of which the proxies' work stays in memory for the next replay
LOOK = 0.35  # of a block's time goes to its first guess
ELSEWHERE = "elsewhere"  # a corpus that does not come with this program


class DiffusionRecording(Settings):
    """What is recorded of a position."""

    candidates: int = knob(16, "Candidates", "Most at a position.", ge=1, le=64)
    links: bool = knob(False, "Links", "Also what the Markov head makes of every pass, where there is one.")


class DiffusionRecorder(Recorder):
    """Fills as many positions as the model can, everywhere."""

    def __init__(self, model: DiffusionModel, options: DiffusionRecording) -> None:
        self.options, self.denoiser = options, model.denoiser()
        self.hidden_layers = self.denoiser.hidden_layers
        kinds = (False, True) if options.links and self.denoiser.links else (False,)
        self._passes: dict[bool, tuple[list[Filled | None], list[float]]] = {linked: ([], []) for linked in kinds}

    def prefilled(self, hidden: Mapping[int, Any]) -> None:
        """For denoisers that read the target's features."""
        self.denoiser.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """For the denoiser."""
        self.denoiser.begin(prompt)

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """For the denoiser."""
        self.denoiser.observe(round)
        return ()

    def record(self, context: Context) -> None:
        """One pass of each kind, timed."""
        k, width = self.denoiser.longest, self.options.candidates
        for linked, (passes, ms) in self._passes.items():
            start, filled = perf_counter(), None
            if self.denoiser.ready():
                ids = context.ids
                filled = self.denoiser.linked(ids, k, width) if linked else self.denoiser.filled(ids, k, 1, width)
            passes.append(filled)
            ms.append((perf_counter() - start) * 1e3)

    def columns(self) -> RecordedColumns:
        """See :class:`RecordedPasses`."""
        found: dict[str, NDArray[Any]] = {}
        for linked, (passes, ms) in self._passes.items():
            shape = self.denoiser.longest, self.options.candidates
            found |= RecordedPasses.of(passes, ms, *shape, linked=linked).columns()
        return found


@dataclass(frozen=True)
class DiffusionFacts:
    """What a replay must know of the model.

    Attributes:
        described: for the trace.
        longest: positions it fills.
        context: tokens it was trained on.
        corpus: folder of its training texts below this program's assets, ``elsewhere``, or None without any.
        counted: ids of the corpus are below.
    """

    described: dict[str, Any]
    longest: int
    context: int | None
    corpus: str | None
    counted: int

    @classmethod
    def of(cls, model: DiffusionModel) -> dict[str, Any]:
        """As JSON."""
        denoiser, corpus, counted = model.denoiser(), None, 0
        if (counts := model.corpus_counts()) is not None:
            corpus, counted = ELSEWHERE, len(counts.unigrams)
            if isinstance(model, BlockDiffusion) and model.corpus is not None and model.corpus.is_relative_to(ASSETS):
                corpus = model.corpus.relative_to(ASSETS).as_posix()
        facts = cls(model.describe(), denoiser.longest, denoiser.trained_context, corpus, counted)
        return dict(facts.__dict__)

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> DiffusionFacts:
        """From JSON.

        Raises:
            ReSpecError: if it is not what :meth:`of` gives.
        """
        kinds = {"described": dict, "longest": int, "context": int | None, "corpus": str | None, "counted": int}
        if set(facts) != set(kinds) or not all(isinstance(facts[name], kind) for name, kind in kinds.items()):
            raise ReSpecError("the diffusion model does not describe itself")
        return cls(**facts)


@dataclass(frozen=True)
class RecordedDiffusion(DiffusionModel):
    """A model's candidates in one text; ``linked`` where the Markov head's were recorded too."""

    passes: RecordedPasses
    linked: RecordedPasses | None
    facts: DiffusionFacts
    time: Elapsed
    known: dict[tuple[int, tuple[str, int]], Known] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, columns: RecordedColumns, vocab: int, options: DiffusionRecording, facts: Mapping[str, Any], time: Elapsed
    ) -> RecordedDiffusion:
        """From a text's columns.

        Raises:
            ReSpecError: if these are no candidates.
        """
        known = DiffusionFacts.read(facts)
        if known.corpus is not None and not vocab <= known.counted <= MAX_VOCABULARY:
            raise ReSpecError("the diffusion model's corpus was counted for another vocabulary")
        shape = vocab, known.longest, options.candidates
        links = RecordedPasses.read(columns, *shape, linked=True) if f"{LINKED}tokens" in columns else None
        return cls(RecordedPasses.read(columns, *shape), links, known, time)

    def denoiser(self) -> Denoiser:
        """Looks the candidates up."""
        return RecordedDenoiser(self)

    def describe(self) -> dict[str, Any]:
        """As the model described itself."""
        return self.facts.described

    def corpus_counts(self) -> CorpusCounts | None:
        """Of the same corpus, where it came with this program.

        Raises:
            ReSpecError: where it did not.
        """
        if self.facts.corpus is None:
            return None
        if self.facts.corpus not in shipped_corpora():
            raise ReSpecError(
                "The diffusion drafter's corpus does not come with this program: replay with --set proxy=ngram, or decode "
                "with the model."
            )
        return counted_corpus(ASSETS / self.facts.corpus, self.facts.counted)


def shipped_corpora() -> list[str]:
    """Folders of training texts below the assets."""
    return [path.relative_to(ASSETS).as_posix() for path in Path(ASSETS).glob("drafters/*/corpus")]


class RecordedDenoiser(Denoiser):
    """One replay's view."""

    steady = True
    links = True  # or it says why there are none

    def __init__(self, model: RecordedDiffusion) -> None:
        self.model = model
        self.longest = model.facts.longest
        self.trained_context = model.facts.context
        self._prompt = self._at = 0
        self._looked = NOTHING

    def begin(self, prompt: Sequence[int]) -> None:
        """Positions count from its end."""
        self._prompt, self._at = len(prompt), 0

    def observe(self, round: Round) -> None:
        """The next position."""
        self._at += len(round.emitted)

    def ready(self) -> bool:
        """Whether anything was recorded here."""
        return bool(self.model.passes.tokens[self._at, 0, 0] != NOTHING)

    def sure(self) -> float | None:
        """As recorded, where a real run would know it."""
        if self.model.facts.described.get("kind") != "block":
            return None
        self.model.time.add(LOOK * float(self.model.passes.ms[self._at]))
        self._looked = self._at
        return math.exp(float(self.model.passes.log_p[self._at, 0, 0]))

    def remembered(self, written: int, proxy: tuple[str, int]) -> Known:
        """The text's, shared by all replays on it: proxies count committed tokens only, which are the same in all."""
        known, key = self.model.known, (written, proxy)
        if key not in known and len(known) >= KEPT:
            known.clear()
        return known.setdefault(key, {})

    def filled(self, ids: Sequence[int], k: int, passes: int, width: int) -> Filled:
        """The recorded candidates.

        Raises:
            ReSpecError: for more passes or candidates than were recorded.
        """
        widest = self.model.passes.tokens.shape[2]
        if passes > 1 or width > widest:
            raise ReSpecError(
                f"The atlas holds one pass of the diffusion drafter with {widest} candidates a position, not {passes} with "
                f"{width}: use --set passes=1, record more candidates, or decode with the model."
            )
        return self._at_hand(self.model.passes, ids, k, width)

    def linked(self, ids: Sequence[int], k: int, width: int) -> Filled:
        """The recorded candidates and links.

        Raises:
            ReSpecError: where no links were recorded, or fewer candidates.
        """
        if self.model.linked is None:
            raise ReSpecError(
                "The atlas holds nothing of the Markov head: record it with --record diffusion.links=true, or replay without it, "
                "--set markov=false."
            )
        if width > (widest := self.model.linked.tokens.shape[2]):
            raise ReSpecError(
                f"The atlas holds {widest} candidates a position, not {width}: record more, or decode with the model."
            )
        return self._at_hand(self.model.linked, ids, k, width)

    def _at_hand(self, passes: RecordedPasses, ids: Sequence[int], k: int, width: int) -> Filled:
        at = len(ids) - self._prompt
        self.model.time.add((1 - LOOK if self._looked == at else 1.0) * float(passes.ms[at]))
        return passes.filled(at, k, width)

    def log_p(self, ids: Sequence[int], k: int, known: Mapping[int, int]) -> torch.Tensor:
        """Not recorded.

        Raises:
            ReSpecError: always.
        """
        raise ReSpecError("The atlas holds the diffusion drafter's best candidates, not all: decode with the model.")


RECORDING = Recording(
    DiffusionRecording,
    DiffusionRecorder,
    DiffusionFacts.of,
    RecordedDiffusion.of,
    able=lambda model: model.denoiser().steady,
)
