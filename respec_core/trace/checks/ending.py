"""Where a run ended, and that it did not go on behind a stop."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.checks.reading import Reading


def ending_problems(reading: Reading) -> Iterator[str]:
    """A finish reason that ids, text and settings contradict."""
    run, stopping = reading.run, reading.config.stopping
    reason, written = run.finish_reason, len(run.output_ids)
    last = run.steps[-1].commit.stopped if run.steps else None
    if reason != "cancelled" and run.steps and last != reason:
        yield f"the run finished by {reason} but its last round says {last}"
    if not run.steps and reason in ("eos", "stop"):
        yield f"the run finished by {reason} without a token"
    reason = last or reason  # a run may be cancelled behind its last round
    if written > stopping.max_new_tokens:
        yield f"{written} tokens are more than max_new_tokens {stopping.max_new_tokens}"
    if reason == "length" and written != stopping.max_new_tokens:
        yield f"finished by length at {written} tokens, not max_new_tokens {stopping.max_new_tokens}"
    if reason != "length" and written == stopping.max_new_tokens and reason == "cancelled" and run.steps:
        yield "the last round reached max_new_tokens without saying so"
    yield from _end_of_text(reading, reason)
    yield from _stop_strings(reading, reason)


def _end_of_text(reading: Reading, reason: str) -> Iterator[str]:
    ids = reading.run.output_ids
    if reading.config.stopping.ignore_eos:
        if reason == "eos":
            yield "finished by an end of text although it is ignored"
        return
    before = ids[:-1] if reason == "eos" else ids
    if reading.ends.intersection(before):
        yield "the run went on behind an end of text"
    if reason == "eos" and reading.run.tokens and ids[-1] not in reading.ends:
        yield "finished by end of text, but the last token is none"


def _stop_strings(reading: Reading, reason: str) -> Iterator[str]:
    tokens, stops = reading.run.tokens, [stop for stop in reading.config.stopping.stop if stop]
    before = "".join(token.text for token in tokens[:-1])
    if any(stop in before for stop in stops):
        yield "the run went on behind a stop string"
    if reason == "stop":
        hit = tokens[-1].piece in stops or any(stop in reading.run.output_text for stop in stops)
        if not hit:
            yield "finished by a stop string that is not there"
