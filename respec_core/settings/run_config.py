"""Every setting of the studio, declared once: the shared ones here, the methods' own in their folders' ``settings.py``.

A field made by ``knob`` carries its label, range, unit, help and provenance; the command line, the page's
controls, the API, the docs and the validation errors are all read from here. This file imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from respec_core.boundary.untrusted_json import refuse_odd
from respec_core.errors import ReSpecError, quoted
from respec_core.settings.declaring import Settings, knob
from respec_core.settings.verifying import VerifySettings

GREEDY = {"temperature": (0.0,)}  # what sampling alone needs, has no effect then
COLDEST = 1e-5  # below, scores ÷ temperature leave float32's range, and the likeliest token has all the mass anyway


class PromptSettings(Settings):
    """How the text asked about becomes token ids."""

    parse_special: bool = knob(
        False,
        "Special tokens in your text",
        "Read strings such as <|im_end|> in your text as the control tokens of that name; off, they stay ordinary text.",
    )


class SamplingSettings(Settings):
    """How the target's logits become the distribution that is decoded from."""

    temperature: float = knob(
        0.0,
        "Temperature",
        "0 (and anything below 0.00001) decodes greedily; above it samples from the target.",
        line="0 takes the likeliest token, more gives chance a say",
        ge=0.0,
        le=5.0,
        step=0.05,
    )
    top_p: float = knob(
        1.0, "Top-p", "Keep the most likely tokens up to this mass.", idle=GREEDY, gt=0.0, le=1.0, step=0.01
    )
    top_k: int = knob(0, "Top-k", "Keep the k most likely tokens; 0 keeps all.", idle=GREEDY, ge=0, le=1000, step=1)
    repetition_penalty: float = knob(
        1.0,
        "Repetition penalty",
        "Divides the scores of tokens already seen; 1 is off.",
        ge=0.5,
        le=3.0,
        step=0.05,
    )
    seed: int = knob(
        0,
        "Seed",
        "Same seed and settings give the same trace, unless sizes follow the clock.",
        idle=GREEDY,
        ge=0,
        le=2**31 - 1,
        step=1,
    )

    @field_validator("temperature")
    @classmethod
    def _coldest_is_greedy(cls, value: float) -> float:
        return 0.0 if value < COLDEST else value

    @property
    def greedy(self) -> bool:
        """Whether the target's token is its argmax; else it is a sample."""
        return self.temperature == 0


class StopSettings(Settings):
    """When a run ends. The earliest stop wins; text, ids, cache and statistics all end there."""

    max_new_tokens: int = knob(
        128,
        "Max new tokens",
        "Upper limit of tokens to write.",
        line="how long the text may get",
        ge=0,
        le=8192,
        step=1,
        unit="tokens",
    )
    stop: tuple[str, ...] = Field(
        (), title="Stop strings", description="End when the text contains one of these.", max_length=8, strict=False
    )
    ignore_eos: bool = knob(False, "Ignore end of text", "Go on when the target says it is done (for measuring).")


class DraftingSettings(Settings):
    """How many draft nodes the target verifies at once. ``budget=auto`` and ``budget=N`` also set the rule."""

    budget_rule: Literal["auto", "own", "fixed"] = knob(
        "auto",
        "Draft size",
        "auto: what pays for itself on this machine, by the clock. own: the method's own size, whatever it costs. "
        "fixed: the number below.",
        line="how many guesses go to the target at once",
    )
    budget: int = knob(
        32,
        "Fixed size",
        "Most draft nodes with the rule fixed.",
        idle={"budget_rule": ("auto", "own")},
        ge=0,
        le=128,
        step=1,
        unit="nodes",
    )

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, data: Any) -> Any:
        return spelled_out(data) if isinstance(data, dict) else data


def spelled_out(values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` with the shorthands ``budget=auto``, ``budget=own`` and ``budget=N`` as the rule they stand for."""
    if "budget" not in values or "budget_rule" in values:
        return dict(values)
    if values["budget"] in ("auto", "own"):
        rest = {name: value for name, value in values.items() if name != "budget"}
        return {**rest, "budget_rule": values["budget"]}
    return {**values, "budget_rule": "fixed"}


SHARED_GROUPS: dict[str, type[Settings]] = {
    "prompt": PromptSettings,
    "drafting": DraftingSettings,
    "sampling": SamplingSettings,
    "stopping": StopSettings,
    "verify": VerifySettings,
}


class RunConfig(Settings):
    """All settings of one run. ``params`` are the chosen method's own."""

    method: str
    prompt: PromptSettings = PromptSettings()
    drafting: DraftingSettings = DraftingSettings()
    sampling: SamplingSettings = SamplingSettings()
    stopping: StopSettings = StopSettings(stop=())
    verify: VerifySettings = VerifySettings()
    params: dict[str, Any] = Field(default_factory=dict)

    @property
    def greedy(self) -> bool:
        """Whether the target's token is its argmax; else it is a sample."""
        return self.sampling.greedy

    @property
    def strict(self) -> bool:
        """Whether nothing passes but what the target itself would have written."""
        return self.verify.strict

    @property
    def lossless(self) -> bool:
        """Whether the text is plain decoding's, token for token, up to rounding; samples can share a distribution only."""
        return self.strict and self.greedy

    @property
    def contradiction(self) -> str | None:
        """Why no run can be so set, where parts are possible each but not together."""
        if self.verify.rule == "fly" and not self.greedy:
            return "FLy is a rule for temperature 0: set the temperature to 0, or choose another rule."
        return None


def build_config(method: str, method_settings: type[Settings], values: Mapping[str, Any]) -> RunConfig:
    """A validated :class:`RunConfig` from flat ``name: value`` pairs, each name looked up where it is declared.

    Raises:
        ReSpecError: for an unknown name or a value outside its range; the sentence lists what is allowed.
    """
    groups = {**SHARED_GROUPS, "params": method_settings}
    picked: dict[str, dict[str, Any]] = {group: {} for group in groups}
    for name, value in values.items():
        group = next((g for g in reversed(groups) if name in groups[g].model_fields), None)
        if group is None:
            known = sorted(n for s in groups.values() for n in s.model_fields)
            raise ReSpecError(f"{method!r} has no setting {quoted(name)}; it has: {', '.join(known)}.")
        refuse_odd({name: value}, "A setting")
        picked[group][name] = value
    try:
        parts: dict[str, Any] = {group: cls(**picked[group]) for group, cls in groups.items()}
    except ValidationError as error:
        raise ReSpecError(_sentence(error)) from error
    parts["params"] = parts["params"].model_dump()
    return RunConfig(method=method, **parts)


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    if not first["loc"]:  # of settings that are each possible, but not together
        return f"These settings contradict each other: {first['ctx']['error']}."
    where = ".".join(str(part) for part in first["loc"])
    own = first.get("ctx", {}).get("error")  # a sentence of ours
    why = str(own) if own else f"{first['msg'][0].lower()}{first['msg'][1:]}"
    return f"Setting {where} = {quoted(first['input'])} is not possible: {why}."
