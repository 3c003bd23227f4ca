"""All knobs by name."""

from __future__ import annotations

from app.learn.knobs import floor, forward, mix, relax, size, temperature, theta, threshold

KNOBS = {module.KNOB.name: module.KNOB for module in (forward, theta, threshold, floor, size, temperature, mix, relax)}
