"""Names of precisions."""

from __future__ import annotations

import torch

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def dtype_name(dtype: torch.dtype) -> str:
    """``fp32``, ``bf16`` or ``fp16``."""
    return next(name for name, known in DTYPES.items() if known == dtype)
