"""What an atlas says of itself. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from respec_core.boundary.limits import MAX_IDS, MAX_OUTPUT, MAX_VOCABULARY, TokenId
from respec_core.boundary.untrusted_json import parse_json, place
from respec_core.errors import ReSpecError
from respec_core.settings.run_config import RunConfig
from respec_core.trace.round import FinishReason

MANIFEST = "manifest.json"
MAX_MANIFEST = 16 * 2**20
MAX_TEXTS = 10_000
Name = Annotated[str, Field(max_length=256)]


class Entry(BaseModel):
    """A text: which prompt, and its file with the SHA-256 of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: Name
    kind: Name
    file: Annotated[str, Field(pattern=r"^[0-9]{5}\.safetensors$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    prompt_tokens: Annotated[int, Field(gt=0, le=MAX_IDS)]
    tokens: Annotated[int, Field(ge=0, le=MAX_OUTPUT)]
    finish: FinishReason


class RecordedResource(BaseModel):
    """How much was recorded of a resource, and what a replay must know of the resource itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    options: dict[str, Any]
    facts: dict[str, Any]


class AtlasManifest(BaseModel):
    """All that the texts have in common, and their list.

    ``models`` is what a trace says of them; ``tokenizer`` the fingerprint of the target's; ``config`` the settings of the
    plain decoding; ``cost_curve`` milliseconds of a forward by tokens, where it was measured; ``prompts`` what was asked,
    which another recording must share to go on with this one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    schema_version: Literal[1] = 1
    models: dict[str, dict[str, Any]]
    tokenizer: Name
    vocab_size: Annotated[int, Field(gt=0, le=MAX_VOCABULARY)]
    max_context: Annotated[int, Field(gt=0)]
    eos_ids: Annotated[tuple[TokenId, ...], Field(max_length=256)]
    config: dict[str, Any]
    resources: Annotated[dict[str, RecordedResource], Field(max_length=64)]
    cost_curve: Annotated[tuple[tuple[int, float], ...], Field(max_length=256)] = ()
    machine: dict[str, Any] = {}
    prompts: Name
    texts: Annotated[tuple[Entry, ...], Field(max_length=MAX_TEXTS)] = ()

    @property
    def settings(self) -> RunConfig:
        """Of the plain decoding."""
        return RunConfig.model_validate(self.config, strict=False)

    @property
    def target(self) -> Mapping[str, Any]:
        """What the trace says of the target."""
        return self.models["target"]

    def differing(self, other: AtlasManifest) -> list[str]:
        """Names of what must be equal in one atlas, and is not."""
        ours, theirs = (m.model_dump(mode="json", exclude={"texts", "cost_curve", "machine"}) for m in (self, other))
        return [name for name in ours if ours[name] != theirs[name]]


def read_manifest(folder: Path) -> AtlasManifest:
    """The manifest of the atlas in ``folder``.

    Raises:
        ReSpecError: if there is none, or it is damaged.
    """
    path = folder / MANIFEST
    try:
        if path.stat().st_size > MAX_MANIFEST:
            raise ReSpecError(f"{path} is larger than {MAX_MANIFEST // 2**20} MB: it is no atlas of ours.")
        text = path.read_bytes()
    except OSError as error:
        raise ReSpecError(
            f"{folder} holds no atlas ({MANIFEST}: {error.strerror}): record one with `respec atlas`."
        ) from error
    try:
        found = AtlasManifest.model_validate(parse_json(text, str(path)))
        settings, names = found.settings, found.models.get("target", {})
    except ValidationError as error:
        first = error.errors()[0]
        raise ReSpecError(f"{path} is damaged at {place(first['loc'])}: {first['msg'].lower()}.") from error
    if (
        not settings.lossless
        or not {"name", "dtype"} <= set(names)
        or len({e.file for e in found.texts}) < len(found.texts)
    ):
        raise ReSpecError(f"{path} is damaged: settings, target or files are not those of an atlas.")
    return found
