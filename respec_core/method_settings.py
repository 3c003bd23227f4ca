"""Each method's own settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from respec_core.config import Settings, knob


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

    @model_validator(mode="after")
    def _shortest_is_not_longer(self) -> Self:
        if self.min_span > self.max_span:
            raise ValueError(
                f"the shortest suffix, min_span = {self.min_span}, is longer than the longest, max_span = {self.max_span}; "
                "lower one or raise the other"
            )
        return self


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


class TriggerSettings(Settings):
    """ReSpec's decisions (arXiv 2511.01282): when to retrieve, what to verify."""

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


class ReSpecSettings(TriggerSettings):
    """ReSpec (arXiv 2511.01282): its decisions, and who drafts otherwise."""

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
        "End the chain behind a token below this probability; 0 never ends early.",
        ge=0.0,
        le=1.0,
        step=0.05,
    )
