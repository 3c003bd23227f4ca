"""The end of the server: runs finish in their grace time, or hand out what they have."""

from __future__ import annotations

import signal
import threading
from time import sleep
from types import FrameType

import gradio as gr

from app.serving.line import Line

LAST_SECONDS = 10.0  # for runs to notice that they are over: a forward may take that long
DELIVERY_SECONDS = 1.0  # for the last packets to reach the browsers


def serve_until_asked(demo: gr.Blocks, line: Line, grace: float) -> None:
    """Wait for SIGTERM or SIGINT, end every run within ``grace`` seconds, then the server. A second signal ends at once.

    Raises:
        KeyboardInterrupt: at the second signal.
    """
    asked = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, ask)
    asked.wait()
    print(
        f"Stopping: {line.running} running, at most {grace:g} s more; {line.waiting} waiting, turned away.", flush=True
    )
    line.close(grace)
    line.emptied(grace + LAST_SECONDS)
    sleep(DELIVERY_SECONDS)
    demo.close(verbose=False)
