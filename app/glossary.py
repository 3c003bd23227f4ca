"""Words of the field: what each means, its formula where it has one, and where it comes from. One list for every page."""

from __future__ import annotations

from typing import TypedDict

from respec_core.trace.summary import GLOSSARY


class Term(TypedDict):
    """A word; ``formula`` is empty where there is none."""

    name: str
    about: str
    formula: str
    source: str


class Glossary(TypedDict):
    """All terms by key, and which of them a panel's title is, by the panel's id."""

    terms: dict[str, Term]
    panels: dict[str, str]


OURS = "docs/architecture.md"
COUNTED = "docs/measurements.md"
SURVEY = "arXiv 2401.07851"
SPECULATIVE = "arXiv 2211.17192"
EAGLE2 = "arXiv 2406.16858"
RESPEC = "arXiv 2511.01282"
DIFFUSPEC = "arXiv 2510.02358"


def _term(name: str, about: str, source: str, formula: str = "") -> tuple[str, Term]:
    return name.replace(" ", "-"), {"name": name, "about": about, "formula": formula, "source": source}


def _counted(name: str, about: str, source: str = COUNTED) -> tuple[str, Term]:
    """One of the run's numbers."""
    return _term(name, about, source, GLOSSARY[name])


TERMS: dict[str, Term] = dict(
    (
        _term("forward pass", "One reading of all weights. Its price hardly depends on how few tokens it reads.", f"{SPECULATIVE} §1"),
        _term("target", "The model whose text is wanted. It has the last word about every token.", SPECULATIVE),
        _term("drafter", "Whatever guesses ahead: a small model, a head, a copy of earlier text, a diffusion model.", SPECULATIVE),
        _term("strict rule", "Greedy: a guess is kept if it is the target's first choice. Sampling: with probability min(1, p ÷ q), else the residual is drawn from. Texts follow the target.", f"{SPECULATIVE} §2.3", "u ≤ p(x) ÷ q(x); greedy: x = argmax p"),
        _term("draft tree", "Guesses with branches; each node's parent is the token before it. One path at most is accepted.", "arXiv 2305.09781"),
        _term("attention mask", "Which positions each position may read: a node sees the committed text and its ancestors.", "arXiv 2305.09781"),
        _term("residual", "What a rejected guess is replaced from.", f"{SPECULATIVE} §2.3", "max(p − q, 0) ÷ Σ max(p − q, 0)"),
        _term("bonus", "The target's own token behind a draft that was accepted to its end.", SPECULATIVE),
        _term("correction", "The target's own token where it rejected a guess.", SPECULATIVE),
        _term("tokens per pass", "Committed tokens for each target pass after the prompt; plain decoding has 1.", SURVEY, "tokens ÷ target passes"),
        _term("suffix automaton", "A small state machine that reads every part of a text; a token more takes constant time on average.", "Blumer et al. 1985"),
        _term("entropy", "How uncertain the target was: 0 where the next token is certain, ln V where all are equally likely.", "Shannon 1948", "H = −Σ p ln p, in nats"),
        _term("confidence", "The drafter's own probability of its guess; calibrated if as many are accepted as it says.", f"{EAGLE2} §3", "c(path) = Π q(node)"),
        _term("lattice", "Candidates of every position side by side; a draft is a path through it.", f"{DIFFUSPEC} §4"),
        _term("path search", "What a path scores, summed along it; the best path is the draft.", f"{DIFFUSPEC} §4.2", "λ·ln p(diffusion) + (1 − λ)·ln p(proxy)"),
        _term("target probability", "How likely the target found this token, before sampling settings.", SPECULATIVE, "p(x | text before)"),
        _term("draft probability", "How likely the drafter found its guess.", SPECULATIVE, "q(x | text before)"),
        _term("rank", "The token's place among all, by the target's probability; 1 is its favourite.", SPECULATIVE),
        _term("after sampling settings", "The probability it was drawn with: temperature, top-k and top-p applied.", SPECULATIVE, "p^(1 ÷ T), cut and scaled to 1"),
        _term("path score", "How likely the drafter found the whole path to this node.", f"{EAGLE2} §3", "Σ ln q along the path"),
        _term("outcome", "Where a written token is from: an accepted draft, the target's correction or bonus, plain decoding.", OURS),
        _term("decision", "What the target made of a guess, and by which numbers.", f"{SPECULATIVE} §2.3", "u ≤ p(x) ÷ q(x); greedy: x = argmax p"),
        _term("router", "Who drafts a round, and why; a bandit asks the drafter that looks most promising by its results so far.", "arXiv 2505.15141"),
        _term("border", "An n-gram that ends the text; what followed it before is copied, and the rest of the budget is guessed.", "arXiv 2604.14885"),
        _term("shortened context", "The drafter reads the pieces of a long prompt that fit the question best; the target reads all.", "arXiv 2502.20330"),
        _term("transfer", "The target is pulled towards the drafter before it judges, which lets more pass.", "arXiv 2502.20330", "p′ ∝ p · exp(η · (q − p))"),
        _term("tool schema", "What a call may hold is known: a machine follows where the text stands in it and drafts what must come.", "arXiv 2604.13519"),
        _term("source", "Who proposed the token: the target itself, a copy, or a drafter.", OURS),
        _term("retrieval", "What followed an earlier occurrence of the last tokens is proposed again.", "arXiv 2304.04487"),
        _term("trigger", "Low entropy of the last tokens lets ReSpec retrieve: there a copy is likely to be right.", RESPEC, "min over k of H̄ₖ ≤ θ"),
        _term("time of a round", "Drafting, one forward of the target, and keeping the books; plain decoding stands beside it.", COUNTED, "× plain = tokens per pass ÷ cost of a pass"),
        _term("draft length", "How many positions are drafted: what was written before the end of text, and the mean of accepted lengths, decide.", DIFFUSPEC),
        _term("fusion", "A retrieval tree, pruned by the head's first guess, is joined with the head's own where they share a prefix.", "arXiv 2503.03434"),
        _term("lossy rule", "Tokens pass that the target did not want: more a pass, another text.", f"{RESPEC}; arXiv 2511.22972"),
        _term("copies by lineage", "How often what a place offered was accepted before, which scores the next copy from it.", RESPEC),
        _term("beside plain", "The same prompt decoded plainly: texts side by side, and what each token cost.", COUNTED),
        _term("match", "An earlier place that ends in the same tokens, with what followed it and how often.", "arXiv 2411.04975"),
        _term("race", "When each token was there, by the engine's clock; the page's drawing does not count.", COUNTED),
        _term("first difference", "Where two texts part, with what each run saw there; greedy under the strict rule, in fp32 and int8, there is none.", COUNTED),
        _term("nodes per pass", "Draft nodes that a target pass verified.", COUNTED, "draft nodes sent ÷ target passes"),
        _term("drafting share", "How much of the time went into guessing.", COUNTED, "time before the target's forwards ÷ all engine time"),
        _term("curve of a knob", "What any value of a setting would have given on the recorded texts, counted without the model.", "docs/lab.md"),
        _term("interval", "A range made so that it holds the true mean over prompts like these nineteen times in twenty.", "docs/lab.md", "bootstrap over prompts, 95 %"),
        _term("best router", "At every position the drafter that pays best, known afterwards: no rule can do better.", "docs/lab.md"),
        _term("accepted length", "Of drafts of one length, how many tokens were accepted.", "docs/lab.md"),
        _term("prediction", "What the replay counted, beside real runs of the same texts.", "docs/lab.md"),
        _term("map of two knobs", "The same count for pairs of values.", "docs/lab.md"),
        _term("pareto front", "Settings of which none is better in one figure without being worse in the other.", "docs/lab.md"),
        _term("atlas", "A record of what every drafter proposes at every position of some texts.", "docs/lab.md"),
        _counted("tokens per target pass", "How far a pass gets on average; with draft sizes that do not follow the clock it does not depend on the machine's speed.", SURVEY),
        _counted("× plain", "Whether it paid, in time."),
        _counted("tokens/s", "How fast the text came."),
        _counted("levels accepted", "How much of what was drafted was right, branches side by side counted once."),
        _counted("tree nodes accepted", "How much of what the target verified was kept."),
        _counted("accepted per pass", "How many guesses a pass kept on average."),
        _counted("trigger rate", "How often the method chose to retrieve."),
        _counted("hit rate", "How often a verified copy was worth it."),
        _counted("draft size", "How many guesses go to the target at once."),
        _counted("cost of a pass", "What a round costs beside a plain forward; a method pays if its tokens per pass are more."),
        _counted("by depth", "How acceptance falls with the depth in the draft."),
    )
)  # fmt: skip
TERMS |= {
    key: term
    for name, formula in GLOSSARY.items()
    for key, term in (_term(name, "A mean length as this project's neighbours count it.", COUNTED, formula),)
    if key not in TERMS
}
PANELS = {
    "text": "outcome",
    "why": "decision",
    "arms": "router",
    "racer": "border",
    "context": "shortened-context",
    "transfer": "transfer",
    "toolspec": "tool-schema",
    "tree": "draft-tree",
    "trees": "draft-tree",
    "entropy": "entropy",
    "retrieval": "retrieval",
    "trigger": "trigger",
    "timeline": "time-of-a-round",
    "metrics": "tokens-per-target-pass",
    "calibration": "by-depth",
    "beside-plain": "beside-plain",
    "lineages": "copies-by-lineage",
    "lossy": "lossy-rule",
    "strip": "lossy-rule",
    "adl": "draft-length",
    "depth-ranks": "by-depth",
    "suffix": "match",
    "fusion": "fusion",
    "lattice": "lattice",
    "race": "race",
    "texts": "first-difference",
    "strips": "forward-pass",
    "numbers": "tokens-per-target-pass",
    "lab-curve": "curve-of-a-knob",
    "lab-kinds": "interval",
    "lab-picture": "atlas",
    "lab-map": "map-of-two-knobs",
    "lab-front": "pareto-front",
    "lab-regret": "best-router",
    "lab-lengths": "accepted-length",
    "lab-positions": "by-depth",
    "lab-confirmed": "prediction",
    "served-positions": "by-depth",
    "served-lengths": "accepted-length",
}


def glossary() -> Glossary:
    """For the browser."""
    return {"terms": TERMS, "panels": PANELS}
