"""A command started twice by accelerate, as on a machine with several cards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from socket import socket

REPOSITORY = Path(__file__).parents[2]


def in_two_processes(*command: str) -> subprocess.CompletedProcess[str]:
    """``respec COMMAND`` in two processes of one thread."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    launch = f"--multi_gpu --num_processes 2 --num_machines 1 --main_process_port {port} --mixed_precision no"
    launch += " --dynamo_backend no --num_cpu_threads_per_process 1 -m respec_core"
    words = [sys.executable, "-m", "accelerate.commands.launch", *launch.split(), *command]
    environment = {**os.environ, "RESPEC_THREADS": "1", "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
