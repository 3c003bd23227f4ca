"""A draft model's greedy chain and trees at every position of a text, and a drafter that answers from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Annotated, Any

from pydantic import Field

from respec_core.engine.drafting import Context, Draft, Drafter
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.draft_model.drafts import chained, no_room, reranked
from respec_core.methods.draft_model.settings import DraftModelSettings
from respec_core.methods.parts.draft_model import Smaller
from respec_core.methods.parts.recorded_trees import RecordedTree, TreeRows, UnrecordedFirstStep, tree_columns
from respec_core.methods.recording import Elapsed, RecordedColumns, Recorder, Recording
from respec_core.settings.declaring import Settings, knob

Branches = Annotated[int, Field(ge=1, le=16)]
REMEDY = "decode with the model"


class DraftModelRecording(Settings):
    """How deep the chain and the trees are recorded, and which trees."""

    depth: int = knob(8, "Depth", "Levels of the chain and of every tree.", ge=1, le=32)
    widths: Annotated[tuple[Branches, ...], Field(max_length=16, strict=False)] = (4,)


class DraftModelRecorder(Recorder):
    """Asks the model for its chain, and for each tree, everywhere."""

    def __init__(self, model: Smaller, options: DraftModelRecording) -> None:
        self.options = options
        chain = DraftModelSettings(depth=options.depth, confidence_stop=0.0)
        self.chain = model.drafter(chain)
        self.grown = {
            width: model.drafter(chain.model_copy(update={"shape": "tree", "tree_top_k": width, "tree_nodes": 128}))
            for width in options.widths
        }
        self._chains: list[DraftTree] = []
        self._trees: dict[int, list[DraftTree | None]] = {width: [] for width in options.widths}
        self._ms: dict[int, list[list[float]]] = {width: [] for width in (0, *options.widths)}

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt, each by itself."""
        for drafter in (self.chain, *self.grown.values()):
            drafter.begin(prompt)

    def record(self, context: Context) -> None:
        """As deep as asked, however near the text's end."""
        context = replace(context, room=self.options.depth)
        self._chains.append(self._timed(0, self.chain, context).tree)
        for width, drafter in self.grown.items():
            parts = self._timed(width, drafter, context).parts
            self._trees[width].append(parts["drafter"].tree if parts else None)

    def _timed(self, width: int, drafter: Drafter, context: Context) -> Draft:
        start = perf_counter()
        draft = drafter.propose(context)
        levels = max(draft.tree.depths) if width == 0 else self.options.depth
        self._ms[width].append([(perf_counter() - start) * 1e3 / max(levels, 1)] * levels)  # every level is one forward
        return draft

    def columns(self) -> RecordedColumns:
        """The chain as a tree of width 0, and the trees."""
        depth = self.options.depth
        columns = tree_columns(0, self._chains, self._ms[0], depth)
        for width, trees in self._trees.items():
            columns |= tree_columns(width, trees, self._ms[width], depth)
        return columns


@dataclass(frozen=True)
class RecordedDraftModel(Smaller):
    """A model's chain (width 0) and trees of one text, shared by all replays on it."""

    rows: Mapping[int, TreeRows]
    options: DraftModelRecording
    facts: Mapping[str, Any]
    time: Elapsed
    _trees: dict[tuple[int, int], RecordedTree | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        columns: RecordedColumns,
        vocab: int,
        options: DraftModelRecording,
        facts: Mapping[str, Any],
        time: Elapsed,
    ) -> RecordedDraftModel:
        """From a text's columns.

        Raises:
            ReSpecError: if these are no trees.
        """
        kinds = {"described": dict, "name": str, "context": int}
        if set(facts) != set(kinds) or not all(isinstance(facts[name], kind) for name, kind in kinds.items()):
            raise ReSpecError("the draft model does not describe itself")
        rows = {width: TreeRows.of(columns, width, vocab, options.depth) for width in (0, *options.widths)}
        return cls(rows, options, facts, time)

    def describe(self) -> dict[str, Any]:
        """As the model described itself."""
        return dict(self.facts["described"])

    def drafter(self, settings: DraftModelSettings) -> Drafter:
        """Looks drafts up."""
        return RecordedDraftModelDrafter(settings, self)

    def tree(self, width: int, position: int) -> RecordedTree | None:
        """As it was recorded."""
        if (width, position) not in self._trees:
            self._trees[width, position] = self.rows[width].tree(position)
        return self._trees[width, position]


class RecordedDraftModelDrafter(Drafter):
    """One replay's view."""

    def __init__(self, settings: DraftModelSettings, model: RecordedDraftModel) -> None:
        self.settings, self.model = settings, model

    def propose(self, context: Context) -> Draft:
        """The recorded chain or tree, as deep as asked.

        Raises:
            ReSpecError: for what was not recorded.
        """
        settings, model = self.settings, self.model
        depth = min(settings.depth, context.room, model.facts["context"] - len(context.ids))
        if depth < 1:
            return no_room(context)
        width = 0 if settings.shape == "chain" else settings.tree_top_k
        if width not in model.rows or depth > model.options.depth:
            raise ReSpecError(
                f"The atlas holds the draft model's chain, and trees of {', '.join(map(str, model.options.widths)) or 'no'} "
                f"branches, {model.options.depth} deep: use --set depth={model.options.depth} or less and these, record "
                f"others too, or {REMEDY}."
            )
        recorded = model.tree(width, len(context.ids) - context.prompt_len)
        if recorded is None:
            return no_room(context)
        depth = min(depth, len(recorded.levels) - 1)
        tree = recorded.tree(context.root, depth)
        name = str(model.facts["name"])
        with context.clock.phase("draft"):
            if width:
                model.time.add(sum(recorded.ms[:depth]))
                return reranked(tree, settings.tree_nodes, UnrecordedFirstStep(REMEDY), name)
            ends = (i for i, p in enumerate(tree.draft_p[1:], 1) if p is not None and p < settings.confidence_stop)
            length = next(ends, depth)
            model.time.add(sum(recorded.ms[:length]))
            return chained(context.root, tree.tokens[1 : length + 1], tree.draft_p[1 : length + 1], name)


RECORDING = Recording(
    DraftModelRecording,
    DraftModelRecorder,
    lambda drafting: {
        "described": drafting.describe(),
        "name": drafting.model.name,
        "context": drafting.model.max_context,
    },
    RecordedDraftModel.of,
)
