"""An atlas on disk: ``manifest.json`` and one safetensors file a prompt; written text by text, read with distrust."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from respec_core.boundary.output import check_file, write_bytes, write_text
from respec_core.errors import ReSpecError, reason
from respec_core.lab.manifest import MANIFEST, AtlasManifest, Entry, RecordedResource, read_manifest
from respec_core.lab.recorded_models import RecordedTarget, Stage, staged
from respec_core.lab.recorded_text import RecordedText
from respec_core.lab.recording import Options, recordable, recording_of
from respec_core.methods.registry import RESOURCES
from respec_core.methods.resources import Beside, Models
from respec_core.settings.declaring import Settings
from respec_core.settings.run_config import RunConfig
from respec_core.trace.cost_curve import recorded_curve

MAX_FILE = 2**30  # of one text


class AtlasWriter:
    """An atlas that grows by one text at a time, each whole before the manifest names it.

    Args:
        folder: reserved for this process.
        manifest: without texts.
        resume: go on with what is there.

    Raises:
        ReSpecError: if another atlas is there, or this one and ``resume`` is false.
    """

    def __init__(self, folder: Path, manifest: AtlasManifest, *, resume: bool = False) -> None:
        self.folder, self.manifest = folder, manifest
        check_file(folder / MANIFEST)
        if not (folder / MANIFEST).exists():
            return
        if not resume:
            raise ReSpecError(f"{folder} holds an atlas: continue it with --resume or give another --out.")
        earlier = read_manifest(folder)
        if differing := manifest.differing(earlier):
            raise ReSpecError(f"{folder} was recorded with other {', '.join(differing)}: give another --out.")
        self.manifest = earlier

    @property
    def done(self) -> Collection[str]:
        """Ids of the texts that are in it."""
        return {entry.id for entry in self.manifest.texts}

    def add(self, id: str, kind: str, text: RecordedText) -> None:
        """Write a text."""
        data = save(text.arrays())
        entry = Entry(
            id=id,
            kind=kind,
            file=self._next,
            sha256=sha256(data).hexdigest(),
            prompt_tokens=len(text.prompt_ids),
            tokens=len(text),
            finish=text.finish,
        )
        self.adopt(entry, data)

    def adopt(self, entry: Entry, data: bytes) -> None:
        """Write a text that was recorded already; its file is named anew."""
        entry = entry.model_copy(update={"file": self._next})
        write_bytes(self.folder / entry.file, data)
        self.manifest = self.manifest.model_copy(update={"texts": (*self.manifest.texts, entry)})
        self.flush()

    @property
    def _next(self) -> str:
        return f"{len(self.manifest.texts):05d}.safetensors"

    def flush(self) -> None:
        """Write the manifest."""
        write_text(self.folder / MANIFEST, self.manifest.model_dump_json(indent=1))


def manifest_of(models: Models, config: RunConfig, options: Options, prompts: str) -> AtlasManifest:
    """The manifest of an atlas without texts yet.

    Args:
        config: of the plain decoding.
        options: how much is recorded, by the resource's name.
        prompts: a digest of what is asked.
    """
    target, known = models.target, recordable(models)
    resources = {
        resource.name: RecordedResource(
            options=options[resource.name].model_dump(mode="json"),
            facts=known[resource.name].facts(models.loaded(resource)),
        )
        for resource in RESOURCES
        if resource.name in options
    }
    return AtlasManifest(
        models=models.describe(),
        tokenizer=target.tokenizer_fingerprint(),
        vocab_size=target.vocab_size,
        max_context=target.max_context,
        eos_ids=tuple(sorted(target.eos_ids)),
        config=config.model_dump(mode="json"),
        resources=resources,
        cost_curve=target.costs.points if target.costs else (),
        machine={"device": target.hardware, "threads": torch.get_num_threads(), "torch": torch.__version__},
        prompts=prompts,
    )


@dataclass(frozen=True)
class Atlas:
    """An atlas that is read.

    Attributes:
        options: how much was recorded, by the resource's name.
    """

    folder: Path
    manifest: AtlasManifest
    options: Mapping[str, Settings]
    target: RecordedTarget

    @classmethod
    def open(cls, folder: Path) -> Atlas:
        """The atlas in ``folder``; its texts are read as they are asked for.

        Raises:
            ReSpecError: if there is none, it is damaged, or holds what cannot be replayed here.
        """
        manifest = read_manifest(folder)
        options: dict[str, Settings] = {}
        for name, recorded in manifest.resources.items():
            resource = next((resource for resource in RESOURCES if resource.name == name), None)
            recording = recording_of(resource) if resource else None
            if recording is None:
                raise ReSpecError(f"{folder} holds a recorded {name}, which nothing here can read.")
            try:
                options[name] = recording.options.model_validate_json(json.dumps(recorded.options))
            except ValidationError as error:
                raise ReSpecError(f"{folder / MANIFEST} is damaged: {name} was recorded otherwise.") from error
        target = RecordedTarget(
            str(manifest.target["name"]),
            manifest.vocab_size,
            manifest.max_context,
            frozenset(manifest.eos_ids),
            recorded_curve(manifest.cost_curve),
        )
        return cls(folder, manifest, options, target)

    def stage(self, entry: Entry, live: Beside | None = None) -> Stage:
        """A text, ready for replays.

        Args:
            live: a datastore to search.

        Raises:
            ReSpecError: if its file is missing, damaged, or not the one that the manifest means.
        """
        path = self.folder / entry.file
        facts = {name: recorded.facts for name, recorded in self.manifest.resources.items()}
        try:
            text = RecordedText.of(_arrays(path, entry), entry.finish, self.manifest.vocab_size)
            if (len(text.prompt_ids), len(text)) != (entry.prompt_tokens, entry.tokens):
                raise ReSpecError("it holds another text than the manifest says")
            return staged(text, self.target, self.options, facts, live)
        except ReSpecError as error:
            raise ReSpecError(f"{path} is damaged: {error}; record the atlas anew.") from error


def _arrays(path: Path, entry: Entry) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_FILE:
            raise ReSpecError(f"it is larger than {MAX_FILE // 2**20} MB")
        data = path.read_bytes()
    except OSError as error:
        raise ReSpecError(f"it cannot be read ({error.strerror})") from error
    if sha256(data).hexdigest() != entry.sha256:
        raise ReSpecError("its checksum is not the manifest's")
    try:
        return load(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ReSpecError(f"it is no safetensors file ({reason(error)})") from error
