"""The app's command line. A host such as Hugging Face Spaces says by Gradio's own variables where to listen."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from app.serving.limits import add_limits
from respec_core.methods.opening import add_model_options
from respec_core.methods.parts.shared import DEMO_DATASTORE


def folder(name: str) -> Path:
    """A folder that is there.

    Raises:
        ArgumentTypeError: if it is none.
    """
    if not Path(name).is_dir():
        raise argparse.ArgumentTypeError(f"{name} is no folder: give one with lessons in it")
    return Path(name)


def refuse_closed(host: str, port: int) -> None:
    """Nothing is loaded for an address that cannot be listened on.

    Raises:
        SystemExit: with code 2, after one sentence, if it is taken or none.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            if os.name == "posix":  # as the server does: what a server just stopped left behind does not count
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((address[0], port))
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        print(f"app.py: nothing can listen on {host}:{port} ({why}); give another --port or --host", file=sys.stderr)
        raise SystemExit(2) from error


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of ``python app.py``."""
    parser = argparse.ArgumentParser(prog="app.py", description="ReSpec Studio in the browser.")
    add_model_options(parser, datastore=DEMO_DATASTORE)
    parser.add_argument(
        "--lessons",
        type=folder,
        default=None,
        metavar="DIR",
        help="a folder of lessons of your own, beside those of Learn",
    )
    add_limits(parser)
    server = parser.add_argument_group("server")
    server.add_argument(
        "--host", default=os.environ.get("GRADIO_SERVER_NAME", "127.0.0.1"), help="address to listen on (%(default)s)"
    )
    server.add_argument("--port", type=int, default=os.environ.get("GRADIO_SERVER_PORT", "7860"), help="(%(default)s)")
    server.add_argument("--share", action="store_true", help="also open a public link through Gradio")
    server.add_argument("--mcp", action="store_true", help="also offer the endpoints as MCP tools, at /gradio_api/mcp/")
    options = parser.parse_args(arguments)
    if options.mcp and find_spec("mcp") is None:
        parser.error("--mcp needs one package more: python -m pip install -c constraints.txt -r requirements-mcp.txt")
    return options
