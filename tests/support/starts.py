"""A start of the engine in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("transformers.modeling_utils", "torch.distributed.tensor", "torch._dynamo", "sympy")
OPENED = f"""
import sys
from respec_core.methods.opening import ModelChoice, open_models
from respec_core.models.prompts import request_for
from respec_core.methods.registry import find_method
from respec_core.methods.running import complete

models = open_models(ModelChoice(sys.argv[1], device="cpu", dtype="int8"), lambda _: None)
config = find_method(sys.argv[2]).configure({{"max_new_tokens": 8}})
complete(request_for(models.target, config, "Once upon a time"), models)
print(*[name for name in {HEAVY} if name in sys.modules])
"""


def loaded_by(model: str, method: str) -> list[str]:
    """What of :data:`HEAVY` a process of its own loads to open ``model`` in int8 with its drafters and to run ``method``."""
    command = [sys.executable, "-c", OPENED, model, method]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
