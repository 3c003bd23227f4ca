"""One atlas recorded by several processes, as ``accelerate launch`` starts them: prompts are dealt out, the first merges."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch

from respec_core.lab.atlas import AtlasWriter
from respec_core.lab.manifest import MANIFEST, read_manifest

PART = ".part-"  # folder of a process, beside the manifest, until all are done
Item = TypeVar("Item")


@dataclass(frozen=True)
class Share:
    """Which of several processes this is.

    Attributes:
        rank: from 0; ``local`` on this host.
        processes: how many there are.
    """

    rank: int = 0
    local: int = 0
    processes: int = 1

    @classmethod
    def here(cls) -> Share:
        """As the launcher says; alone without one."""
        if int(os.environ.get("WORLD_SIZE", "1")) < 2:
            return cls()
        from accelerate import PartialState

        state = PartialState(cpu=not torch.cuda.is_available())
        return cls(state.process_index, state.local_process_index, state.num_processes)

    def device(self, wanted: str) -> str:
        """A card for each process of a host, where nobody chose otherwise and there are cards."""
        if self.processes == 1 or wanted not in ("auto", "cuda") or not torch.cuda.is_available():
            return wanted
        return f"cuda:{self.local % torch.cuda.device_count()}"

    @property
    def first(self) -> bool:
        """Whether this one merges."""
        return self.rank == 0

    def folder(self, out: Path) -> Path:
        """Where this one records."""
        return out if self.processes == 1 else out / f"{PART}{self.rank}"

    def mine(self, items: Sequence[Item]) -> Sequence[Item]:
        """Dealt out in turn."""
        return items[self.rank :: self.processes]

    def wait(self) -> None:
        """For all others."""
        if self.processes > 1:
            from accelerate import PartialState

            PartialState().wait_for_everyone()


def parts(out: Path) -> list[Path]:
    """Folders of processes that were not merged yet."""
    return sorted(path.parent for path in out.glob(f"{PART}*/{MANIFEST}"))


def merge(writer: AtlasWriter, order: Sequence[str]) -> None:
    """Take all parts into ``writer``'s atlas, texts in the ``order`` of their ids, and remove them.

    Raises:
        ReSpecError: for a part that was recorded otherwise.
    """
    there = parts(writer.folder)
    found = {entry.id: (part, entry) for part in there for entry in read_manifest(part).texts}
    for id in order:
        if id in found and id not in writer.done:
            part, entry = found[id]
            writer.adopt(entry, (part / entry.file).read_bytes())
    for part in there:
        shutil.rmtree(part, ignore_errors=True)
