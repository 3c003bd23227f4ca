"""``python -m respec_core datastore build --files … --out DIR [--model NAME] | info DIR``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from respec_core.errors import quoted
from respec_core.retrieval.build import build, check_destination
from respec_core.retrieval.collecting import PART_TOKENS
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.documents import MAX_FILE_BYTES
from respec_core.retrieval.manifest import Manifest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``build`` and ``info`` below ``parser``."""
    actions = parser.add_subparsers(dest="datastore_action", required=True, metavar="build|info")
    make = actions.add_parser("build", help="index documents into a new folder")
    make.add_argument(
        "--files",
        nargs="+",
        required=True,
        metavar="PATH",
        help="text, Markdown, code, JSONL, PDF files, or folders of them",
    )
    make.add_argument("--out", required=True, type=Path, metavar="DIR", help="the new datastore's folder")
    make.add_argument(
        "--model",
        default="smollm2-135m",
        metavar="NAME",
        help="whose tokenizer to use: registry name, hub id or folder (default: %(default)s)",
    )
    make.add_argument("--force", action="store_true", help="replace the datastore that is there")
    make.add_argument(
        "--max-file-mb",
        type=_positive,
        default=MAX_FILE_BYTES >> 20,
        metavar="MB",
        help="refuse larger files (default: %(default)s)",
    )
    make.add_argument(
        "--part-tokens",
        type=_positive,
        default=PART_TOKENS,
        metavar="N",
        help="sort so many tokens at once, 16 to 24 bytes of memory each (default: %(default)s)",
    )
    show = actions.add_parser("info", help="what a datastore holds")
    show.add_argument("folder", type=Path, metavar="DIR")
    show.add_argument("--json", action="store_true", help="print the manifest")
    show.add_argument("--verify", action="store_true", help="compare every file's checksum")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number above 0")
    return int(text)


def main(args: argparse.Namespace) -> int:
    """Run what :func:`add_arguments` parsed; the exit code.

    Raises:
        ReSpecError: for anything the user can put right; the caller prints it and exits with 2.
    """
    if args.datastore_action == "info":
        manifest = Datastore.open(args.folder, verify=args.verify).manifest
        print(manifest.model_dump_json(indent=1) if args.json else summary(args.folder, manifest))
        return 0
    check_destination(args.out, args.force)  # before the tokenizer is loaded, or even fetched
    from respec_core.models.encoding import load_encoder  # torch, which nothing else here needs

    encoder = load_encoder(args.model, lambda what: print(what, file=sys.stderr))
    try:
        manifest = build(
            args.files,
            args.out,
            encoder,
            model=args.model,
            force=args.force,
            max_file_bytes=args.max_file_mb << 20,
            part_tokens=args.part_tokens,
            progress=_Line(),
        )
    except KeyboardInterrupt:
        print("Interrupted: nothing was written.", file=sys.stderr)
        return 1
    print(summary(args.out, manifest))
    return 0


def summary(folder: Path, manifest: Manifest) -> str:
    """A datastore in a few lines."""
    size = sum(manifest.file_bytes().values())
    lines = [
        f"{folder}: {manifest.documents} documents from {len(manifest.sources)} files, {manifest.tokens} tokens",
        f"on disk    {size / 2**20:.1f} MB, {size / manifest.tokens:.1f} bytes a token ({manifest.dtype}, {len(manifest.parts)} part{'s' * (len(manifest.parts) > 1)})",
        f"tokenizer  {manifest.model or 'unnamed'}, fingerprint {manifest.fingerprint}, vocabulary {manifest.vocabulary}",
        f"built in   {manifest.seconds:.1f} s",
    ]
    lines += [
        f"source     {json.dumps(s.name, ensure_ascii=False)}: {s.documents} documents, {s.bytes} bytes"
        for s in manifest.sources[:20]
    ]
    if len(manifest.sources) > 20:
        lines.append(f"           and {len(manifest.sources) - 20} more files")
    return "\n".join(lines)


class _Line:
    """Progress on stderr: one line rewritten on a terminal, else a line for every tenth."""

    def __init__(self) -> None:
        self._tenth = -1

    def __call__(self, what: str, share: float) -> None:
        if sys.stderr.isatty():
            end = "\n" if share >= 1 else ""
            print(f"\r\x1b[K{share:4.0%} {what[:100]}", end=end, file=sys.stderr, flush=True)
        elif int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            print(f"{share:4.0%} {what}", file=sys.stderr)
