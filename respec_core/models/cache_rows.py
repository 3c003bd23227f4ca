"""Room for more rows in a key/value cache whose final length nobody knows."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor


def with_room(cache: Tensor, rows: int) -> Tensor:
    """``cache [..., held, d]`` itself if it holds ``rows``; else a copy with zeros behind, half as long again at least.

    Growing by a share of what is there keeps copying rare.
    """
    held = cache.shape[-2]
    if rows <= held:
        return cache
    return F.pad(cache, (0, 0, 0, max(rows, held + held // 2) - held))
