"""What forwards cost in this run: the cost curve, fitted to the forwards that the run has paid.

The curve is measured apart, behind a short text and at the machine's best. A run's own forwards see its context, and the
rest of its work in between. Two factors bring one to the other by least squares of relative errors: one of a single
token's price, one of what further tokens add to it, ``paid(n) ≈ a · c(1) + b · (c(n) − c(1))``.
"""

from __future__ import annotations

from respec_core.trace.cost_curve import LEAST_FACTOR, MOST_FACTOR, CostCurve

# Tokens, and forwards over so many that speak for the curve as it was measured. Where all that was paid has one size, what it
# took beyond the curve is further tokens' price rather than a single one's.
PRIOR = ((1, 4.0), (16, 1.0))
FORGETTING = 0.97  # weight of the past, a forward
STALL = 1.3  # a forward counts as at most so many times what was expected: what else a machine does is no price


class Prices:
    """One run's. Where every forward takes what the curve says, prices are the curve's to the last bit."""

    def __init__(self, measured: CostCurve) -> None:
        self.measured = measured
        self.curve = measured
        self.factors = (1.0, 1.0)
        shares = [(weight, *_shares(measured, size)) for size, weight in PRIOR]
        self._prior = (
            sum(w * x * x for w, x, _ in shares),
            sum(w * x * y for w, x, y in shares),
            sum(w * y * y for w, _, y in shares),
        )
        self._squares = 0.0, 0.0, 0.0  # Σ x², Σ x·y, Σ y²
        self._errors = 0.0, 0.0  # Σ x·error, Σ y·error

    def ms(self, tokens: int) -> float:
        """Milliseconds that a forward over so many tokens is expected to take now."""
        return self.curve.ms(tokens)

    def observe(self, tokens: int, ms: float) -> float:
        """Learn from a forward; returns what counts of the ``ms`` it took."""
        counted = min(max(ms, 0.0), STALL * self.ms(tokens))
        x, y = _shares(self.measured, tokens)
        error = (counted - self.measured.ms(tokens)) / self.measured.ms(tokens)
        xx, xy, yy = (FORGETTING * old for old in self._squares)
        self._squares = xx + x * x, xy + x * y, yy + y * y
        xe, ye = (FORGETTING * old for old in self._errors)
        self._errors = xe + x * error, ye + y * error
        self._fit()
        return counted

    def _fit(self) -> None:
        xx, xy, yy = (seen + prior for seen, prior in zip(self._squares, self._prior, strict=True))
        xe, ye = self._errors
        det = xx * yy - xy * xy
        if det > 0:
            beyond = (yy * xe - xy * ye) / det, (xx * ye - xy * xe) / det
        else:  # where more tokens cost nothing, they have no price to learn
            beyond = xe / xx, 0.0
        one, more = (min(max(1 + change, LEAST_FACTOR), MOST_FACTOR) for change in beyond)
        self.factors = one, more
        self.curve = self.measured.fitted(one, more)


def _shares(curve: CostCurve, tokens: int) -> tuple[float, float]:
    """What a single token's price, and what the others add, are of a forward's."""
    one = curve.ms(1) / curve.ms(tokens)
    return one, 1 - one
