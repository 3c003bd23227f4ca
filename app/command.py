"""The app's command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from respec_core.methods.opening import DEMO_DATASTORE, add_model_options


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of ``python app.py``."""
    parser = argparse.ArgumentParser(prog="app.py", description="ReSpec Studio in the browser.")
    add_model_options(parser, datastore=DEMO_DATASTORE)
    server = parser.add_argument_group("server")
    server.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    server.add_argument("--port", type=int, default=7860, help="(%(default)s)")
    server.add_argument("--share", action="store_true", help="also open a public link through Gradio")
    return parser.parse_args(arguments)
