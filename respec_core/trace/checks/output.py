"""Output ids and text are what the rounds emitted, token by token."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.schema import Run


def output_problems(run: Run) -> Iterator[str]:
    """Output that is not the sum of the rounds."""
    emitted = tuple(token for step in run.steps for token in step.commit.emitted_ids)
    if emitted != run.output_ids:
        yield "output_ids are not the concatenation of the rounds' emitted_ids"
    if tuple(token.id for token in run.tokens) != run.output_ids:
        yield "tokens[] do not carry output_ids"
    text = "".join(token.text for token in run.tokens)
    if text != run.output_text:
        yield "output_text is not the concatenation of the tokens' texts"
    owners = [step.i for step in run.steps for _ in step.commit.emitted_ids]
    if [token.round for token in run.tokens] != owners:
        yield "tokens[].round do not match the rounds that emitted them"
    if [step.i for step in run.steps] != list(range(len(run.steps))):
        yield "rounds are not numbered 0, 1, 2 …"
