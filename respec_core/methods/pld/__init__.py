"""Prompt lookup. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.pld.settings import PLDSettings

FAMILY = Family(
    "pld",
    (
        Method(
            "pld",
            "Prompt lookup",
            "apoorvumang/prompt-lookup-decoding",
            "Copy what followed an earlier occurrence of the last few tokens.",
            PLDSettings,
            "respec_core.methods.pld.drafter:build",
        ),
    ),
)
