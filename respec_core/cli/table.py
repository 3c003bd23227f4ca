"""``table``: many methods on an atlas, as Markdown by kind, with intervals; resumable."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from respec_core.boundary.output import check_file, write_text
from respec_core.cli import options
from respec_core.cli.sweep import add_atlas_options, datastore_of, opened, progress_on
from respec_core.cli.variants import METHODS_HELP, PRESET
from respec_core.errors import ReSpecError, quoted

if TYPE_CHECKING:
    from respec_core.lab.atlas import Atlas
    from respec_core.lab.tables import TableRow

COUNTED, TABLE = "counts.jsonl", "table.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``table``."""
    parser.add_argument("--atlas", type=Path, required=True, metavar="DIR", help="as `respec atlas` recorded it")
    parser.add_argument(
        "--rows",
        default="all",
        metavar="METHOD,…",
        help=f"{METHODS_HELP}; all: every method at the settings of every preset (%(default)s)",
    )
    parser.add_argument("--against", metavar="ROW", help="one of the rows: also every other's figures ÷ its")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="what was counted there is kept")
    add_atlas_options(parser)
    options.add_settings_options(parser)


def main(args: argparse.Namespace) -> int:
    """Count what is not counted yet, and print the tables."""
    from respec_core.bench.log import reserved
    from respec_core.lab.sweep import chosen_texts
    from respec_core.lab.tables import CountedRuns, fill, labels_of, markdown

    labels = [*dict.fromkeys(labels_of(args.rows))]
    if not labels:
        raise ReSpecError("Give at least one method.")
    if args.against is not None and args.against not in labels:
        raise ReSpecError(f"--against {quoted(args.against)} is none of the rows: {', '.join(labels)}.")
    atlas = opened(args)
    rows = [_row(atlas, label, args) for label in labels]
    texts = chosen_texts(atlas, args.kinds.split(",") if args.kinds else ())
    with reserved(args.out):
        for name in (COUNTED, TABLE):
            check_file(args.out / name)
        kept = CountedRuns(args.out / COUNTED)
        fill(atlas, rows, texts, kept, datastore_of(args, atlas), progress_on(len(texts)))
        table = markdown(rows, texts, args.against)
        write_text(args.out / TABLE, table)
    print(table, end="")
    return 0


def _row(atlas: Atlas, label: str, args: argparse.Namespace) -> TableRow:
    """What cannot be replayed stays in the table with its reason; what is misspelt is refused."""
    from respec_core.lab.sweep import configured
    from respec_core.lab.tables import TableRow
    from respec_core.methods.registry import find_method

    name, *pairs = label.split(":")
    own = options.parse_set(pairs)
    preset = own.pop(PRESET, args.preset)
    values = {**options.values_from(args), **own}
    find_method(name).configure(values, preset)
    try:
        return TableRow(label, configured(atlas, name, values, preset))
    except ReSpecError as error:
        return TableRow(label, None, refused=str(error))
