"""The one public endpoint."""

from __future__ import annotations

import logging
from typing import Any

import gradio as gr

from app.line import Line
from app.loading import Loader
from app.requests import DEFAULT_METHOD, build_request, parse_settings
from app.runs import run_to_end
from respec_core.errors import ReSpecError
from respec_core.settings.presets import AUTO

log = logging.getLogger(__name__)


def generate_endpoint(loader: Loader, line: Line) -> None:
    """Declare ``generate_trace``; call inside ``gr.Blocks``."""

    def generate_trace(
        prompt: str,
        method: str = DEFAULT_METHOD,
        settings_json: str = "{}",
        max_new_tokens: int = 64,
        seed: int = 0,
        preset: str = AUTO.name,
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
        try:
            settings = parse_settings(settings_json) | {"max_new_tokens": max_new_tokens, "seed": seed}
            request = build_request(prompt, method, settings, preset=preset)
            with line.turn():
                return run_to_end(request, loader.models).model_dump(mode="json")
        except ReSpecError as error:
            raise gr.Error(str(error), print_exception=False) from error
        except Exception as error:
            log.exception("a run for the API failed")
            raise gr.Error("The run failed unexpectedly; the server's log says why.", print_exception=False) from error

    gr.api(generate_trace, api_name="generate_trace", concurrency_id="engine", concurrency_limit=1)
