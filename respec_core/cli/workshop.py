"""What the actions of ``train`` share: the target, its tokenizer, the texts, and where things are."""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.written_texts import Text, load_corpus
from respec_core.training.batches import trainable
from respec_core.training.card import data_facts, machine
from respec_core.training.lean import LeanLlama
from respec_core.training.optimiser import Budget
from respec_core.training.recipes import Frame
from respec_core.training.writer import Limits


@dataclass
class Workshop:
    """What the actions share: target, texts, folders."""

    args: argparse.Namespace
    network: Any
    tokenizer: Any
    target: LeanLlama
    frame: Frame

    @classmethod
    def open(cls, args: argparse.Namespace) -> Workshop:
        """Load the target."""
        torch.manual_seed(args.seed)
        folder = _folder(args.target)
        network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        name = args.dtype or ("bf16" if args.device.startswith("cuda") else "fp32")
        target = LeanLlama(network, torch.bfloat16 if name == "bf16" else torch.float32, args.device)
        eos = network.generation_config.eos_token_id
        stop = frozenset(eos if isinstance(eos, list) else [eos])
        return cls(args, network, tokenizer, target, Frame.of(tokenizer, stop))

    @property
    def limits(self) -> Limits:
        """How much is written at once."""
        return Limits(self.args.rows, self.args.cache_tokens)

    @property
    def corpus(self) -> Path:
        """Where the self-written texts are."""
        folder: Path = self.args.corpus or self.args.work / "corpus"
        return folder

    def texts(self) -> tuple[list[Text], list[Text]]:
        """Training texts and shuffled held-out ones."""
        everything = trainable(load_corpus(self.corpus), self.args.tokens)
        held_out = [t for t in everything if t.held_out]
        random.Random(0).shuffle(held_out)
        return [t for t in everything if not t.held_out], held_out

    def budget(self, which: int) -> Budget:
        """Budget of the head (1) or the diffusion drafter (2)."""
        rate = self.args.rate
        return Budget(self.args.steps, self.args.seconds[which], matrix_rate=rate, other_rate=rate / 2)

    def facts(self, texts: list[Text], module: torch.nn.Module) -> dict[str, Any]:
        """What every card says."""
        return {
            "target": Path(self.args.target).name,
            "machine": machine(self.target.device),
            "data": data_facts(texts),
            "parameters": sum(p.numel() for p in module.parameters()),
            **({"kept": self.args.keep} if self.args.start else {}),
        }

    def head(self, folder: Path) -> EagleHead:
        """A trained head, in single precision for training on it."""
        embedding = self.target.embedding.float()
        return EagleHead.load(folder, embedding, device=self.args.device)


def _folder(target: str) -> Path:
    if Path(target).is_dir():
        return Path(target)
    from respec_core.models.checkpoints import resolve  # a folder needs no registry, nor its packages

    return resolve(target)
