"""Building a datastore folder: read, tokenise, sort, and only then give it its name.

Everything is written to a hidden folder beside the destination, which one rename turns into the datastore; a build
that ends early, for whatever reason, removes it. Memory holds one part's sort at a time, never the whole corpus.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from respec_core.boundary.checksum import checksum
from respec_core.boundary.output import check_folder, staging_folder, told, write_text
from respec_core.errors import ReSpecError
from respec_core.retrieval.collecting import PART_TOKENS, Collector
from respec_core.retrieval.context_order import sort_contexts
from respec_core.retrieval.documents import MAX_FILE_BYTES, SourceFile, list_sources, read_source
from respec_core.retrieval.encoding import Encoder
from respec_core.retrieval.manifest import MANIFEST, Manifest

#: called with what is going on and the share of the whole done, 0 … 1
ShareDone = Callable[[str, float], None]
READING_SHARE = 0.8  # of the build time, measured; the rest is sorting


def build(
    paths: Iterable[str | Path],
    out: str | Path,
    encoder: Encoder,
    *,
    model: str = "",
    force: bool = False,
    max_file_bytes: int = MAX_FILE_BYTES,
    part_tokens: int = PART_TOKENS,
    progress: ShareDone = lambda _what, _share: None,
) -> Manifest:
    """Index ``paths`` (files and folders) into the new folder ``out``.

    Args:
        model: noted in the manifest, to name it when another tokenizer is refused.
        force: replace an existing datastore at ``out``.
        part_tokens: sort so many tokens at once, rounded up to whole documents; 16 to 24 bytes of memory a token.

    Raises:
        ReSpecError: for unreadable input, nothing to index, or an ``out`` that exists.
    """
    began = time.perf_counter()
    out = Path(out)
    check_destination(out, force)
    sources = list_sources(paths, max_file_bytes)
    with told(out), staging_folder(out) as staging:
        with (staging / "tokens.bin").open("wb") as tokens, (staging / "offsets.bin").open("wb") as offsets:
            collector = Collector(encoder, tokens, offsets, part_tokens=part_tokens)
            _read(sources, collector, progress)
        for name, table in collector.tables().items():
            table.tofile(staging / f"{name}.bin")
        _sort(staging, collector, progress)
        sizes = {source.name: source.size for source in sources}
        manifest = collector.describe(sizes, seconds=time.perf_counter() - began, model=model)
        checksums = {name: checksum(staging / f"{name}.bin") for name in manifest.file_bytes()}
        manifest = manifest.model_copy(update={"sha256": checksums})
        write_text(staging / MANIFEST, manifest.model_dump_json(indent=1))
        _publish(staging, out, force)
    progress("done", 1.0)
    return manifest


def check_destination(out: Path, force: bool) -> None:
    """Raise unless a datastore may be put at ``out``.

    Raises:
        ReSpecError: if nothing can be made there, if it exists, or, with ``force``, is something else than a datastore
            (which is never deleted).
    """
    check_folder(out.parent)
    if not out.exists() and not out.is_symlink():
        return
    if not force:
        raise ReSpecError(f"{out} exists already: choose another folder, or --force to replace the datastore there.")
    if out.is_symlink() or not out.is_dir() or (any(out.iterdir()) and not (out / MANIFEST).is_file()):
        raise ReSpecError(f"{out} is not a datastore, so --force does not replace it: choose another folder.")


def _read(sources: tuple[SourceFile, ...], collector: Collector, progress: ShareDone) -> None:
    total = sum(source.size for source in sources) or 1
    passed = 0
    for source in sources:
        progress(f"reading {source.name}", READING_SHARE * passed / total)
        collector.add_source(source.name)
        read = 0
        for document in read_source(source):
            collector.add(document)
            read += len(document.text)
            if document.place and document.place % 1000 == 0:
                progress(
                    f"reading {source.name}, {document.place} so far",
                    READING_SHARE * (passed + min(read, source.size)) / total,
                )
        passed += source.size
    collector.finish()


def _sort(staging: Path, collector: Collector, progress: ShareDone) -> None:
    tokens = np.memmap(staging / "tokens.bin", collector.dtype, "r")
    with (staging / "ends.bin").open("wb") as file:
        for number, part in enumerate(collector.parts):
            share = READING_SHARE + (1 - READING_SHARE) * number / len(collector.parts)
            progress(f"sorting {part.stop - part.start} tokens, part {number + 1} of {len(collector.parts)}", share)
            sort_contexts(np.asarray(tokens[part.start : part.stop])).astype("<u4").tofile(file)


def _publish(staging: Path, out: Path, force: bool) -> None:
    check_destination(out, force)
    with staging_folder(out) as aside:
        replaced = aside / "replaced"
        if out.exists():
            out.replace(replaced)
        try:
            staging.rename(out)  # atomic; fails if somebody else has just put something there
        except OSError as error:
            if replaced.exists():
                replaced.rename(out)
            raise ReSpecError(f"{out} exists already: another build has just finished there.") from error
