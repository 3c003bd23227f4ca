"""What the browser asks the Lab, checked; and the values of a knob that are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.form import Control, page_knobs
from respec_core.boundary.untrusted_json import parse_json, place
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.registry import find_method
from respec_core.settings.run_config import StopSettings

if TYPE_CHECKING:
    from respec_core.lab.atlas import Atlas
    from respec_core.settings.run_config import RunConfig

MAX_ASKED = 64_000  # characters
MOST_VALUES = 41  # of one knob
MOST_CELLS = 9  # along an axis of the map of two
Name = Annotated[str, Field(max_length=64)]
TriedValue = bool | int | float | str
What = Literal["set", "curve", "look", "pair", "picture", "regret", "round", "export"]


class Question(BaseModel):
    """What is wanted, of which set, under which settings of the form.

    ``value`` is the knob's where the cursor stands, None for the form's own; ``text`` is the one of the picture, ``at`` a
    position of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    what: What
    set: Name = ""
    method: Name
    settings: Annotated[dict[Name, object], Field(max_length=200)] = {}
    knob: Name = ""
    other: Name = ""
    value: bool | int | float | Name | None = None
    text: Annotated[str, Field(max_length=256)] = ""
    at: Annotated[int, Field(ge=0, le=100_000)] = 0

    @property
    def pinned(self) -> dict[str, object]:
        """The form's settings with the knob where the cursor stands."""
        moved = {} if self.value is None or not self.knob else {self.knob: self.value}
        return {**self.settings, **moved}


def parse_question(asked: Any) -> Question:
    """From JSON text.

    Raises:
        ReSpecError: one sentence for whatever is wrong with it.
    """
    if not isinstance(asked, str) or len(asked) > MAX_ASKED:
        raise ReSpecError("The page sent no question that the Lab could answer: reload it.")
    try:
        return Question.model_validate(parse_json(asked, "This question"))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ReSpecError(
            f"The Lab cannot answer this, for its {place(first['loc'])}: {first['msg'].lower()}."
        ) from error


def config_of(atlas: Atlas, method: str, settings: Mapping[str, object], *, replayed: bool = True) -> RunConfig:
    """The form's settings on the atlas's texts: as long as they were recorded where the form asks for more.

    Args:
        replayed: refuse settings under which other texts would have been written.

    Raises:
        ReSpecError: for an unknown setting, or one that is not possible.
    """
    from respec_core.lab.sweep import configured, for_prompts

    length = StopSettings.model_fields["max_new_tokens"].default
    recorded = atlas.manifest.settings.stopping.max_new_tokens
    asked = settings.get("max_new_tokens", length)
    shorter = {"max_new_tokens": asked} if isinstance(asked, int) and asked < recorded else {}
    rest = {name: value for name, value in settings.items() if name != "max_new_tokens"}
    usual = find_method(method).configure().drafting.budget_rule
    make = configured if replayed else for_prompts
    return make(atlas, method, {"budget_rule": usual, **rest, **shorter})


def knob_of(method: str, name: str) -> Control:
    """The control of the method's setting ``name``.

    Raises:
        ReSpecError: if it has none, or one that has no values to try.
    """
    find_method(method)
    found = page_knobs(method).get(name)
    if found is None or not tried(found):
        raise ReSpecError(f"{method} has no knob {quoted(name)} whose values could be tried.")
    return found


def tried(knob: Control, most: int = MOST_VALUES) -> list[TriedValue]:
    """Values of a knob from end to end, each a step of it; empty where it has no ends."""
    low, high, step = knob["low"], knob["high"], knob["step"]
    match knob["kind"]:
        case "bool":
            return [False, True]
        case "choice":
            return [*knob["choices"]]
        case "int" | "float" if low is not None and high is not None and step:
            steps = round((high - low) / step)
            at = [round(i * steps / (most - 1)) for i in range(most)] if steps >= most else [*range(steps + 1)]
            whole = knob["kind"] == "int"
            return [int(low + i * step) if whole else round(low + i * step, 6) for i in at]
        case _:
            return []


def coarse_first(n: int) -> Sequence[int]:
    """Places 0 to n − 1, the ends and the middle first, then between them."""
    stride, order = 1 << max(0, n - 1).bit_length(), dict[int, None]()
    while stride:
        order |= dict.fromkeys(range(0, n, stride))
        order |= {n - 1: None} if n else {}
        stride //= 2
    return [*order]
