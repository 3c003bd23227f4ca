"""A headless Chromium for what is made with the page: pictures and measures."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = "/usr/bin/chromium"
BEEN_HERE = "localStorage.setItem('respec:visited', true)"  # who is new is led to Learn
READY = "document.querySelector('#rs-run')?.disabled === false"
RUNNING = "document.querySelector('.rs-live').dataset.state === 'running'"
IDLE = "document.querySelector('.rs-live').dataset.state === 'idle'"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser; needs Chromium and the playwright package."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def free_port() -> int:
    """A port of this machine that nobody listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
