"""What axe-core says of a page."""

from __future__ import annotations

from typing import Any

GRAVE = ("serious", "critical")


def grave(page: Any, axe: str) -> list[str]:
    """What axe finds serious or critical, each with its rule and element."""
    page.evaluate(f"{axe}; 0")
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [
        f"{rule['id']}: {node['html'][:120]}" for rule in found if rule["impact"] in GRAVE for node in rule["nodes"]
    ]
