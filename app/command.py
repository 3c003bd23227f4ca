"""The app's command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

DEFAULT_MODEL = "smollm2-135m"  # respec_core.target.registry's, which is not imported here: torch comes later


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of ``python app.py``."""
    parser = argparse.ArgumentParser(prog="app.py", description="ReSpec Studio in the browser.")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="registry name, hub id, folder or GGUF file")
    parser.add_argument("--draft-model", help="a smaller model with the same tokenizer")
    parser.add_argument("--head", type=Path, metavar="DIR", help="an EAGLE head for this model, if not its own")
    parser.add_argument("--datastore", type=Path, metavar="DIR", help="a datastore to retrieve from")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--dtype", default="auto", help="auto, fp32, bf16 or fp16")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--share", action="store_true", help="also open a public link through Gradio")
    parser.add_argument("--trust-remote-code", action="store_true", help="run code that a model's repository brings")
    return parser.parse_args(arguments)
