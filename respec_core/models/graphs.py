"""Whether blocks run as captured CUDA graphs: on a card, for the families of the lean forward, where the operator asks for it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from respec_core.errors import ReSpecError, quoted
from respec_core.models.exactness import check_exactness
from respec_core.models.lean.capturing import Capturing
from respec_core.models.lean.launching import Launch, Launches
from respec_core.models.lean.place import BlockPlace
from respec_core.models.lean.places import LentPlaces

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel

SWITCH = "RESPEC_CUDA_GRAPHS"
log = logging.getLogger(__name__)


def captured_places(model: LanguageModel) -> LentPlaces[BlockPlace] | None:
    """Where sessions of ``model`` run their blocks as graphs; None where these are launched kernel by kernel.

    Raises:
        ReSpecError: if ``RESPEC_CUDA_GRAPHS`` says neither 0 nor 1.
    """
    launch = capturing(model)
    return None if launch is None or model.lean is None else places_of(model, launch)


def places_of(model: LanguageModel, launch: Callable[[], Launch]) -> LentPlaces[BlockPlace]:
    """Places over the lean forward of ``model``; ``launch`` as of :class:`~respec_core.models.lean.launching.Launches`."""
    network = model.lean
    assert network is not None
    launches = launches_of(model, launch)
    return LentPlaces(lambda rows: BlockPlace(network, rows, launches))


def launches_of(model: LanguageModel, launch: Callable[[], Launch], what: str = "") -> Launches:
    """Launches that tell ``model`` what cannot be launched, of ``what``."""
    return Launches(launch, lambda why: _remark(model, f"{what}{why}"))


def capturing(model: LanguageModel) -> Callable[[], Launch] | None:
    """What captures on the card of ``model``; None where there is none, or nobody asked for it.

    Raises:
        ReSpecError: if ``RESPEC_CUDA_GRAPHS`` says neither 0 nor 1.
    """
    return partial(Capturing, model.device) if model.device.type == "cuda" and wanted() else None


def keep_if_exact(model: LanguageModel) -> None:
    """Do without graphs where they give other logits than plain decoding, which ``model.note`` then says."""
    if model.places is not None:
        try:
            check_exactness(model)
        except ReSpecError as error:
            model.places = None
            _remark(model, f"without CUDA graphs: {error}")


def wanted() -> bool:
    """Whether ``RESPEC_CUDA_GRAPHS`` is 1.

    Raises:
        ReSpecError: if it says neither 0 nor 1.
    """
    said = os.environ.get(SWITCH) or "0"
    if said not in ("0", "1"):
        raise ReSpecError(f"{SWITCH} is {quoted(said)}: give 1 for CUDA graphs, 0 or nothing to go without.")
    return said == "1"


def _remark(model: LanguageModel, text: str) -> None:
    log.warning("%s: %s", model.name, text)
    model.note = "; ".join(part for part in (model.note, text) if part)
