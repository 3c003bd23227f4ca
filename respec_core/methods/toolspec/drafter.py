"""ToolSpec (arXiv 2604.13519; code: hemingkx/ToolSpec): a tool call's skeleton is dictated by its schema.

A state machine says where in a call the text stands. In the first two states the schema drafts; else what followed the newest
n-gram in earlier answers and in the text; else the schema again; else remembered successors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from respec_core.engine.drafting import Context, Draft, Drafter, Round, credit
from respec_core.engine.pieces import Pieces
from respec_core.engine.routing import Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.head_tree import HeadTree
from respec_core.methods.parts.hits import HitMaker, with_hits
from respec_core.methods.parts.model_drafter import model_drafter
from respec_core.methods.resources import Models
from respec_core.methods.toolspec.copying import OWN, Copy, NgramPlaces, copies
from respec_core.methods.toolspec.machine import SCHEMA_FIRST, Position, key_of, position
from respec_core.methods.toolspec.record import Recalled, ToolState
from respec_core.methods.toolspec.settings import LEVELS, ToolSpecSettings
from respec_core.methods.toolspec.skeleton import Speller, skeleton
from respec_core.methods.toolspec.toolbox import LAST, Toolbox
from respec_core.methods.toolspec.tools import Tool, tools_in
from respec_core.retrieval.retriever import Occurrence
from respec_core.trace.record import MethodRecord
from respec_core.trace.round import Chosen, Decision, Hit

Recall = Sequence[tuple[int, float]]


def build(settings: ToolSpecSettings, models: Models) -> Router:
    """Schema, copies, schema, successors: whoever has something to say first."""
    tree = HeadTree(nodes=settings.fallback_nodes + 1, depth=len(LEVELS), top_k=8)
    fallback = model_drafter("recycling", models, tree, "toolspec", LEVELS)
    toolbox = models.get(Toolbox) or Toolbox()
    return Priority(ToolDrafter(settings, toolbox, models.pieces), fallback)


@dataclass(frozen=True)
class StateTold:
    """The extension of a draft."""

    state: ToolState

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """The trace's ``toolspec``."""
        return {"toolspec": self.state}


class Priority(Router):
    """Asks the one drafter for the first draft that is not empty, then Token Recycling."""

    def __init__(self, tool: ToolDrafter, fallback: Drafter) -> None:
        self.tool, self.fallback = tool, fallback
        self.drafters = (tool, fallback)

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """See the module."""
        here = self.tool.position(context)
        draft = self.tool.propose(context)
        chosen: Chosen = "schema" if "schema" in frozenset().union(*draft.tree.sources) else "retrieval"
        if not draft.size:
            guessed = self.fallback.propose(context)
            draft = Draft(guessed.tree, reason=guessed.reason, extension=draft.extension)
            chosen = "model" if draft.size else "none"
        reason = f"{_where(here)}: {draft.reason}"
        return Decision(chosen=chosen, rule="priority", reason=reason, triggered=chosen == "retrieval"), draft


