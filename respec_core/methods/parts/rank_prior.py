"""First guess of how often the remembered successor of each rank is right; shapes static trees and ranks their nodes. Imports no numpy."""

from __future__ import annotations

TOP_K = 8
RANK_PRIOR = (0.36, 0.12, 0.07, 0.045, 0.03, 0.025, 0.02, 0.015)
