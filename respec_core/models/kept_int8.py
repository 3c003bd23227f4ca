"""A target's int8 form as files of the user's cache, so that it is made of the checkpoint once and opens in a moment.

One file holds what is multiplied, in int8, and is let go once it is packed; another what stays as it is (embedding,
norms), which is read from the disk where it is touched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from transformers import AutoModelForCausalLM, GenerationConfig, PreTrainedModel

from respec_core.boundary.output import staging_folder
from respec_core.errors import ReSpecError
from respec_core.models.checkpoints import cache_root
from respec_core.models.lean.int8 import Int8, quantised, warn_now
from respec_core.models.lean.making import lean_from
from respec_core.models.lean.network import LeanNetwork
from respec_core.models.lean.projection import Dense, Projection
from respec_core.models.lean.shape import Shape
from respec_core.models.lean.weights import from_network

VERSION = 1  # of the files; others are not looked at
PRODUCTS, REST = "products.safetensors", "rest.safetensors"
UNREADABLE = (SafetensorError, OSError, RuntimeError, KeyError)


def keep(path: Path, network: PreTrainedModel) -> None:
    """Write the int8 form of ``network``, which was read from ``path``; where the cache cannot be written nothing is."""
    destination = kept_folder(path)
    with suppress(ReSpecError, OSError, SafetensorError), staging_folder(destination) as staging:
        products: dict[str, Tensor] = {}

        def add(name: str, weight: Tensor, bias: Tensor | None) -> Projection:
            products[f"{name}.weight"], products[f"{name}.scale"] = quantised(weight)
            if bias is not None:
                products[f"{name}.bias"] = bias.float()
            return Dense(weight, bias)  # a form that nobody multiplies with

        from_network(network, Shape.of(network.config), add)
        whole = staging / "whole"
        whole.mkdir()
        save_file(products, whole / PRODUCTS)
        save_file(dict(_rest(network)), whole / REST)
        whole.replace(destination)


@dataclass(frozen=True)
class Opening:
    """What :func:`keep` wrote, on its way: every projection by its name, packed on all threads meanwhile."""

    folder: Path
    projections: Mapping[str, Future[Projection]]

    def network(self, path: Path, config: Any, limit: int) -> tuple[PreTrainedModel, LeanNetwork] | None:
        """The lean network, and a transformers network that has no projections; None where something cannot be read.

        Args:
            path: of the checkpoint.
            limit: most tokens a run may hold.
        """
        try:
            with safe_open(self.folder / REST, framework="pt") as rest:
                network = _without_projections(path, config, {name: rest.get_tensor(name) for name in rest.keys()})  # noqa: SIM118
            return network, lean_from(network, limit, lambda name, weight, bias: self.projections[name].result())
        except UNREADABLE:
            return None


def begin_opening(path: Path) -> Opening | None:
    """Start on what :func:`keep` wrote for the checkpoint in ``path``; None if there is nothing."""
    folder = kept_folder(path)
    try:
        products: Any = safe_open(folder / PRODUCTS, framework="pt")
        names = set(products.keys())
    except UNREADABLE:
        return None

    def made(name: str) -> Projection:
        offset = products.get_tensor(f"{name}.bias").clone() if f"{name}.bias" in names else None
        return Int8(products.get_tensor(f"{name}.weight"), products.get_tensor(f"{name}.scale"), offset)

    warn_now()
    pool = ThreadPoolExecutor(torch.get_num_threads())  # packing is most of opening a model
    wanted = sorted(name.removesuffix(".weight") for name in names if name.endswith(".weight"))
    projections = {name: pool.submit(made, name) for name in wanted}
    pool.shutdown(wait=False)
    return Opening(folder, projections)


def kept_folder(path: Path) -> Path:
    """Where the int8 form of the checkpoint in ``path`` lies; another place when a file of it changes.

    Raises:
        ReSpecError: where the user has no home folder.
    """
    files = sorted([*path.glob("*.safetensors"), path / "config.json"])
    marks = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    key = json.dumps([VERSION, str(path.resolve()), marks])
    return cache_root() / "int8" / hashlib.sha256(key.encode()).hexdigest()[:16]


def _rest(network: PreTrainedModel) -> Iterator[tuple[str, Tensor]]:
    """What is no projection by its name in the network, and an output layer of its own, which drafters may borrow."""
    state = network.state_dict()
    for name, tensor in state.items():
        own_head = name == "lm_head.weight" and not network.config.tie_word_embeddings
        if "embed_tokens" in name or "norm" in name or own_head:
            yield name, tensor.contiguous()


def _without_projections(path: Path, config: Any, rest: dict[str, Tensor]) -> PreTrainedModel:
    with torch.device("meta"):
        network: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    network.load_state_dict(rest, strict=False, assign=True)
    if config.tie_word_embeddings:
        network.tie_weights()
    if (path / "generation_config.json").is_file():
        network.generation_config = GenerationConfig.from_pretrained(path)
    return network
