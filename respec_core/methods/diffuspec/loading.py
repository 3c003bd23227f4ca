"""Which diffusion drafter goes with a target: the one shipped beside its EAGLE head, or a public model the user names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from respec_core.errors import ReSpecError, reason
from respec_core.methods.diffuspec.block import BlockDiffusion
from respec_core.methods.diffuspec.block_network import WEIGHTS, BlockDrafter
from respec_core.methods.diffuspec.denoiser import DiffusionModel
from respec_core.methods.diffuspec.markov_head import WEIGHTS as MARKOV_WEIGHTS
from respec_core.methods.diffuspec.markov_head import MarkovHead
from respec_core.methods.diffuspec.masked import MaskedDiffusion, sayable_ids
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.loading import named_folder, shipped_head
from respec_core.methods.opening import ModelChoice
from respec_core.methods.resources import Models
from respec_core.models.checkpoints import Progress, resolve
from respec_core.models.integrity import load_whole
from respec_core.models.language_model import LanguageModel
from respec_core.models.lean.rough import roughly
from respec_core.models.tokenizer import open_tokenizer

SHIFTED_TYPES = frozenset({"dream"})  # config.model_type of those whose row j predicts position j + 1
DEFAULT_WINDOW = 2048
CORPUS = "corpus"  # folder of the training texts beside the weights


def open_diffusion(choice: ModelChoice, models: Models, progress: Progress) -> DiffusionModel | None:
    """The diffusion model that ``choice`` names, else the block drafter beside the head, else None.

    Raises:
        ReSpecError: if what is named cannot be loaded or does not share the target's tokenizer.
    """
    return load_diffusion(
        models.target,
        models.get(EagleHead),
        named_folder(choice, progress),
        choice.beside.get("diffusion"),
        trust_remote_code=choice.trust_remote_code,
    )


def load_diffusion(
    target: LanguageModel,
    head: EagleHead | None = None,
    head_folder: Path | None = None,
    wanted: str | None = None,
    *,
    trust_remote_code: bool = False,
) -> DiffusionModel | None:
    """The diffusion model ``wanted`` (hub id or folder), else the block drafter beside the head, else None.

    Args:
        head_folder: where ``head`` came from, None for the shipped one.

    Raises:
        ReSpecError: if ``wanted`` cannot be loaded or does not share the target's tokenizer.
    """
    if wanted:
        return load_masked(target, wanted, trust_remote_code=trust_remote_code)
    folder = head_folder or shipped_head(target.name)
    if head is None or folder is None or not (folder / WEIGHTS).is_file():
        return None
    drafter = BlockDrafter.load(folder, head.dtype, str(head.device))
    drafter.check_fits(head, folder / WEIGHTS)
    if head.is_rough:
        roughly(drafter)
    markov = MarkovHead.load(folder, drafter, str(head.device)) if (folder / MARKOV_WEIGHTS).is_file() else None
    return BlockDiffusion(drafter, head, folder / CORPUS, markov)


def load_masked(target: LanguageModel, model: str, *, trust_remote_code: bool = False) -> MaskedDiffusion:
    """A public masked diffusion model as a drafter of ``target``.

    Raises:
        ReSpecError: if it cannot be loaded, has no mask token, or does not share the target's tokenizer.
    """
    # Slow, and seldom wanted.
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM

    path = resolve(model)
    try:
        config = AutoConfig.from_pretrained(path, trust_remote_code=trust_remote_code)
        tokenizer = open_tokenizer(path, trust_remote_code=trust_remote_code)
        own = getattr(config, "auto_map", None) or {}
        named = (cls for cls in (AutoModelForMaskedLM, AutoModel, AutoModelForCausalLM) if cls.__name__ in own)
        loader = next(named, AutoModelForMaskedLM)
        network = load_whole(
            loader.from_pretrained,
            path,
            model,
            config=config,
            dtype=target.network.dtype,
            trust_remote_code=trust_remote_code,
        )
    except ReSpecError:
        raise
    except Exception as error:
        raise ReSpecError(f"{model} could not be loaded: {reason(error)}") from error
    network.to(target.device)
    network = network.eval().requires_grad_(False)
    return MaskedDiffusion(
        network,
        mask_id=_mask_id(config, tokenizer, model),
        shifted=str(getattr(config, "model_type", "")).lower() in SHIFTED_TYPES,
        sayable=_sayable(target, tokenizer, config, model),
        window=int(getattr(config, "max_position_embeddings", None) or DEFAULT_WINDOW),
        name=model,
    )


def _mask_id(config: Any, tokenizer: Any, name: str) -> int:
    found = getattr(config, "mask_token_id", None)
    found = tokenizer.mask_token_id if found is None else found
    if found is None:
        raise ReSpecError(f"{name} names no mask token in its config or tokenizer: it is not a masked diffusion model.")
    return int(found)


def _sayable(target: LanguageModel, tokenizer: Any, config: Any, name: str) -> torch.Tensor:
    if target.tokenizer is None:
        raise ReSpecError(f"{name} cannot be checked against {target.name}, which has no tokenizer.")
    added = frozenset(target.tokenizer.get_added_vocab().values()) | frozenset(tokenizer.get_added_vocab().values())
    ours, theirs = target.tokenizer.get_vocab(), tokenizer.get_vocab()
    rows = min(int(config.vocab_size), target.vocab_size)
    same = sayable_ids(ours, theirs, added, rows, name, target.name)
    mask = _mask_id(config, tokenizer, name)
    same[mask : mask + 1] = False
    return same
