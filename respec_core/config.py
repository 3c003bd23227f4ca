"""Every setting of the studio, declared once.

A field made by :func:`knob` carries its label, range, unit, help and provenance; the command line, the page's
controls, the API, the docs and the validation errors are all read from here. This file imports no torch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from respec_core.errors import ReSpecError

Provenance = Literal["paper", "code", "reported", "ours"]
Kind = Literal["bool", "int", "float", "choice"]
PROVENANCE_LABEL: dict[str, str] = {
    "paper": "from the paper",
    "code": "from the authors' code",
    "reported": "reported by a third party",
    "ours": "our default",
}


def knob(
    default: Any,
    label: str,
    help: str,
    *,
    provenance: Provenance = "ours",
    unit: str = "",
    step: float | None = None,
    **limits: Any,
) -> Any:
    """A pydantic field with everything a control needs. ``limits`` are pydantic's (``ge``, ``le`` …)."""
    extra: dict[str, Any] = {"provenance": provenance, "unit": unit, "step": step}
    return Field(default, title=label, description=help, json_schema_extra=extra, **limits)


class Settings(BaseModel):
    """Base of all settings: immutable, no unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


class SamplingSettings(Settings):
    """How the target's logits become the distribution that is decoded from."""

    temperature: float = knob(
        0.0, "Temperature", "0 decodes greedily; above 0 samples from the target.", ge=0.0, le=5.0, step=0.05
    )
    top_p: float = knob(1.0, "Top-p", "Keep the most likely tokens up to this mass.", gt=0.0, le=1.0, step=0.01)
    top_k: int = knob(0, "Top-k", "Keep the k most likely tokens; 0 keeps all.", ge=0, le=1000, step=1)
    repetition_penalty: float = knob(
        1.0,
        "Repetition penalty",
        "Divides the scores of tokens already seen; 1 is off.",
        ge=0.5,
        le=3.0,
        step=0.05,
    )
    seed: int = knob(0, "Seed", "Same seed and settings give the same trace.", ge=0, le=2**31 - 1, step=1)


class StopSettings(Settings):
    """When a run ends. The earliest stop wins; text, ids, cache and statistics all end there."""

    max_new_tokens: int = knob(
        128, "Max new tokens", "Upper limit of tokens to write.", ge=0, le=8192, step=1, unit="tokens"
    )
    stop: tuple[str, ...] = Field(
        (), title="Stop strings", description="End when the text contains one of these.", max_length=8
    )
    ignore_eos: bool = knob(False, "Ignore end of text", "Go on when the target says it is done (for measuring).")


class VerifySettings(Settings):
    """Acceptance rule (algorithms §0.2, §1.4). Relaxed acceptance changes the text and is marked lossy."""

    rule: Literal["strict", "relaxed"] = knob(
        "strict",
        "Verification",
        "strict: output equals plain decoding. relaxed: retrieved tokens may pass when the target ranks them high (lossy).",
    )
    relax_k: int = knob(
        3, "Relaxed rank", "A retrieved token passes only within the target's top k.", ge=1, le=50, step=1
    )
    relax_eps: float = knob(
        0.1,
        "Relaxed ratio",
        "… and only with at least this share of the top token's probability.",
        ge=0.0,
        le=1.0,
        step=0.01,
    )
    relax_max: int = knob(2, "Relaxed per round", "At most so many relaxed tokens in one round.", ge=0, le=64, step=1)
    relax_digits: bool = knob(False, "Relax digits", "Also let digits pass; errors in numbers then go unnoticed.")


class DraftingSettings(Settings):
    """How many draft nodes the target verifies at once. ``budget=auto`` and ``budget=N`` also set the rule."""

    budget_rule: Literal["own", "auto", "fixed"] = knob(
        "own", "Draft size", "own: the method's. auto: what pays for itself on this machine. fixed: the number below."
    )
    budget: int = knob(32, "Fixed size", "Most draft nodes with the rule fixed.", ge=0, le=128, step=1, unit="nodes")

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, data: Any) -> Any:
        if isinstance(data, dict) and "budget" in data and "budget_rule" not in data:
            if data["budget"] in ("auto", "own"):
                return {"budget_rule": data["budget"]}
            return {**data, "budget_rule": "fixed"}
        return data


