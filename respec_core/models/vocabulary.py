"""Which token ids mean the same: a fingerprint of a vocabulary. Imports no torch."""

from __future__ import annotations

import hashlib
import json


def vocabulary_fingerprint(vocabulary: dict[str, int]) -> str:
    """Hash over token strings and ids: equal fingerprints mean token ids can be exchanged."""
    ordered = sorted(vocabulary.items(), key=lambda item: item[1])
    return hashlib.sha256(json.dumps(ordered).encode()).hexdigest()[:16]
