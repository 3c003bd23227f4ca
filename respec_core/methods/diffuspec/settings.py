"""DiffuSpec's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.settings.declaring import Settings, knob
from respec_core.settings.run_config import GREEDY


class DiffuSpecSettings(Settings):
    """DiffuSpec (arXiv 2510.02358): candidate lattice, causal-consistency path search, adaptive draft length."""

    shape: Literal["chain", "beams", "tree"] = knob(
        "tree",
        "Draft shape",
        "chain: the best path (the paper). beams: all of them. tree: the likeliest nodes of all.",
        line="one path through the lattice, or many",
    )
    tree_nodes: int = knob(
        32,
        "Tree nodes",
        "Nodes verified at once with the shape tree.",
        idle={"shape": ("chain", "beams")},
        ge=1,
        le=128,
        step=1,
        unit="nodes",
    )
    k_min: int = knob(
        20,
        "Shortest draft",
        "Fewest positions. A drafter that fills fewer than the longest draft shrinks both alike.",
        provenance="paper",
        ge=1,
        le=256,
        step=1,
        unit="tokens",
    )
    k_max: int = knob(
        30,
        "Longest draft",
        "Most positions, within what the drafter can fill.",
        line="how many positions are filled at once",
        provenance="paper",
        ge=1,
        le=256,
        step=1,
        unit="tokens",
    )
    sampling_rule: Literal["exact", "p/q"] = knob(
        "exact",
        "Sampling rule",
        "exact: samples follow the target. p/q: the paper's ratio test, which is biased because the path was searched, "
        "not drawn (lossy); for the shape chain. Greedy decoding needs neither.",
        idle=GREEDY,
    )
    passes: int = knob(
        1, "Refinement passes", "Passes over the positions; each decides some.", provenance="paper", ge=1, le=16, step=1
    )
    markov: bool = knob(
        False,
        "Markov head",
        "A position's guesses hang on the token before it (DSpark), so edges of the lattice have probabilities. With one "
        "pass, where the block drafter has such a head.",
        line="whether a guess knows the token before it",
    )
    m_max: int = knob(15, "Candidates", "Most at a position.", provenance="paper", ge=1, le=64, step=1)
    tau: float = knob(
        0.8,
        "Mass τ",
        "Candidates are kept up to this mass.",
        line="how much doubt a position may keep",
        provenance="paper",
        gt=0.0,
        le=1.0,
        step=0.01,
    )
    beam: int = knob(3, "Beams", "Paths kept by the search.", provenance="paper", ge=1, le=16, step=1)
    lambda_dlm: float = knob(
        0.5,
        "Weight λ",
        "The diffusion model's share of a score.",
        idle={"proxy": ("none",)},
        provenance="paper",
        ge=0.0,
        le=1.0,
        step=0.05,
    )
    length_normalised: bool = knob(
        True,
        "Normalise scores",
        "Rank paths by score ÷ length. Raw sums, the paper's, let a mere end of text win over any long path.",
    )
    proxy: Literal["corpus", "ngram", "recycling", "none"] = knob(
        "corpus",
        "Causal proxy",
        "Who judges whether tokens fit: n-grams of the drafter's corpus and this run, of this run alone, "
        "the target's last successors, nobody.",
    )
    ngram: int = knob(
        3,
        "n-gram order",
        "Of the proxy.",
        idle={"proxy": ("recycling", "none")},
        provenance="paper",
        ge=1,
        le=6,
        step=1,
        unit="tokens",
    )
    delta: float = knob(
        10.0,
        "Growth δ",
        "Added when everything was taken.",
        provenance="paper",
        ge=0.0,
        le=64.0,
        step=1.0,
        unit="tokens",
    )
    rho: float = knob(0.5, "Rate ρ", "Weight of the newest round.", provenance="paper", gt=0.0, le=1.0, step=0.05)

    @property
    def links(self) -> bool:
        """Whether positions are to hang on the token before; with further passes these decide tokens."""
        return self.markov and self.passes == 1

    @model_validator(mode="after")
    def _ratio_needs_a_chain(self) -> Self:
        if self.sampling_rule == "p/q" and self.shape != "chain":
            raise ValueError("the sampling rule p/q compares one path with the target: choose shape chain")
        return self

    @model_validator(mode="after")
    def _shortest_is_not_longer(self) -> Self:
        if self.k_min > self.k_max:
            raise ValueError(
                f"the shortest draft, k_min = {self.k_min}, is longer than the longest, k_max = {self.k_max}; "
                "lower one or raise the other"
            )
        return self


class DiffuSpecRetrievalSettings(DiffuSpecSettings, TriggerSettings):
    """DiffuSpec with ReSpec's trigger and candidates (arXiv 2510.02358, 2511.01282) in front."""
