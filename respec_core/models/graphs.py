"""Whether a target's blocks run as captured CUDA graphs: on a card, for the families of the lean forward, unless it is turned off."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import torch

from respec_core.errors import ReSpecError, quoted, reason
from respec_core.models.lean.capturing import Capturing, Launch
from respec_core.models.lean.places import Places

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel

SWITCH = "RESPEC_CUDA_GRAPHS"


def captured_places(model: LanguageModel) -> Places | None:
    """Where sessions of ``model`` run their blocks; None where these are launched kernel by kernel, which ``model.note`` explains
    if nobody asked for it.

    Raises:
        ReSpecError: if ``RESPEC_CUDA_GRAPHS`` says neither 0 nor 1.
    """
    if model.device.type != "cuda" or not wanted():
        return None
    return tried(model, partial(Capturing, model.device))


def tried(model: LanguageModel, launches: Callable[[], Launch]) -> Places | None:
    """Places of ``model``, in which a block of one token was launched; else None, and a note."""
    if model.lean is None:
        model.note = f"through transformers, without CUDA graphs: {model.why_not_lean}"
        return None
    places = Places(model.lean, launches)
    place = places.lend(1)
    try:
        with torch.inference_mode():
            place.forward([0], [0], None)[0].sum().item()
    except RuntimeError as error:  # torch's, for whatever a driver cannot do
        model.note = f"without CUDA graphs, which could not be captured: {reason(error)}"
        return None
    places.give_back(place)
    return places


def wanted() -> bool:
    """Unless ``RESPEC_CUDA_GRAPHS`` is 0.

    Raises:
        ReSpecError: if it says neither 0 nor 1.
    """
    said = os.environ.get(SWITCH) or "1"
    if said not in ("0", "1"):
        raise ReSpecError(f"{SWITCH} is {quoted(said)}: give 0 to go without CUDA graphs, or leave it out.")
    return said == "1"
