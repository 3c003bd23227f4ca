"""The arrays of a datastore: mapped from its folder, or held in memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from respec_core.errors import ReSpecError
from respec_core.retrieval.manifest import Manifest


@dataclass(frozen=True)
class Columns:
    """Read-only arrays, one file each on disk.

    Attributes:
        tokens: uint16 or uint32 ``[entries]``: separator, document, separator, …; see ``collecting.py``.
        ends: uint32 ``[entries]``: for each part its positions in context order, counted from the part's start.
        offsets: uint32 ``[entries]``: the character each token begins at; a separator carries its document's length.
        starts: int64 ``[documents]``: index of each document's first token.
        owners: uint32 ``[documents]``: number of the document's source in the manifest.
        places: uint32 ``[documents]``: its line or page there, 0 for the whole.
    """

    tokens: NDArray[Any]
    ends: NDArray[np.uint32]
    offsets: NDArray[np.uint32]
    starts: NDArray[np.int64]
    owners: NDArray[np.uint32]
    places: NDArray[np.uint32]

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).flags.writeable = False

    @property
    def separator(self) -> int:
        """The token between documents, above every id."""
        return int(np.iinfo(self.tokens.dtype).max)


def map_columns(folder: Path, manifest: Manifest, *, verify: bool = False) -> Columns:
    """Memory-map the data files of a store.

    Args:
        verify: also compare every file's checksum.

    Raises:
        ReSpecError: if sizes, document table or checksums do not fit the manifest.
    """
    manifest.check(folder)
    dtypes = {"tokens": "<u2" if manifest.dtype == "uint16" else "<u4", "starts": "<i8"}
    arrays: dict[str, NDArray[Any]] = {}
    for name in manifest.file_bytes():
        arrays[name] = np.asarray(np.memmap(folder / f"{name}.bin", dtypes.get(name, "<u4"), "r"))
        if verify and hashlib.sha256(arrays[name].data).hexdigest() != manifest.sha256.get(name):
            raise ReSpecError(
                f"The datastore {folder} is damaged: {name}.bin has changed since it was built; build it again."
            )
    columns = Columns(**arrays)
    starts = columns.starts
    in_order = int(starts[0]) >= 1 and int(starts[-1]) < manifest.entries and bool((np.diff(starts) > 0).all())
    if not in_order or int(columns.owners.max()) >= len(manifest.sources):
        raise ReSpecError(f"The datastore {folder} is damaged: its document table is wrong; build it again.")
    if int(columns.tokens[-1]) != columns.separator:
        raise ReSpecError(f"The datastore {folder} is damaged: its last document does not end; build it again.")
    return columns
