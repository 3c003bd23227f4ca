"""The single list of methods: command line, page, conformance tests and benchmark all read it. Imports no torch.

A method is a composition of a router, drafters and settings, built fresh for every run by ``builder``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from respec_core.errors import ReSpecError, quoted
from respec_core.methods.diffuspec.settings import DiffuSpecRetrievalSettings, DiffuSpecSettings
from respec_core.methods.draft_model.settings import DraftModelSettings
from respec_core.methods.eagle.settings import Eagle2Settings
from respec_core.methods.pld.settings import PLDSettings
from respec_core.methods.rasd.settings import RASDSettings
from respec_core.methods.recycling.settings import RecyclingSettings
from respec_core.methods.respec.settings import ReSpecSettings
from respec_core.methods.rest.settings import RESTSettings
from respec_core.methods.sam.settings import SAMSettings
from respec_core.methods.vanilla.settings import VanillaSettings
from respec_core.settings import run_config as config
from respec_core.settings.presets import AUTO, Preset, paper_sizes

if TYPE_CHECKING:
    from respec_core.engine.resources import Models
    from respec_core.engine.routing import Router

Need = Literal["draft-model", "datastore", "head", "model-drafter", "diffusion"]
BASELINE = "vanilla"


@dataclass(frozen=True)
class Method:
    """A registered method.

    Attributes:
        name: id in the command line, the page and traces.
        paper: arXiv id, or where it comes from; always shown next to the name.
        settings: its settings class.
        builder: ``module:function``, imported when first used.
        needs: what the models must include for it to run.
        defaults: shared settings that this method starts from, where they differ from the general default.
        presets: what its settings can start from instead, the first being its defaults; none where nothing is drafted.
    """

    name: str
    title: str
    paper: str
    idea: str
    settings: type[config.Settings]
    builder: str
    needs: tuple[Need, ...] = ()
    defaults: tuple[tuple[str, Any], ...] = ()
    presets: tuple[Preset, ...] = (AUTO, paper_sizes())

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

    def _preset(self, name: str | None) -> dict[str, Any]:
        if name is None:
            return {}
        found = next((preset for preset in self.presets if preset.name == name), None)
        if found is None and name not in PRESETS:
            raise ReSpecError(f"There is no preset {quoted(name)}; there are: {', '.join(PRESETS)}.")
        return dict(found.values) if found else {}

    def build(self, params: dict[str, Any], models: Models) -> Router:
        """A fresh router with all of a run's state.

        Raises:
            ReSpecError: when the models lack something it needs.
        """
        for need in self.needs:
            models.require(need, self.name)
        module, function = self.builder.split(":")
        build: Callable[[Any, Models], Router] = getattr(import_module(module), function)
        return build(self.settings(**params), models)


# the paper gives no sizes of its fallback, EAGLE-2: those of that method's code
EAGLE2_SIZES = {"fallback_nodes": 60, "fallback_depth": 5, "fallback_top_k": 10}

METHODS: tuple[Method, ...] = (
    Method(
        "vanilla",
        "Plain decoding",
        "baseline",
        "One token a target pass; what every other method is measured against.",
        VanillaSettings,
        "respec_core.methods.vanilla.drafter:build",
        defaults=(("budget_rule", "own"),),
        presets=(),
    ),
    Method(
        "pld",
        "Prompt lookup",
        "apoorvumang/prompt-lookup-decoding",
        "Copy what followed an earlier occurrence of the last few tokens.",
        PLDSettings,
        "respec_core.methods.pld.drafter:build",
    ),
    Method(
        "sam",
        "SAM-Decoding",
        "arXiv 2411.10666",
        "A suffix automaton finds the longest match at once; copy only behind a long one.",
        SAMSettings,
        "respec_core.methods.sam.drafter:build",
    ),
    Method(
        "rest",
        "REST",
        "arXiv 2311.08252",
        "The most frequent continuations of the longest suffix found in a datastore, as one tree.",
        RESTSettings,
        "respec_core.methods.rest.drafter:build",
        ("datastore",),
    ),
    Method(
        "recycling",
        "Token Recycling",
        "arXiv 2408.08696",
        "Every token remembers the successors the target last ranked best; they fill a static tree.",
        RecyclingSettings,
        "respec_core.methods.recycling.drafter:build",
    ),
    Method(
        "draft-model",
        "Draft model",
        "arXiv 2211.17192",
        "A smaller model with the same tokenizer guesses ahead.",
        DraftModelSettings,
        "respec_core.methods.draft_model.drafter:build",
        ("draft-model",),
    ),
    Method(
        "eagle2",
        "EAGLE-2",
        "arXiv 2406.16858",
        "A small head guesses from the target's own features and grows its tree where it is sure.",
        Eagle2Settings,
        "respec_core.methods.eagle.drafter:build",
        ("head",),
    ),
    Method(
        "rasd",
        "RASD",
        "arXiv 2503.03434",
        "The drafter's tree and retrieved continuations that it could foresee, fused and verified at once.",
        RASDSettings,
        "respec_core.methods.rasd.drafter:build",
        ("model-drafter",),
    ),
    Method(
        "diffuspec",
        "DiffuSpec",
        "arXiv 2510.02358",
        "A diffusion model fills many positions at once; a search finds paths that read as text; the length adapts.",
        DiffuSpecSettings,
        "respec_core.methods.diffuspec.drafter:build",
        ("diffusion",),
        presets=(AUTO, paper_sizes(shape="chain")),
    ),
    Method(
        "diffuspec-retrieval",
        "DiffuSpec + retrieval",
        "arXiv 2510.02358, 2511.01282",
        "Where ReSpec's entropy trigger fires, copies from the past join the diffusion model's draft, or replace it.",
        DiffuSpecRetrievalSettings,
        "respec_core.methods.diffuspec.drafter:build_hybrid",
        ("diffusion",),
        presets=(AUTO, paper_sizes(shape="chain")),
    ),
    Method(
        "respec",
        "ReSpec",
        "arXiv 2511.01282",
        "Low entropy triggers retrieval of scored candidates, retrieved tokens pass a relaxed check (lossy); else a model drafts.",
        ReSpecSettings,
        "respec_core.methods.respec.drafter:build",
        defaults=(("rule", "relaxed"),),
        presets=(AUTO, paper_sizes(**EAGLE2_SIZES)),
    ),
    Method(
        "respec-strict",
        "ReSpec, strict",
        "arXiv 2511.01282",
        "ReSpec's trigger and candidates under the strict rule: the text is plain decoding's.",
        ReSpecSettings,
        "respec_core.methods.respec.drafter:build",
        presets=(AUTO, paper_sizes(**EAGLE2_SIZES)),
    ),
)

PRESETS = tuple(dict.fromkeys(preset.name for method in METHODS for preset in method.presets))


def find_method(name: str) -> Method:
    """The method called ``name``.

    Raises:
        ReSpecError: listing the names there are.
    """
    found = next((m for m in METHODS if m.name == name), None)
    if found is None:
        raise ReSpecError(f"There is no method {quoted(name)}; there are: {', '.join(m.name for m in METHODS)}.")
    return found


def plain_config(run: config.RunConfig) -> config.RunConfig:
    """What ``run`` is measured against: the same prompt, sampling and stops, decoded plainly; no draft, so no size or rule."""
    plain = find_method(BASELINE).configure()
    return plain.model_copy(update={"prompt": run.prompt, "sampling": run.sampling, "stopping": run.stopping})
