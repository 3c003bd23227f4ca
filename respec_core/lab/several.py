"""Texts shared by several processes of one machine; each keeps what it opens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_all_start_methods, get_context
from typing import Any, TypeVar

import torch

from respec_core.errors import ReSpecError

Given = TypeVar("Given")
Made = TypeVar("Made")
FORK = "fork"  # the processes begin with all that is loaded here
_work: Callable[[Any], Any] | None = None  # of a process that was started to share


def shared(work: Callable[[Given], Made], those: Sequence[Given], processes: int) -> Iterator[Made]:
    """``work`` of each item, in their order.

    Raises:
        ReSpecError: for several processes on a system that cannot fork.
    """
    if processes < 2 or len(those) < 2:
        yield from map(work, those)
        return
    if FORK not in get_all_start_methods():
        raise ReSpecError("Several processes need a system that can fork: leave --processes out.")
    with get_context(FORK).Pool(min(processes, len(those)), _begin, (work,)) as pool:
        yield from pool.imap(_done, those)


def _begin(work: Callable[[Any], Any]) -> None:
    global _work
    torch.set_num_threads(1)
    _work = work


def _done(item: Any) -> Any:
    assert _work is not None
    return _work(item)