class VanillaSettings(Settings):
    """Plain decoding has nothing to set."""


class PLDSettings(Settings):
    """Prompt lookup decoding (no paper; repository apoorvumang/prompt-lookup-decoding)."""

    max_ngram: int = knob(
        3,
        "Longest n-gram",
        "Look for the last n tokens, n from this down to 1.",
        provenance="code",
        ge=1,
        le=16,
        step=1,
        unit="tokens",
    )
    num_pred: int = knob(
        10,
        "Draft length",
        "Tokens copied from behind the match.",
        provenance="code",
        ge=1,
        le=64,
        step=1,
        unit="tokens",
    )


class SAMSettings(Settings):
    """SAM-Decoding (arXiv 2411.10666): suffix automaton over prompt and output, and a static corpus if loaded."""

    n_predicts: int = knob(
        40,
        "Draft length",
        "Nodes of a copied draft, the root included.",
        provenance="code",
        ge=2,
        le=128,
        step=1,
        unit="tokens",
    )
    len_threshold: int = knob(
        5,
        "Match threshold",
        "Copy only behind a match at least this long; otherwise abstain.",
        provenance="paper",
        ge=1,
        le=64,
        step=1,
        unit="tokens",
    )
    len_bias: int = knob(
        5,
        "Static bias",
        "Tokens taken off a match in the static corpus.",
        provenance="code",
        ge=0,
        le=64,
        step=1,
        unit="tokens",
    )
    auxiliary: Literal["none", "recycling", "eagle2"] = knob(
        "none", "Below the threshold", "Who drafts when no match is long enough; none abstains."
    )


class RESTSettings(Settings):
    """REST (arXiv 2311.08252): a datastore's continuations as a trie."""

    max_span: int = knob(
        16, "Longest suffix", "Look for the last n tokens, n from this …", provenance="code", ge=1, le=64, step=1
    )
    min_span: int = knob(2, "Shortest suffix", "… down to this.", provenance="code", ge=1, le=16, step=1)
    k: int = knob(5000, "Occurrences", "Places whose continuations are counted.", provenance="code", ge=1, le=50_000)
    cont_len: int = knob(10, "Continuation", "Tokens read behind each place.", provenance="code", ge=1, le=32, step=1)
    choices: int = knob(64, "Nodes", "Most frequent prefixes kept.", provenance="code", ge=1, le=128, step=1)


class RecyclingSettings(Settings):
    """Token Recycling (arXiv 2408.08696): remembered successors as a static tree."""

    tree_nodes: int = knob(
        80,
        "Tree nodes",
        "Size of the static tree (its level sizes are scaled).",
        provenance="code",
        ge=1,
        le=128,
        step=1,
    )


