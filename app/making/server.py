"""A server in a process of its own, for as long as something is measured on it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from app.making.browser import free_port
from respec_core.errors import ReSpecError

ROOT = Path(__file__).parents[2]
GLANCE_SECONDS = 0.1
TIMEOUT = 300.0


@contextmanager
def serving(*command: str) -> Iterator[str]:
    """The address of a Python ``command``, which is given its port last, once it answers.

    Raises:
        ReSpecError: if it ends before.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([sys.executable, *command, str(port)], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        while not _answers(url):
            if server.poll() is not None:
                raise ReSpecError("The server ended before it answered; what it said stands above.")
            time.sleep(GLANCE_SECONDS)
        yield url
    finally:
        server.terminate()
        server.wait()


def until_loaded(url: str, replicas: int = 1) -> None:
    """Wait until so many models are there.

    Raises:
        ReSpecError: if the server has ended meanwhile.
    """
    try:
        while httpx.get(f"{url}/health", timeout=TIMEOUT).json()["replicas"]["ready"] < replicas:
            time.sleep(GLANCE_SECONDS)
    except httpx.TransportError as error:
        raise ReSpecError("The server ended while its model was loading.") from error


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=TIMEOUT).is_success
    except httpx.TransportError:
        return False
