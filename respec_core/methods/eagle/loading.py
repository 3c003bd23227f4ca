"""Which EAGLE head goes with a target: the shipped one where the registry names it, or one the user gives."""

from __future__ import annotations

from pathlib import Path

import torch

from respec_core.methods.eagle.head import WEIGHTS, EagleHead
from respec_core.methods.eagle.public_checkpoints import load_public
from respec_core.models.assets import ASSETS
from respec_core.models.language_model import LanguageModel
from respec_core.models.registry import find_target


def load_head(target: LanguageModel, wanted: Path | None = None) -> EagleHead | None:
    """The head in ``wanted`` (our format or a public EAGLE checkpoint), else the one shipped for ``target``, else None.

    Raises:
        ReSpecError: if ``wanted`` holds no head, or one for another target.
    """
    folder = wanted or shipped_head(target.name)
    if folder is None:
        return None
    if wanted is not None and not (folder / WEIGHTS).is_file():
        return load_public(folder, target.network)
    return EagleHead.load(folder, target.embedding, _fast_dtype(target), str(target.embedding.device))


def shipped_head(name: str) -> Path | None:
    """Folder of the head that comes with this program for the registered target ``name``."""
    entry = find_target(name)
    folder = ASSETS / entry.drafters.get("head", "") if entry and "head" in entry.drafters else None
    return folder if folder and (folder / WEIGHTS).is_file() else None


def _fast_dtype(target: LanguageModel) -> torch.dtype:
    """bf16 where the processor multiplies it itself: half the bytes, and a draft's precision never changes the text."""
    capabilities = torch.cpu.get_capabilities()
    if target.device.type == "cpu" and (capabilities.get("avx512_bf16") or capabilities.get("amx_bf16")):
        return torch.bfloat16
    own: torch.dtype = target.network.dtype
    return own
