"""One atlas recorded by several processes: what each recorded becomes one folder."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from respec_core.bench.sharing import parts
from respec_core.lab.atlas import AtlasWriter
from respec_core.lab.manifest import MANIFEST, read_manifest


def merge(writer: AtlasWriter, order: Sequence[str]) -> None:
    """Take all parts into ``writer``'s atlas, texts in the ``order`` of their ids, and remove them.

    Raises:
        ReSpecError: for a part that was recorded otherwise.
    """
    there = parts(writer.folder, MANIFEST)
    found = {entry.id: (part, entry) for part in there for entry in read_manifest(part).texts}
    for id in order:
        if id in found and id not in writer.done:
            part, entry = found[id]
            writer.adopt(entry, (part / entry.file).read_bytes())
    for part in there:
        shutil.rmtree(part, ignore_errors=True)
