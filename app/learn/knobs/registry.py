"""All knobs by name."""

from __future__ import annotations

from app.learn.knobs import floor, forward, mix, relax, size, temperature, theta, threshold, width

KNOBS = {
    module.KNOB.name: module.KNOB for module in (forward, theta, threshold, floor, width, size, temperature, mix, relax)
}
