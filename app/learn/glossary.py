"""Words of the field in a sentence or two, with a formula where there is one, and where they come from."""

from __future__ import annotations

from typing import TypedDict


class Term(TypedDict):
    """A word: what it means, and its source."""

    name: str
    about: str
    source: str


def _term(name: str, about: str, source: str) -> tuple[str, Term]:
    return name.replace(" ", "-"), {"name": name, "about": about, "source": source}


TERMS: dict[str, Term] = dict(
    (
        _term("forward pass", "One reading of all weights. Its price hardly depends on how few tokens it reads.", "arXiv 2211.17192 §1"),
        _term("target", "The model whose text is wanted. It has the last word about every token.", "arXiv 2211.17192"),
        _term("drafter", "Whatever guesses ahead: a small model, a head, a copy of earlier text, a diffusion model.", "arXiv 2211.17192"),
        _term("strict rule", "A guess is kept if it is what the target would have written; the text stays the target's.", "arXiv 2211.17192 §2.3"),
        _term("draft tree", "Guesses with branches; each node's parent is the token before it. One path at most is accepted.", "arXiv 2305.09781"),
        _term("attention mask", "Which positions each position may read: a node sees the committed text and its ancestors.", "arXiv 2305.09781"),
        _term("residual", "max(p − q, 0) ÷ Σ max(p − q, 0): what a rejected guess is replaced from.", "arXiv 2211.17192 §2.3"),
        _term("bonus", "The target's own token behind a draft that was accepted to its end.", "arXiv 2211.17192"),
        _term("correction", "The target's own token where it rejected a guess.", "arXiv 2211.17192"),
        _term("tokens per pass", "Committed tokens ÷ target passes after the prompt; plain decoding has 1.", "arXiv 2401.07851"),
        _term("suffix automaton", "The smallest machine that reads every part of a text; grown by a word in constant time.", "Blumer et al. 1985"),
        _term("entropy", "−Σ p ln p, in nats: 0 where the next token is certain, ln V where all are equally likely.", "Shannon 1948"),
        _term("confidence", "The drafter's own probability of its guess; calibrated if as many are accepted as it says.", "arXiv 2406.16858 §3"),
        _term("lattice", "Candidates of every position side by side; a draft is a path through it.", "arXiv 2510.02358 §4"),
        _term("path search", "Score λ·ln p(diffusion) + (1 − λ)·ln p(proxy), summed along a path; the best path is the draft.", "arXiv 2510.02358 §4.2"),
    )
)  # fmt: skip
