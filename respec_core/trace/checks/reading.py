"""A run whose structure is sound, as the checks read it: rounds with their tokens, and every row the target was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from respec_core.settings.run_config import RunConfig
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.extensions import Extensions
from respec_core.trace.placing import placed_rounds
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Run, Token
from respec_core.trace.traits import Traits

DRAWN = frozenset({"model", "diffusion"})  # choices that leave a sampled chain alone; what is fused is no chain


@dataclass(frozen=True)
class Judgement:
    """The target's opinion behind ``node``: the token it put there, and the draft's children that it judged.

    Attributes:
        at: position of ``token`` among all ids, prompt included.
        taken: the child that was accepted, None where the token is the target's own.
    """

    node: int
    at: int
    token: Token
    children: tuple[Node, ...]
    taken: Node | None


@dataclass(frozen=True)
class RoundReading:
    """A step and the tokens it committed."""

    step: Step
    tokens: tuple[Token, ...]

    @property
    def where(self) -> str:
        """How sentences name it."""
        return f"round {self.step.i}"

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The verified tree."""
        return self.step.trees.final

    def priced(self, curve: CostCurve | None) -> CostCurve | None:
        """The run's cost curve as it was fitted before this round."""
        sizing = self.step.decision.sizing
        return sizing.priced(curve) if curve and sizing else curve

    @cached_property
    def path(self) -> tuple[Node, ...]:
        """Accepted nodes, top to bottom."""
        return tuple(self.nodes[i] for i in self.step.commit.path_node_ids)

    @cached_property
    def rows(self) -> tuple[Judgement, ...]:
        """One row a committed token: behind the root, then behind every accepted node that did not end the run."""
        children: dict[int, list[Node]] = {}
        for node in self.nodes[1:]:
            children.setdefault(node.parent, []).append(node)
        path = self.step.commit.path_node_ids
        return tuple(
            Judgement(
                node,
                self.step.ctx_len + i,
                token,
                tuple(children.get(node, ())),
                self.nodes[path[i]] if i < len(path) else None,
            )
            for i, (node, token) in enumerate(zip((0, *path), self.tokens, strict=False))
        )


@dataclass(frozen=True)
class Reading:
    """What several checks look up in a run.

    Attributes:
        config: its settings, with today's defaults for those it does not name.
        params: the method's own, completed alike.
        traits: how the method drafts.
    """

    run: Run
    config: RunConfig
    params: Mapping[str, Any]
    traits: Traits
    rounds: tuple[RoundReading, ...]

    @classmethod
    def of(cls, run: Run, extensions: Extensions) -> Reading:
        """Read a run that :data:`~respec_core.trace.invariants.BASICS` found sound."""
        config = run.settings
        params = extensions.params(config.method, config.params)
        rounds = tuple(RoundReading(placed.step, tuple(placed.tokens)) for placed in placed_rounds(run))
        return cls(run, config, params, extensions.traits_of(config.method), rounds)

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """Prompt and output."""
        return self.run.prompt_ids + self.run.output_ids

    @cached_property
    def vocab(self) -> int | None:
        """Size of the target's vocabulary, if the run says."""
        return vocabulary_size(self.run)

    @cached_property
    def ends(self) -> frozenset[int]:
        """Tokens known to end a text: the one that did, and those that a method's record marks."""
        marked = (record.ends for step in self.run.steps for record in step.records.values())
        final = frozenset(self.run.output_ids[-1:] if self.run.finish_reason == "eos" else ())
        return final.union(*marked)

    @cached_property
    def special(self) -> frozenset[int]:
        """Committed tokens that are special."""
        return frozenset(token.id for token in self.run.tokens if token.special)

    @cached_property
    def ordinary(self) -> frozenset[int]:
        """Tokens known to be neither special nor an end of text: the text went on behind them."""
        return frozenset(token.id for token in self.run.tokens[:-1] if not token.special) - self.ends

    def sampled(self, round: RoundReading) -> bool:
        """Whether the drafted chain was sampled, so that acceptance compares p with q and its length ignores its scores."""
        by_model = round.step.decision.chosen in DRAWN
        return not self.config.greedy and by_model and self.traits.samples(self.params)

    def room(self, step: Step) -> int:
        """Levels that a draft of this round may have: one token of what is left is the target's own."""
        most = self.config.stopping.max_new_tokens
        if self.run.finish_reason not in ("eos", "stop", "cancelled"):
            most = len(self.run.output_ids)  # the model's context may have been the limit
        return most - (step.ctx_len - len(self.run.prompt_ids)) - 1


def vocabulary_size(run: Run) -> int | None:
    """The target's, None where the trace does not say."""
    target = run.models.get("target")
    size = target.get("vocab_size") if isinstance(target, Mapping) else None
    return size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else None