class ReSpecSettings(Settings):
    """ReSpec (arXiv 2511.01282): when to retrieve, what to verify."""

    lookback: int = knob(
        3,
        "Look-back",
        "Longest window of confirmed tokens whose entropies are averaged.",
        provenance="reported",
        ge=1,
        le=16,
        step=1,
        unit="tokens",
    )
    theta_entropy: float = knob(
        1.5,
        "Entropy threshold θ",
        "Retrieve when the chosen window's mean entropy is at most this.",
        provenance="reported",
        ge=0.0,
        le=12.0,
        step=0.05,
        unit="nats",
    )
    lambda_e: float = knob(
        1.0,
        "Window penalty λₑ",
        "Added as λ/k: short windows must be clearly calmer.",
        ge=0.0,
        le=4.0,
        step=0.05,
        unit="nats",
    )
    normalised: bool = knob(
        False, "Normalise entropy", "Divide entropies by ln V; θ and λₑ are then shares of the maximum."
    )
    s0: float = knob(
        0.5, "First score", "Score of a source position never tried.", provenance="reported", ge=0.0, le=1.0, step=0.05
    )
    theta_score: float = knob(
        0.5, "Score threshold", "Candidates below are dropped.", provenance="reported", ge=0.0, le=1.0, step=0.05
    )
    alpha: float = knob(0.3, "Score rate α", "Weight of the newest acceptance in a score.", ge=0.0, le=1.0, step=0.05)
    k_cand: int = knob(3, "Candidates", "Branches verified together.", provenance="reported", ge=1, le=16, step=1)
    max_draft: int = knob(
        32, "Longest branch", "A branch has this many tokens times its score.", ge=2, le=64, step=1, unit="tokens"
    )
    min_match: int = knob(2, "Shortest match", "Ignore suffix matches below this.", ge=1, le=16, step=1, unit="tokens")
    fallback: Literal["auto", "eagle2", "draft-model", "recycling", "none"] = knob(
        "auto",
        "Otherwise draft with",
        "auto: the best drafter there is for this target (its EAGLE head, else a draft model, else recycling).",
    )
    fallback_nodes: int = knob(
        32, "Fallback tree", "Nodes of the head's tree, the root included.", ge=2, le=128, step=1, unit="nodes"
    )
    fallback_depth: int = knob(6, "Fallback depth", "Levels of the head's tree.", ge=1, le=12, step=1, unit="levels")
    fallback_top_k: int = knob(8, "Fallback width", "Nodes expanded on a level, children of each.", ge=1, le=16, step=1)


class Eagle2Settings(Settings):
    """EAGLE-2 (arXiv 2406.16858): a feature head's dynamic tree, expanded and reranked by path probability."""

    total_tokens: int = knob(
        60,
        "Tree nodes",
        "Nodes verified at once, the root included.",
        provenance="code",
        ge=2,
        le=128,
        step=1,
        unit="nodes",
    )
    depth: int = knob(
        5,
        "Tree depth",
        "Levels grown; one pass of the head each.",
        provenance="code",
        ge=1,
        le=12,
        step=1,
        unit="levels",
    )
    top_k: int = knob(
        10, "Width", "Nodes expanded on a level, and children of each.", provenance="code", ge=1, le=16, step=1
    )


class RASDSettings(Settings):
    """RASD (arXiv 2503.03434): a model drafter's tree fused with a retrieval trie that its first step prunes."""

    drafter: Literal["auto", "eagle2", "draft-model"] = knob(
        "auto", "Model drafter", "auto: the target's EAGLE head, else the draft model."
    )
    prune_top_k: int = knob(
        10,
        "First-token rank",
        "Retrieved continuations stay only if their first token is within the drafter's top k.",
        ge=1,
        le=1000,
        step=1,
    )
    max_nodes: int = knob(60, "Tree nodes", "Nodes of the fused tree.", ge=2, le=128, step=1, unit="nodes")
    max_retrieval_nodes: int = knob(
        32, "Retrieved nodes", "Most of them from retrieval.", ge=0, le=128, step=1, unit="nodes"
    )
    min_match: int = knob(2, "Shortest match", "Ignore suffix matches below this.", ge=1, le=16, step=1, unit="tokens")
    cont_len: int = knob(10, "Continuation", "Tokens read behind each match.", ge=1, le=32, step=1, unit="tokens")
    tree_depth: int = knob(5, "Head's depth", "Levels of the head's tree.", ge=1, le=12, step=1, unit="levels")
    tree_top_k: int = knob(10, "Head's width", "Nodes expanded on a level, children of each.", ge=1, le=16, step=1)


class DraftModelSettings(Settings):
    """A smaller causal model with the same tokenizer drafts (arXiv 2211.17192)."""

    shape: Literal["chain", "tree"] = knob(
        "chain",
        "Draft shape",
        "chain: one guess a position. tree: expand and rerank by confidence (EAGLE-2-style, token level).",
    )
    depth: int = knob(
        5, "Draft depth", "Forward passes of the draft model each round.", ge=1, le=32, step=1, unit="tokens"
    )
    tree_top_k: int = knob(4, "Branches", "Children kept for each expanded node (tree).", ge=1, le=16, step=1)
    tree_nodes: int = knob(24, "Tree nodes", "Nodes verified at once (tree).", ge=1, le=128, step=1, unit="nodes")
    confidence_stop: float = knob(
        0.0,
        "Confidence stop",
        "End the chain below this probability; 0 never ends early.",
        ge=0.0,
        le=1.0,
        step=0.05,
    )


