"""Work shared by several processes, as ``accelerate launch`` starts them: items are dealt out, the first process merges."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch

PART = ".part-"  # folder of a process, below the common one, until all are done
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

        cards = torch.cuda.device_count()  # NCCL wants one for each process; gloo, which only waits, does not
        state = PartialState(cpu=cards < int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
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
        """Where this one writes."""
        return out if self.processes == 1 else out / f"{PART}{self.rank}"

    def mine(self, items: Sequence[Item]) -> Sequence[Item]:
        """Dealt out in turn."""
        return items[self.rank :: self.processes]

    def wait(self) -> None:
        """For all others."""
        if self.processes > 1:
            from accelerate import PartialState

            PartialState().wait_for_everyone()


def parts(out: Path, file: str) -> list[Path]:
    """Folders of processes that wrote ``file`` and were not merged yet."""
    return sorted(path.parent for path in out.glob(f"{PART}*/{file}"))
