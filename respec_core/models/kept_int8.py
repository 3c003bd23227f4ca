"""A target's int8 form as files of the user's cache, so that it is made of the checkpoint once and opens in a moment.

One file holds what is multiplied, in int8, and is let go once it is packed; another what stays as it is (embedding,
norms), which is read from the disk where it is touched, with the model's configuration. Nothing of transformers' network
code is loaded to open them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from transformers import GenerationConfig, PreTrainedConfig

from respec_core.boundary.output import staging_folder
from respec_core.errors import ReSpecError
from respec_core.models.checkpoints import cache_root
from respec_core.models.kept_network import KeptNetwork
from respec_core.models.lean.int8 import Int8, quantised, warn_now
from respec_core.models.lean.layer import DecoderLayer
from respec_core.models.lean.network import LeanNetwork
from respec_core.models.lean.projection import Dense, Projection, RowNorm
from respec_core.models.lean.rotations import Rotations
from respec_core.models.lean.shape import Shape
from respec_core.models.lean.weights import Weights, from_network
from respec_core.models.registry import INT8
from respec_core.models.support import context_limit

if TYPE_CHECKING:
    from transformers import PreTrainedModel

VERSION = 2  # of the files; others are not looked at
PRODUCTS, REST = "products.safetensors", "rest.safetensors"
NORMS = ("attention_norm", "mlp_norm", "q_norm", "k_norm")  # of a layer; the last two where the family has them
PRODUCTS_OF_A_LAYER = ("qkv", "out", "gate_up", "down")
CONFIG, GENERATION = "config", "generation"  # in the second file's metadata, as JSON
UNREADABLE = (SafetensorError, OSError, RuntimeError, KeyError, ValueError, TypeError)


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

        weights = from_network(network, Shape.of(network.config), add, torch.float32)
        whole = staging / "whole"
        whole.mkdir()
        save_file(products, whole / PRODUCTS)
        save_file(dict(_rest(network, weights)), whole / REST, _facts(network))
        whole.replace(destination)


@dataclass(frozen=True)
class Opening:
    """What :func:`keep` wrote, on its way: every projection by its name, packed on all threads meanwhile."""

    folder: Path
    projections: Mapping[str, Future[Projection]]

    def network(self, name: str) -> tuple[KeptNetwork, LeanNetwork] | None:
        """Both of the model ``name``, or None where something cannot be read."""
        try:
            with safe_open(self.folder / REST, framework="pt") as rest:
                tensors = {key: rest.get_tensor(key) for key in rest.keys()}  # noqa: SIM118 (not a dict)
                facts = {key: json.loads(text) for key, text in (rest.metadata() or {}).items()}
            config = PreTrainedConfig.from_dict(facts[CONFIG])
            generation = GenerationConfig.from_dict(facts[GENERATION])
            kept = KeptNetwork(config, generation, tensors["embedding"], tensors.get("output"))
            shape = Shape.of(config)
            rotations = Rotations(config, context_limit(config, name), kept.device)
            return kept, LeanNetwork(shape, self._weights(tensors, shape), rotations, INT8)
        except UNREADABLE:
            return None

    def _weights(self, tensors: Mapping[str, Tensor], shape: Shape) -> Weights:
        made = {name: future.result() for name, future in self.projections.items()}
        norms = {name: RowNorm.of(tensor, shape.eps) for name, tensor in tensors.items() if name.endswith("norm")}

        def layer(name: str) -> DecoderLayer:
            parts: Any = {part: made[f"{name}.{part}"] for part in PRODUCTS_OF_A_LAYER}
            parts |= {part: norms[f"{name}.{part}"] for part in NORMS if f"{name}.{part}" in norms}
            return DecoderLayer(shape, **parts)

        layers = tuple(layer(f"layers.{i}") for i in range(shape.layers))
        return Weights(tensors["embedding"], layers, norms["norm"], made["head"])


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


def _rest(network: PreTrainedModel, weights: Weights) -> Iterator[tuple[str, Tensor]]:
    """What is no projection, and an output layer of its own, which drafters may borrow."""
    yield "embedding", weights.embedding.float()
    yield "norm", weights.norm.weight
    for i, layer in enumerate(weights.layers):
        for part in NORMS:
            if (norm := getattr(layer, part)) is not None:
                yield f"layers.{i}.{part}", norm.weight
    if not network.config.tie_word_embeddings:
        yield "output", network.get_output_embeddings().weight.detach().float()


def _facts(network: PreTrainedModel) -> dict[str, str]:
    """For a file's metadata. The configuration is whole, so that the class that knows its defaults need not be loaded."""
    return {
        CONFIG: network.config.to_json_string(use_diff=False),
        GENERATION: network.generation_config.to_json_string(use_diff=False),
    }