SHARED_GROUPS: dict[str, type[Settings]] = {
    "drafting": DraftingSettings,
    "sampling": SamplingSettings,
    "stopping": StopSettings,
    "verify": VerifySettings,
}


class RunConfig(Settings):
    """All settings of one run. ``params`` are the chosen method's own."""

    method: str
    drafting: DraftingSettings = DraftingSettings()
    sampling: SamplingSettings = SamplingSettings()
    stopping: StopSettings = StopSettings(stop=())
    verify: VerifySettings = VerifySettings()
    params: dict[str, Any] = {}


@dataclass(frozen=True)
class Knob:
    """One declared setting, as controls and help texts need it."""

    name: str
    group: str
    label: str
    help: str
    kind: Kind
    default: Any
    low: float | None
    high: float | None
    step: float | None
    choices: tuple[str, ...]
    unit: str
    provenance: str

    @property
    def badge(self) -> str:
        """Provenance as shown next to the control."""
        return PROVENANCE_LABEL[self.provenance]


KINDS: dict[Any, Kind] = {bool: "bool", int: "int", float: "float"}


def knobs(settings: type[Settings], group: str) -> Iterator[Knob]:
    """The declared settings of a class, in order; free-text fields are not knobs."""
    for name, field in settings.model_fields.items():
        extra = field.json_schema_extra
        if not isinstance(extra, dict) or "provenance" not in extra:
            continue
        choices = getattr(field.annotation, "__args__", ()) if field.annotation not in (bool, int, float) else ()
        low, high = _limits(field)
        step = extra["step"]
        yield Knob(
            name,
            group,
            field.title or name,
            field.description or "",
            KINDS.get(field.annotation, "choice"),
            field.default,
            low,
            high,
            step if isinstance(step, int | float) else None,
            tuple(choices),
            str(extra["unit"]),
            str(extra["provenance"]),
        )


def _limits(field: FieldInfo) -> tuple[float | None, float | None]:
    low = next((getattr(m, a) for m in field.metadata for a in ("ge", "gt") if hasattr(m, a)), None)
    high = next((getattr(m, a) for m in field.metadata for a in ("le", "lt") if hasattr(m, a)), None)
    return low, high


def build_config(
    method: str,
    method_settings: type[Settings],
    values: dict[str, Any],
    *,
    lenient: bool = False,
) -> RunConfig:
    """A validated :class:`RunConfig` from flat ``name: value`` pairs, each name looked up where it is declared.

    Args:
        lenient: drop names that are not declared, for settings shared by several methods.

    Raises:
        ReSpecError: for an unknown name or a value outside its range; the sentence lists what is allowed.
    """
    groups = {**SHARED_GROUPS, "params": method_settings}
    picked: dict[str, dict[str, Any]] = {group: {} for group in groups}
    for name, value in values.items():
        group = next((g for g in reversed(groups) if name in groups[g].model_fields), None)
        if group is None:
            if lenient:
                continue
            known = sorted(n for s in groups.values() for n in s.model_fields)
            raise ReSpecError(f"{method!r} has no setting {name!r}; it has: {', '.join(known)}.")
        picked[group][name] = value
    try:
        parts: dict[str, Any] = {group: cls(**picked[group]) for group, cls in groups.items()}
    except ValidationError as error:
        raise ReSpecError(_sentence(error)) from error
    parts["params"] = parts["params"].model_dump()
    return RunConfig(method=method, **parts)


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"Setting {where} = {first['input']!r} is not possible: {first['msg'][0].lower()}{first['msg'][1:]}."
