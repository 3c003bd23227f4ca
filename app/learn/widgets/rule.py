"""``rule``: the accept rule with numbers to play with: p, q, u, the residual, and a χ² that fills (arXiv 2211.17192 §2.3)."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.learn.distributions import distribution, kept_share, residual
from app.learn.widget import Fields, Runs, Widget
from respec_core.errors import ReSpecError

CRITICAL = (3.84, 5.99, 7.81, 9.49, 11.07, 12.59, 14.07)  # 5 % points of χ² with 1, 2, … degrees of freedom


class RuleFields(Fields):
    """The tokens, and what target and drafter give each."""

    tokens: str
    p: str
    q: str


class RuleView(TypedDict):
    """Distributions over tokens; ``critical`` is what χ² exceeds in one of twenty fair samples."""

    kind: Literal["rule"]
    tokens: list[str]
    p: list[float]
    q: list[float]
    residual: list[float]
    kept: float
    critical: float


def rule_view(fields: RuleFields, runs: Runs) -> RuleView:
    """The rule's numbers.

    Raises:
        ReSpecError: if tokens and probabilities do not fit together.
    """
    tokens, p, q = fields.tokens.split(), distribution(fields.p), distribution(fields.q)
    if not len(tokens) == len(p) == len(q):
        raise ReSpecError("tokens, p and q need as many entries each.")
    if any(not x for x in p):
        raise ReSpecError("p needs every token to be possible: a χ² divides by what is expected.")
    return {
        "kind": "rule",
        "tokens": tokens,
        "p": list(p),
        "q": list(q),
        "residual": list(residual(p, q)),
        "kept": kept_share(p, q),
        "critical": CRITICAL[len(p) - 2],
    }


WIDGET = Widget("rule", RuleFields, rule_view)
