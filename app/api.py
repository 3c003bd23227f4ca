"""The public endpoints: a trace, a trace round by round, and the check of one."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import gradio as gr

from app.requests import DEFAULT_METHOD, RunRequest, build_request, parse_settings
from app.runs import RoundSaid, TraceSaid, run_rounds
from app.serving.line import Line
from app.serving.turns import GLANCE_SECONDS, visitor_of
from respec_core.errors import ReSpecError
from respec_core.methods.traces import examined, parse_trace
from respec_core.settings.presets import AUTO

MAX_TRACE_MB = 16
log = logging.getLogger(__name__)


def public_endpoints(line: Line) -> None:
    """Declare ``generate_trace``, ``stream_trace`` and ``check_trace``; call inside ``gr.Blocks``."""
    _declare_generate(line)
    _declare_stream(line)
    _declare_check()


def _declare_generate(line: Line) -> None:
    def generate_trace(
        prompt: str,
        method: str = DEFAULT_METHOD,
        settings_json: str = "{}",
        max_new_tokens: int = 64,
        seed: int = 0,
        preset: str = AUTO.name,
        asker: gr.Request = None,  # type: ignore[assignment]  # Gradio's, not a parameter of the endpoint
    ) -> dict[str, Any]:
        """Decode ``prompt`` and return the whole trace (schema version 1).

        Args:
            prompt: the user's message.
            method: a method's name, such as vanilla, pld or sam.
            settings_json: further settings as a JSON object, such as {"temperature": 0.7, "len_threshold": 3}.
            max_new_tokens: upper limit of tokens to write.
            seed: same seed and settings give the same trace, unless sizes follow the clock (see preset).
            preset: what the method's settings start from: auto (sizes that pay here, by the clock), paper (the authors'),
                tuned (ours), or another of its presets.
        """
        with told("a run for the API failed"):
            settings = parse_settings(settings_json) | {"max_new_tokens": max_new_tokens, "seed": seed}
            rounds = rounds_in_turn(build_request(prompt, method, settings, preset=preset), line, asker)
            *_, trace = (said["trace"] for said in rounds if said["kind"] == "trace")
            return trace

    gr.api(generate_trace, api_name="generate_trace", concurrency_id="engine", concurrency_limit=None)


def _declare_stream(line: Line) -> None:
    def stream_trace(
        prompt: str,
        method: str = DEFAULT_METHOD,
        settings_json: str = "{}",
        max_new_tokens: int = 64,
        seed: int = 0,
        preset: str = AUTO.name,
        asker: gr.Request = None,  # type: ignore[assignment]  # Gradio's, not a parameter of the endpoint
    ) -> Iterator[dict[str, Any]]:
        """Decode ``prompt`` as generate_trace does: every round as it is committed, then the whole trace.

        A round is {"kind": "round", "round", "text", "tokens"}; the last is {"kind": "trace", "trace"}.

        Args:
            prompt: the user's message.
            method: a method's name, such as vanilla, pld or sam.
            settings_json: further settings as a JSON object.
            max_new_tokens: upper limit of tokens to write.
            seed: as for generate_trace.
            preset: as for generate_trace.
        """
        with told("a run for the API failed"):
            settings = parse_settings(settings_json) | {"max_new_tokens": max_new_tokens, "seed": seed}
            rounds = rounds_in_turn(build_request(prompt, method, settings, preset=preset), line, asker)
            yield from cast("Iterator[dict[str, Any]]", rounds)  # closed with this one: a caller may leave

    gr.api(stream_trace, api_name="stream_trace", concurrency_id="engine", concurrency_limit=None)


def _declare_check() -> None:
    def check_trace(trace_json: str) -> dict[str, Any]:
        """Check every invariant of a trace; needs no model. {"sound": true, "problems": []} where all hold.

        Args:
            trace_json: the trace as JSON text, up to 16 MB.
        """
        with told("a check for the API failed"):
            if not isinstance(trace_json, str) or len(trace_json) > MAX_TRACE_MB * 2**20:
                raise ReSpecError(f"This endpoint checks a trace as JSON text of up to {MAX_TRACE_MB} MB.")
            _, broken = examined(parse_trace(trace_json))
            return {"sound": not broken, "problems": broken}

    gr.api(check_trace, api_name="check_trace", concurrency_id="heavy", concurrency_limit=2)


def rounds_in_turn(request: RunRequest, line: Line, asker: gr.Request | None) -> Iterator[RoundSaid | TraceSaid]:
    """What :func:`app.runs.run_rounds` yields, once it is its turn.

    Raises:
        ReSpecError: if it is not taken, or cannot be run here.
    """
    line.limits.check(request.config)
    with line.place(visitor=visitor_of(asker)) as place:
        while not line.wait(place, GLANCE_SECONDS):
            pass
        if place.runner is not None:
            yield from place.runner.run(partial(run_rounds, request), lambda: line.over)


@contextmanager
def told(what: str) -> Iterator[None]:
    """Whatever is wrong reaches the caller as one sentence; ``what`` goes into the log where it was not expected."""
    try:
        yield
    except ReSpecError as error:
        raise gr.Error(str(error), print_exception=False) from error
    except Exception as error:
        log.exception(what)
        raise gr.Error("It failed unexpectedly; the server's log says why.", print_exception=False) from error
