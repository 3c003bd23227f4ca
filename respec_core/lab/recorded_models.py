"""What methods draft with on a recorded text: records in the models' place, and retrieval as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from respec_core.errors import ReSpecError
from respec_core.lab.recorded_text import RecordedText
from respec_core.lab.recording import recording_of
from respec_core.methods.recording import Elapsed
from respec_core.methods.registry import RESOURCES
from respec_core.methods.resources import Beside, Models
from respec_core.retrieval.shared_text import SharedText
from respec_core.retrieval.suffix_automaton import Cursor
from respec_core.settings.declaring import Settings
from respec_core.trace.cost_curve import CostCurve

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel


@dataclass(frozen=True)
class RecordedTarget:
    """What methods ask of a target beside its forwards.

    Attributes:
        costs: what a forward costs where it was recorded, if that was measured.
    """

    name: str
    vocab_size: int
    max_context: int
    eos_ids: frozenset[int]
    costs: CostCurve | None = None


class RecordedModels(Models):
    """Records of one text. They were made by resources that fit each other, so that is not asked again."""

    text: SharedText | None

    def __init__(self, target: RecordedTarget, *others: Beside, text: SharedText | None = None) -> None:
        super().__init__(cast("LanguageModel", target), *others)
        object.__setattr__(self, "text", text)

    def cursor(self, prompt: Sequence[int]) -> Cursor:
        """On the recorded text where it is given: all replays share what they find there."""
        return super().cursor(prompt) if self.text is None else self.text.cursor(prompt)

    def _check_fit(self) -> None:
        """Not again."""


@dataclass(frozen=True)
class Stage:
    """A text to replay on, with everything that replays share.

    Attributes:
        time: the replay's.
    """

    text: RecordedText
    target: RecordedTarget
    models: RecordedModels
    time: Elapsed = field(default_factory=Elapsed)

    @cached_property
    def costs(self) -> CostCurve | None:
        """What a round is predicted to cost on this text beside drafting; None where no curve was measured.

        The curve is of a short text: it is scaled to the one-token forwards that were timed on this one, whose length they
        know, and committing is added.
        """
        curve, text = self.target.costs, self.text
        if curve is None:
            return None
        scale = text.forward / curve.ms(1) if text.forward else 1.0
        return CostCurve(tuple((size, scale * ms + text.committing) for size, ms in curve.points))


def staged(
    text: RecordedText,
    target: RecordedTarget,
    options: Mapping[str, Settings],
    facts: Mapping[str, Mapping[str, Any]],
    live: Beside | None = None,
) -> Stage:
    """The text with its records opened.

    Args:
        options, facts: of the recording, by the resource's name.
        live: a datastore, which is searched as in any run.

    Raises:
        ReSpecError: for records that are none.
    """
    time, others = Elapsed(), [live] if live is not None else []
    for resource in RESOURCES:
        recording = recording_of(resource)
        if resource.name in options and recording is not None:
            if resource.name not in text.resources or resource.name not in facts:
                raise ReSpecError(f"nothing is recorded of the {resource.name}")
            columns = text.resources[resource.name]
            own = (columns, target.vocab_size, options[resource.name], facts[resource.name], time)
            others.append(recording.replayed(*own))
    return Stage(text, target, RecordedModels(target, *others, text=SharedText(text.prompt_ids, text.output_ids)), time)
