"""What axe-core says of a page."""

from __future__ import annotations

from typing import Any

GRAVE = ("serious", "critical")


def grave(page: Any, axe: str, within: str = "html") -> list[str]:
    """What axe finds serious or critical in whatever a selector finds, each with its rule and element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{axe}; 0")
    found = page.evaluate("(within) => axe.run(within, { resultTypes: ['violations'] })", within)["violations"]
    return [
        f"{rule['id']}: {node['html'][:120]}" for rule in found if rule["impact"] in GRAVE for node in rule["nodes"]
    ]
