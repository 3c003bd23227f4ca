"""What a model runs on: the device, its name, and how many threads."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import torch

from respec_core.errors import ReSpecError, quoted


def device_name(device: torch.device) -> str:
    """The card's or processor's name."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def set_threads() -> None:
    """Use every core, or ``RESPEC_THREADS`` of them; torch's own guess is off inside containers.

    Raises:
        ReSpecError: if ``RESPEC_THREADS`` is no number of threads.
    """
    cores = len(os.sched_getaffinity(0))
    wanted = os.environ.get("RESPEC_THREADS") or str(cores)
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 7 and int(wanted) > 0):
        raise ReSpecError(f"RESPEC_THREADS is {wanted[:80]!r}: give a whole number from 1 to {cores}, or leave it out.")
    torch.set_num_threads(min(int(wanted), cores))


def choose_device(device: str = "auto") -> str:
    """``auto`` is CUDA where there is one.

    Raises:
        ReSpecError: for a device this machine does not have.
    """
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.split(":")[0] not in {"cpu", "cuda", "mps"}:
        raise ReSpecError(f"Device {quoted(device)} is unknown: use auto, cpu or cuda.")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ReSpecError("There is no CUDA device here: use --device cpu.")
    return device
