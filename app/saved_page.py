"""A trace as the file that the page's own button saves."""

from __future__ import annotations

from app.messages import packets
from app.replay import replay_page
from respec_core.trace.schema import Run


def saved_page(run: Run) -> str:
    """The HTML of a page that replays ``run`` anywhere."""
    return replay_page(next(packets(run, "saved")))
