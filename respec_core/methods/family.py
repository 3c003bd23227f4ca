"""What a method family declares of itself: its methods, and what it loads, and what it adds to traces and to the page. Imports no torch.

Everything that loops over methods (command line, page, checks, benchmark, conformance tests) reads these declarations;
nothing outside a family's folder names one. Code is named as ``module:NAME`` and imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from respec_core.errors import ReSpecError, quoted
from respec_core.methods.margins import Told
from respec_core.methods.needs import Need, Resource
from respec_core.settings import run_config as config
from respec_core.settings.declaring import Settings
from respec_core.settings.loss import Loss
from respec_core.settings.presets import AUTO, EVERYWHERE, Preset, paper_preset, tuned_preset
from respec_core.settings.serving import Equivalents, nowhere
from respec_core.settings.sketch import Sketch
from respec_core.trace.record import MethodRecord
from respec_core.trace.traits import USUAL, Traits

if TYPE_CHECKING:
    from respec_core.engine.routing import Router
    from respec_core.methods.resources import Models

PRESET_GROUPS = ("drafting", "verify")  # shared settings that presets speak of
Learns = Callable[[Mapping[str, Any], Callable[[Need], bool]], bool]
Loses = Callable[[config.RunConfig], Loss | None]
Sketched = Callable[[config.RunConfig], Sketch | None]
Served = Callable[[Mapping[str, Any], Mapping[str, str]], Equivalents]


def named(place: str) -> Any:
    """What ``module:NAME`` names, imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class Standing:
    """Where a method's settings start from, for a table's row.

    Attributes:
        preset: its name; None for a method that has none.
        changed: what differs, by name; how long the text may be and how it is sampled is no part of a preset.
    """

    preset: str | None
    changed: Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """A method: a composition of a router, drafters and settings, built fresh for every run by ``builder``.

    Attributes:
        name: id in the command line, the page and traces.
        paper: arXiv id, or where it comes from; always shown next to the name.
        settings: its settings class.
        builder: ``module:function``, imported when first used.
        needs: what the models must include for it to run.
        defaults: shared settings that this method starts from, where they differ from the general default.
        learns_from_rejected: whether it does, by its settings and what is loaded; known text cannot tell these tokens.
        lossy: what its own settings lose under the strict rule too, if anything.
        baseline: whether it is what all others are measured against; there is one.
        traits: how it drafts, for the checks of its traces.
        served: its settings in serving engines' words, by its own settings and what was asked for beside the target.
        presets: what its settings can start from instead, the first being its defaults; none where nothing is drafted.
        front: the few settings that matter most, by name, for a form to show first.
        sketch: the largest draft that a run so set may make; None where that is not declared.
        margins: thresholds that act in one comparison a round and nowhere else, each with what a decision tells of it.
    """

    name: str
    title: str
    paper: str
    idea: str
    settings: type[Settings]
    builder: str
    needs: tuple[Need, ...] = ()
    defaults: tuple[tuple[str, Any], ...] = ()
    presets: tuple[Preset, ...] = (AUTO, paper_preset(), tuned_preset())
    learns_from_rejected: Learns = lambda params, has: False
    lossy: Loses = lambda config: None
    baseline: bool = False
    traits: Traits = USUAL
    served: Served = lambda params, beside: nowhere("No serving engine has it.")
    front: tuple[str, ...] = ("budget_rule", "max_new_tokens", "temperature")
    sketch: Sketched = lambda config: None
    margins: Mapping[str, Told] = field(default_factory=dict)

    @property
    def drafts(self) -> bool:
        """Whether it drafts at all, so that there is a size to choose."""
        return bool(self.presets)

    def configure(
        self, values: Mapping[str, Any] = MappingProxyType({}), preset: str | None = None
    ) -> config.RunConfig:
        """A validated configuration from flat ``name: value`` pairs over the preset, over the method's defaults.

        Raises:
            ReSpecError: for an unknown name or preset, or a value outside its range.
        """
        start = {**dict(self.defaults), **self._preset(preset)}
        return config.build_config(self.name, self.settings, {**start, **config.spelled_out(values)})

    def standing(self, chosen: config.RunConfig, preset: str | None = None) -> Standing:
        """Which preset ``chosen`` starts from, and what it changes of it: ``preset``, else the one it is nearest to."""
        if not self.drafts:
            return Standing(None, _changed(chosen, self.configure()))
        names = [known.name for known in self.presets] if preset is None else [preset]
        found = [Standing(name, _changed(chosen, self.configure(preset=name))) for name in names]
        return min(found, key=lambda standing: len(standing.changed))

    def _preset(self, name: str | None) -> dict[str, Any]:
        own = {preset.name: dict(preset.values) for preset in self.presets}
        if name is None or (name in EVERYWHERE and not self.drafts):
            return {}
        if name not in own:
            raise ReSpecError(f"There is no preset {quoted(name)}; there are: {', '.join(own or EVERYWHERE)}.")
        return own[name]

    def build(self, params: dict[str, Any], models: Models) -> Router:
        """A fresh router with all of a run's state.

        Raises:
            ReSpecError: when the models lack something it needs.
        """
        for need in self.needs:
            if not models.meets(need):
                raise ReSpecError(f"{self.name} {need}")
        build: Callable[[Any, Models], Router] = named(self.builder)
        return build(self.settings(**params), models)


def _changed(chosen: config.RunConfig, start: config.RunConfig) -> dict[str, Any]:
    ours, theirs = (
        {**{n: v for group in PRESET_GROUPS for n, v in getattr(c, group).model_dump().items()}, **c.params}
        for c in (chosen, start)
    )
    if ours["budget_rule"] != "fixed":  # nobody asks for the number
        ours["budget"] = theirs["budget"]
    return {name: value for name, value in ours.items() if value != theirs.get(name)}


@dataclass(frozen=True)
class Family:
    """Methods that share code, in a folder of their own.

    Attributes:
        name: its folder's.
        methods: in the order in which they are shown.
        records: what its drafts add to a round of the trace, by the name there.
        checks: groups of invariants by name, each ``module:function`` from a reading of a trace to sentences; they are
            asked of every trace, so that none carries what its method does not do.
        resources: what it loads beside the target and other families may do without.
        panels: ``module:PANEL``, what the page shows of its runs beside what every method has; the page resolves them.
    """

    name: str
    methods: tuple[Method, ...]
    _: KW_ONLY
    records: Mapping[str, type[MethodRecord]] = field(default_factory=dict)
    checks: tuple[tuple[str, str], ...] = ()
    resources: tuple[Resource, ...] = ()
    panels: tuple[str, ...] = ()
