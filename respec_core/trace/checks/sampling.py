"""A sampled token was possible under the distribution it was drawn from."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.schema import Run


def sampling_problems(run: Run) -> Iterator[str]:
    """Tokens sampled without a probability in (0, 1]; NaN is none."""
    if run.settings.greedy:
        return
    for at, token in enumerate(run.tokens):
        if token.decided_p is None or not 0 < token.decided_p <= 1:
            yield f"token {at} was sampled with probability {token.decided_p}, which is not in (0, 1]"