class ToolDrafter(Drafter):
    """Follows a call through its schema, and copies from earlier ones."""

    hidden_layers: tuple[int, ...] = ()

    def __init__(self, settings: ToolSpecSettings, toolbox: Toolbox, pieces: Pieces) -> None:
        self.settings, self.toolbox, self.pieces = settings, toolbox, pieces
        if toolbox.questions is not None and settings.memory_top_k:
            self.hidden_layers = (LAST,)
        self.speller = Speller(pieces.tokenizer)
        self.hits = HitMaker()
        self.tools: tuple[Tool, ...] = ()
        self.key = ""
        self.text = ""
        self.recall: Recall = ()
        self.own = NgramPlaces(settings.min_ngram)
        self.earlier: list[tuple[int, NgramPlaces]] = []
        self._asked: Tensor | None = None

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """Keep what the target thinks at the question's end."""
        if LAST in self.hidden_layers:
            self._asked = hidden[LAST][-1]

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the tools, and find the answers to questions like this one."""
        text = self.pieces.text(prompt)
        self.tools = tuple({tool.name: tool for tool in (*self.toolbox.tools, *tools_in(text))}.values())
        self.key = key_of(text)
        self.own.read(prompt)
        if self._asked is not None:
            self.recall = self.toolbox.alike(self._asked, self.settings.memory_top_k)
        answers = self.toolbox.answers
        self.earlier = [(i, NgramPlaces(self.settings.min_ngram, answers[i])) for i, _ in self.recall]

    def position(self, context: Context) -> Position:
        """Where in a call the answer stands."""
        return position(self.text, self.tools, self.key)

    def propose(self, context: Context) -> Draft:
        """What the schema dictates at a call's head, copies, or what it lets follow further on; only the root without any."""
        here, root = self.position(context), DraftTree.root(context.root)
        told = StateTold(self._told(here))
        with context.clock.phase("draft"):
            dictated = skeleton(context, here.expected, self.speller, self.settings.schema_nodes)
            if here.state in SCHEMA_FIRST and len(dictated) > 1:
                return Draft(dictated, reason=_dictated(here), extension=told)
        with context.clock.phase("retrieve"):
            texts = [*self.earlier, (OWN, self.own)]
            found = copies(context.ids, texts, self.settings.max_ngram, self.settings.min_ngram)
            if found and context.room > 0:
                return self._copied(context, found, told)
        if len(dictated) > 1:
            return Draft(dictated, reason=_dictated(here), extension=told)
        return Draft(root, reason="nothing to copy and nothing dictated", extension=told)

    def _told(self, here: Position) -> ToolState:
        return ToolState.model_construct(
            state=here.state,
            tool=here.tool,
            parameter=here.parameter,
            expected=here.expected,
            recalled=tuple(Recalled.model_construct(answer=i, cosine=cosine) for i, cosine in self.recall),
        )

    def _copied(self, context: Context, found: Sequence[Copy], told: StateTold) -> Draft:
        tree = DraftTree.root(context.root)
        for copy in found:
            p = copy.match_len / (copy.match_len + 1)
            tokens = copy.tokens[: context.room]
            scores = [p ** (i + 1) for i in range(len(tokens))]
            source = "dynamic" if copy.answer == OWN else "static"
            tree = tree.merge(DraftTree.chain(context.root, tokens, source, scores=scores))
        hits = tuple(self._hits(context, found))
        reason = f"{len(found)} {'copy' if len(found) == 1 else 'copies'} behind {found[0].match_len} tokens"
        return Draft(with_hits(tree, [hit.cont_ids for hit in hits]), hits, reason=reason, extension=told)

    def _hits(self, context: Context, found: Sequence[Copy]) -> Iterator[Hit]:
        cosines = dict(self.recall)
        for i, copy in enumerate(found):
            place = Occurrence("dynamic", copy.at, copy.match_len, copy.tokens)
            if copy.answer == OWN:
                yield self.hits.hit(context, i, place)
                continue
            matched = tuple(context.ids[len(context.ids) - copy.match_len :])
            begins = sum(map(len, self.toolbox.answers[: copy.answer]))
            yield self.hits.remembered(
                context, i, place, matched, begins + copy.at, f"answer {copy.answer}, cosine {cosines[copy.answer]:.2f}"
            )

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Read what was committed."""
        self.own.read(round.emitted)
        self.text += self.pieces.text(round.emitted)
        return credit(round)


def _where(here: Position) -> str:
    """The state in words."""
    if here.state == "value":
        return f"the value of {here.parameter}"
    return {
        "init": "before a call",
        "first_param": f"{here.tool}'s first parameter",
        "remaining_param": f"another parameter of {here.tool}",
        "done": f"behind the call of {here.tool}",
    }[here.state]


def _dictated(here: Position) -> str:
    return f"{len(here.expected)} {'way' if len(here.expected) == 1 else 'ways'} on by the schema"
