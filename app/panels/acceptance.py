"""How the target took the drafts of a run: by the drafter's confidence, and by depth."""

from __future__ import annotations

from typing import TypedDict

from app.panels.calibration import CalibrationView, calibration_view
from app.panels.panel import RunPanel
from app.panels.positions import PositionsView, positions_view
from respec_core.trace.schema import Run


class AcceptanceView(TypedDict):
    """By the drafter's confidence, and by depth."""

    calibration: CalibrationView | None
    positions: PositionsView | None


def acceptance_view(run: Run) -> AcceptanceView | None:
    """Both, either of which may be missing: copies have no confidence, and of plain decoding nothing was judged."""
    confidence, depths = calibration_view(run), positions_view(run)
    if confidence is None and depths is None:
        return None
    return {"calibration": confidence, "positions": depths}


PANEL = RunPanel(id="calibration", title="Calibration", tab="Acceptance", view=acceptance_view, module="calibration")
