"""A causal language model as the engine sees it: its weights, its tokenizer, and loading them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from transformers.utils import logging

from respec_core.errors import ReSpecError, quoted, reason
from respec_core.models.checkpoints import resolve
from respec_core.models.collecting import leave_out_modules, uncollected
from respec_core.models.exactness import check_exactness
from respec_core.models.graphs import captured_places, keep_if_exact
from respec_core.models.hardware import choose_device, device_name, set_threads
from respec_core.models.integrity import load_whole
from respec_core.models.kept_int8 import Opening, begin_opening, keep
from respec_core.models.kept_network import KeptNetwork
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.lean.making import lean_network
from respec_core.models.lean.network import LeanNetwork
from respec_core.models.lean.place import BlockPlace
from respec_core.models.lean.placed_session import PlacedSession
from respec_core.models.lean.places import LentPlaces
from respec_core.models.lean.session import LeanSession
from respec_core.models.lean.shape import why_not_lean
from respec_core.models.precision import DTYPES, dtype_name
from respec_core.models.quantising import is_exact, may_be_int8, quantised_or_not
from respec_core.models.registry import INT8
from respec_core.models.session import Session
from respec_core.models.support import context_limit, refuse_unsupported, refuse_without_positions
from respec_core.models.tokenizer import open_tokenizer
from respec_core.models.vocabulary import vocabulary_fingerprint

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from respec_core.trace.cost_curve import CostCurve


class LanguageModel:
    """Weights and tokenizer, shared and read-only; every run opens its own :class:`Session`.

    Attributes:
        network: the transformers model, in evaluation mode; of a kept int8 form what stands for it.
        tokenizer: its tokenizer, None for a bare network in tests.
        vocab_size: one more than the largest token id that the tokenizer knows. Networks often have more rows, padding
            for the hardware, which mean no token and are never scored. Of a bare network all rows.
        max_context: most tokens a run may hold, so that the cache stays exact (:func:`context_limit`).
        eos_ids: token ids that end a text.
        int8: whether sessions run in int8 (``lean/int8.py``) whatever the network's precision.
        note: what is to be known of how it runs, if anything: one sentence.
        costs: what its forwards cost on this machine, once that is known (see ``costs.py``).
    """

    def __init__(
        self,
        network: PreTrainedModel | KeptNetwork,
        tokenizer: PreTrainedTokenizerBase | None = None,
        name: str = "model",
        origin: str = "",
        *,
        int8: bool = False,
        lean: LeanNetwork | None = None,
    ) -> None:
        config = network.config.get_text_config()
        refuse_unsupported(network.config, name)
        if lean is None:
            refuse_without_positions(network, name)
        else:
            self.lean = lean
        self.network = network.eval()
        self.int8 = int8
        self.tokenizer = tokenizer
        self.name = name
        self.origin = origin
        self.n_layers: int = config.num_hidden_layers
        known = range(config.vocab_size) if tokenizer is None else tokenizer.get_vocab().values()
        self.vocab_size: int = min(max(known) + 1, config.vocab_size)
        self._unknown = torch.tensor(sorted(set(range(self.vocab_size)).difference(known)), dtype=torch.long)
        self.max_context = context_limit(network.config, name)
        self.eos_ids = _eos_ids(network)
        self.note = ""
        self.costs: CostCurve | None = None

    @property
    def device(self) -> torch.device:
        """Where the inputs go (the first weights' device)."""
        where: torch.device = self.network.device
        return where

    @property
    def attention(self) -> str:
        """Which attention transformers chose: ``sdpa``, or ``eager`` for models with softcapping or sinks."""
        return str(self.network.config.get_text_config()._attn_implementation)

    @property
    def embedding(self) -> torch.Tensor:
        """The input embedding ``[rows, width]``, for drafters that share it."""
        return cast(torch.Tensor, self.network.get_input_embeddings().weight)

    @property
    def hardware(self) -> str:
        """The card's or processor's name."""
        return device_name(self.device)

    @property
    def dtype_name(self) -> str:
        """``fp32``, ``bf16``, ``fp16`` or ``int8``."""
        return INT8 if self.int8 else dtype_name(self.network.dtype)

    @property
    def why_not_lean(self) -> str | None:
        """Why sessions run through transformers' own forward, in a few words; None where they need not."""
        if vars(self).get("lean") is not None:  # a kept one's weights are not all in the network
            return None
        if len({parameter.device for parameter in self.network.parameters()}) > 1:
            return "it is spread over several devices"
        return why_not_lean(self.network.config)

    @cached_property
    def lean(self) -> LeanNetwork | None:
        """The lean forward over the same weights, unless there is something against it (:attr:`why_not_lean`)."""
        return None if self.why_not_lean else lean_network(self.network, self.max_context, self.dtype_name)

    @cached_property
    def places(self) -> LentPlaces[BlockPlace] | None:
        """Where sessions run their blocks as captured graphs; None where they run as they come (``graphs.py``)."""
        return captured_places(self)

    def in_int8(self) -> LanguageModel:
        """The same model with sessions in int8."""
        return LanguageModel(self.network, self.tokenizer, self.name, self.origin, int8=True)

    def describe(self) -> dict[str, Any]:
        """For the trace: its name, where the weights are from, precision, device, tokens."""
        return {
            "name": self.name,
            "weights": self.origin,
            "dtype": self.dtype_name,
            "device": self.device.type,
            "vocab_size": self.vocab_size,
        }

    def scores(self, logits: torch.Tensor) -> torch.Tensor:
        """The network's output ``[..., rows]`` as float32 ``[..., vocab_size]``; ids that are no token have −∞."""
        logits = logits[..., : self.vocab_size].float()
        if len(self._unknown):
            self._unknown = self._unknown.to(logits.device)  # once: a card would be waited for
            logits = logits.index_fill(-1, self._unknown, -torch.inf)
        return logits

    def session(self, capacity: int, layers: Sequence[int] = ()) -> Session | LeanSession:
        """A fresh sequence with room for ``capacity`` tokens; ``layers`` are the hidden states to hand out."""
        if self.places is not None:
            return PlacedSession(self, self.places, capacity, layers)
        if self.lean is not None:
            return LeanSession(self, self.lean, self.lean.cache(capacity), layers)
        return Session(self, capacity, layers)

    def tokenizer_fingerprint(self) -> str:
        """Hash over the vocabulary: equal fingerprints mean token ids can be exchanged."""
        if self.tokenizer is None:
            return f"bare-{self.vocab_size}"
        return vocabulary_fingerprint(self.tokenizer.get_vocab())


def _eos_ids(network: PreTrainedModel | KeptNetwork) -> frozenset[int]:
    for config in (network.generation_config, network.config):
        eos = getattr(config, "eos_token_id", None)
        if eos is not None:
            return frozenset(eos if isinstance(eos, list) else [eos])
    return frozenset()


def load_model(
    model: str,
    device: str = "auto",
    dtype: str = "auto",
    *,
    trust_remote_code: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> LanguageModel:
    """Resolve, load and check a model.

    Args:
        model: registry name, hub id, local folder or GGUF file.
        device: ``auto``, ``cpu``, ``cuda``.
        dtype: ``auto`` (bf16 on CUDA; on a CPU int8 for the families of the lean forward, fp32 for others), ``fp32``,
            ``bf16``, ``fp16``; ``int8`` on a CPU, fp32 where it is not exact (``quantising.py``).

    Raises:
        ReSpecError: if it cannot be found or loaded, or its cache cannot be rolled back exactly.
    """
    if dtype not in ("auto", *DTYPES, INT8):
        raise ReSpecError(f"dtype {quoted(dtype)} is unknown: use auto, {', '.join((*DTYPES, INT8))}.")
    device = choose_device(device)
    if dtype == INT8 and device != "cpu":
        raise ReSpecError("int8 runs on the processor: use --device cpu, or another --dtype.")
    set_threads()
    logging.disable_progress_bar()
    leave_out_modules()
    path = resolve(model, progress)
    progress(f"loading {model} ({device})")
    try:
        return _opened(path, model, device, dtype, trust_remote_code, progress)
    except ReSpecError:
        raise
    except Exception as error:
        raise ReSpecError(f"{model} could not be loaded: {reason(error)}") from error


@uncollected()
def _opened(
    path: Path, name: str, device: str, dtype: str, trust_remote_code: bool, progress: Callable[[str], None]
) -> LanguageModel:
    """What lies in ``path``."""
    may_be_kept = dtype == INT8 or (dtype == "auto" and device == "cpu" and processor_has_it())
    opening = begin_opening(path) if may_be_kept else None  # goes on while the tokenizer is read
    tokenizer = open_tokenizer(path, trust_remote_code=trust_remote_code)
    if kept := _kept(opening, path, tokenizer, name, progress):
        return kept
    from transformers import AutoConfig, AutoModelForCausalLM  # a second and 80 MB, which a kept model does without

    config = AutoConfig.from_pretrained(path, trust_remote_code=trust_remote_code)
    refuse_unsupported(config, name)
    wants_int8 = dtype == INT8 or (dtype == "auto" and device == "cpu" and may_be_int8(config))
    network = load_whole(
        AutoModelForCausalLM.from_pretrained,
        path,
        name,
        config=config,
        dtype=DTYPES.get(dtype, torch.bfloat16 if device.startswith("cuda") else torch.float32),
        device_map="auto" if device == "cuda" else {"": device},  # accelerate spreads what one card cannot hold
        trust_remote_code=trust_remote_code,
    )
    loaded = _proved(LanguageModel(network, tokenizer, name, _origin(path)), wants_int8, progress)
    if loaded.int8:
        keep(path, network)
        kept = _kept(begin_opening(path), path, tokenizer, name, progress)
        return kept or loaded  # which lets the fp32 weights go
    return loaded


def _proved(model: LanguageModel, wants_int8: bool, progress: Callable[[str], None]) -> LanguageModel:
    """``model``, exact or refused, in int8 where that is wanted and exact; a note says where it runs otherwise."""
    keep_if_exact(model)
    check_exactness(model)
    if wants_int8:
        return quantised_or_not(model, progress)
    if model.why_not_lean:
        model.note = f"through transformers' own forward: {model.why_not_lean}"
        progress(model.note)
    return model


def _kept(
    opening: Opening | None, path: Path, tokenizer: Any, name: str, progress: Callable[[str], None]
) -> LanguageModel | None:
    """The int8 form of an earlier start, if it can be read and is exact here."""
    if not (opening and (found := opening.network(name))):
        return None
    network, lean = found
    model = LanguageModel(network, tokenizer, name, _origin(path), int8=True, lean=lean)
    return model if is_exact(model, progress) else None


def _origin(path: Path) -> str:
    with suppress(OSError, ValueError, KeyError, TypeError):  # a note; a damaged one is as good as none
        return str(json.loads((path / "origin.json").read_text())["origin"])
    return path.name
