"""Where the program's own data lie: beside the package in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
ASSETS = next(place for place in (_PACKAGE / "assets", _PACKAGE.parent / "assets") if place.is_dir())
