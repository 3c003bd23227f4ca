"""A run's settings as a line for a serving engine, or for this studio again; what is lost is said. Imports no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import find_method
from respec_core.models.registry import find_target
from respec_core.settings.run_config import SHARED_GROUPS, RunConfig
from respec_core.settings.serving import TITLES, Engine
from respec_core.settings.shells import bash, powershell, yaml

LOSSY_THERE: dict[Engine, str] = {
    "vllm": "the nearest is rejection_sample_method=fly",
    "sglang": "the nearest is --speculative-accept-threshold-single below 1",
    "transformers": "it has none",
}
AUTO_THERE: dict[Engine, str] = {
    "vllm": "enable_adaptive_verification is of that kind",
    "sglang": "--speculative-adaptive is of that kind, for chains",
    "transformers": "num_assistant_tokens_schedule is of that kind, for draft models",
}

OLD_POWERSHELL = "PowerShell before 7.3 drops the double quotes of an argument: use a newer one."


@dataclass(frozen=True)
class Line:
    """What to type, in each form that there is of it, and what to know about it.

    Attributes:
        forms: by ``bash``, ``powershell`` and ``yaml``, or only ``python``.
        same: whether the engine drafts alike.
    """

    forms: Mapping[str, str]
    notes: tuple[str, ...]
    same: bool

    def told(self, form: str) -> tuple[str, ...]:
        """The notes, and what to know about this form."""
        return (*self.notes, OLD_POWERSHELL) if form == "powershell" and '"' in self.forms[form] else self.notes


def serving_line(config: RunConfig, choice: ModelChoice, engine: Engine) -> Line:
    """The nearest that ``engine`` has to ``config``.

    Nothing lossy is ever in it: the engine verifies strictly.

    Raises:
        ReSpecError: where it has nothing of the kind.
    """
    there = find_method(config.method).served(config.params, choice.beside)[engine]
    if there.fit == "none":
        raise ReSpecError(f"{TITLES[engine]} has no equivalent of {config.method}. {' '.join(there.notes)}")
    entry = find_target(choice.model)
    model = entry.hub if entry else choice.model
    notes = (*there.notes, *_shared_notes(config, engine))
    return Line(FORMS[engine](model, there.values), notes, there.fit == "same" and not notes)


def command_line(config: RunConfig, choice: ModelChoice) -> Line:
    """The studio's own command."""
    words = ["respec", "generate", "--method", config.method, "--model", choice.model]
    words += [word for name, value in choice.beside.items() for word in (f"--{name}", value)]
    preset, changed = changed_settings(config)
    words += ["--preset", preset] if preset else []
    words += [word for name, value in changed.items() for word in ("--set", f"{name}={_as_set(value)}")]
    words += ["--prompt", "…"]
    return Line({"bash": bash(words), "powershell": powershell(words)}, ("Put your prompt in the place of ….",), True)


def settings_json(config: RunConfig) -> str:
    """As the endpoint ``generate_trace`` takes them: method, preset, and what differs from it."""
    preset, changed = changed_settings(config)
    return json.dumps({"method": config.method, "preset": preset, "settings": changed}, ensure_ascii=False, indent=2)


def page_query(config: RunConfig) -> str:
    """The part of the page's address that asks for these settings, from its ``?`` on."""
    preset, changed = changed_settings(config)
    asked = {"method": config.method} | ({"preset": preset} if preset else {})
    return "?" + urlencode(asked | {name: _in_address(value) for name, value in changed.items()})


def changed_settings(config: RunConfig) -> tuple[str, dict[str, Any]]:
    """The preset it starts from, empty where the method has none, and every setting that differs."""
    method = find_method(config.method)
    standing = method.standing(config)
    start = method.configure(preset=standing.preset)
    beside = [group for group in SHARED_GROUPS if group not in ("drafting", "verify")]  # of which presets do not speak
    others = {
        name: value
        for group in beside
        for name, value in getattr(config, group).model_dump().items()
        if value != getattr(getattr(start, group), name)
    }
    return standing.preset or "", {**standing.changed, **others}


def _shared_notes(config: RunConfig, engine: Engine) -> list[str]:
    notes = []
    if not config.verify.strict:
        notes.append(
            f"The rule here is lossy and is not handed on: {TITLES[engine]} verifies strictly ({LOSSY_THERE[engine]})."
        )
    drafts = find_method(config.method).drafts
    if drafts and config.drafting.budget_rule == "auto":
        notes.append(
            f"Sizes that follow the clock are not handed on: these are the method's own ({AUTO_THERE[engine]})."
        )
    if drafts and config.drafting.budget_rule == "fixed":
        notes.append(
            f"The fixed size of {config.drafting.budget} nodes is not handed on: these are the method's own sizes."
        )
    if config.sampling.model_dump() != type(config.sampling)().model_dump():
        notes.append("Sampling is asked for with every request.")
    return notes


def _vllm(model: str, values: Mapping[str, Any]) -> dict[str, str]:
    asked = {"speculative-config": json.dumps(dict(values))} if values else {}
    words = ["vllm", "serve", model, *(word for name, text in asked.items() for word in (f"--{name}", text))]
    return {"bash": bash(words), "powershell": powershell(words), "yaml": yaml({"model": model, **asked})}


def _sglang(model: str, values: Mapping[str, Any]) -> dict[str, str]:
    flags = {"model-path": model, **values}
    words = ["python", "-m", "sglang.launch_server"]
    words += [word for name, value in flags.items() for word in (f"--{name}", str(value))]
    return {"bash": bash(words), "powershell": powershell(words), "yaml": yaml(flags)}


def _transformers(model: str, values: Mapping[str, Any]) -> dict[str, str]:
    arguments = [
        f"{name}={_loaded(value) if name == 'assistant_model' else repr(value)}" for name, value in values.items()
    ]
    loaded = f"model = {_loaded(model)}\n"
    return {"python": loaded + f"model.generate(**inputs, {', '.join(['do_sample=False', *arguments])})\n"}


def _loaded(model: str) -> str:
    return f"AutoModelForCausalLM.from_pretrained({model!r})"


def _as_set(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _in_address(value: Any) -> str:
    return "\n".join(value) if isinstance(value, tuple | list) else _as_set(value)


FORMS = {"vllm": _vllm, "sglang": _sglang, "transformers": _transformers}
