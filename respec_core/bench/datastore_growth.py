"""How build time, size and look-up time of a datastore grow: ``python -m respec_core.bench.datastore_growth``.

The text is the demo corpus, its paragraphs drawn at random with one word in twelve replaced by a word drawn by its
frequency rank (Zipf), so that there are matches of every length and no two documents are the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from respec_core.errors import ReSpecError
from respec_core.models.assets import ASSETS
from respec_core.retrieval.build import build
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.encoding import Encoder

CORPUS = ASSETS / "corpus"
DOCUMENT_CHARS = 1000
CHARS_PER_TOKEN = 4.3
QUERIES = 2000


@dataclass(frozen=True)
class Growth:
    """One row of the table; look-ups in milliseconds, each with up to 5000 continuations of 10 tokens.

    Attributes:
        tokens, documents: of the store.
        build_s, sort_s: seconds for all of the build, and for sorting alone.
        bytes: on disk.
        median_ms, p99_ms: of look-ups from contexts like the store's text; the 99th percentile in processor time, since
            on a shared machine the tail of the wall time is other programs.
        worst_ms: median for the store's most frequent token pair, where all 5000 continuations are fetched.
        first_ms: the first look-up after opening (files in the page cache, nothing mapped yet).
    """

    tokens: int
    documents: int
    build_s: float
    sort_s: float
    bytes: int
    median_ms: float
    p99_ms: float
    worst_ms: float
    first_ms: float


def mutated(chars: int, seed: int = 0) -> Iterator[str]:
    """Documents of about 1 kB, ``chars`` characters in all."""
    rng = random.Random(seed)
    text = "\n\n".join(p.read_text("utf-8") for p in sorted(CORPUS.rglob("*")) if p.suffix in {".md", ".txt", ".py"})
    paragraphs = [paragraph.split(" ") for paragraph in text.split("\n\n") if paragraph.strip()]
    ranked = [word for word, _ in Counter(word for p in paragraphs for word in p).most_common()]
    weights = np.cumsum([1 / rank for rank in range(1, len(ranked) + 1)]).tolist()
    made = 0
    while made < chars:
        document = ""
        while len(document) < DOCUMENT_CHARS:
            words = list(rng.choice(paragraphs))
            for at in range(len(words)):
                if rng.random() < 1 / 12:
                    words[at] = rng.choices(ranked, cum_weights=weights)[0]
            document += " ".join(words) + "\n\n"
        made += len(document)
        yield document


def measure(tokens: int, encoder: Encoder, folder: Path, queries: int = QUERIES) -> Growth:
    """Build a store of about ``tokens`` tokens in ``folder`` and time look-ups in it."""
    corpus, out = folder / f"{tokens}.jsonl", folder / f"{tokens}.datastore"
    with corpus.open("w", encoding="utf-8") as file:
        for document in mutated(int(tokens * CHARS_PER_TOKEN)):
            file.write(json.dumps({"text": document}, ensure_ascii=False) + "\n")
    stamps: list[tuple[str, float]] = []
    manifest = build([corpus], out, encoder, progress=lambda what, _: stamps.append((what, time.perf_counter())))
    sort_s = sum(b[1] - a[1] for a, b in pairwise(stamps) if a[0].startswith("sorting"))
    store = Datastore.open(out, encoder.fingerprint)
    asked = np.concatenate([e.ids for e in encoder.encode(list(mutated(40_000, seed=1)))]).tolist()
    rng = random.Random(2)
    ends = [rng.randrange(64, len(asked)) for _ in range(queries)]
    times = [_look_up(store, asked[end - 64 : end]) for end in ends]
    pair = Counter(pairwise(asked)).most_common(1)[0][0]
    worst = [_look_up(store, list(pair)) for _ in range(50)]
    return Growth(
        tokens=manifest.tokens,
        documents=manifest.documents,
        build_s=manifest.seconds,
        sort_s=sort_s,
        bytes=sum(manifest.file_bytes().values()),
        median_ms=float(np.median([wall for wall, _ in times[1:]])),
        p99_ms=float(np.percentile([cpu for _, cpu in times[1:]], 99)),
        worst_ms=float(np.median([wall for wall, _ in worst])),
        first_ms=times[0][0],
    )


def _look_up(store: Datastore, context: list[int]) -> tuple[float, float]:
    began, used = time.perf_counter(), time.thread_time()
    if (span := store.longest_suffix(context)) is not None:
        store.continuations(span)
    return (time.perf_counter() - began) * 1000, (time.thread_time() - used) * 1000


def table(rows: list[Growth]) -> str:
    """The rows as Markdown."""
    lines = [
        "| tokens | documents | build | of which sorting | on disk | look-up median | p99 (CPU) | 5000 continuations | first |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.tokens:,} | {row.documents:,} | {row.build_s:.1f} s | {row.sort_s:.2f} s | {row.bytes / 2**20:.1f} MB |"
        f" {row.median_ms:.3f} ms | {row.p99_ms:.3f} ms | {row.worst_ms:.3f} ms | {row.first_ms:.2f} ms |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="How a datastore's build time, size and look-up time grow.")
    parser.add_argument("--tokens", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--model", default="smollm2-135m", help="whose tokenizer (default: %(default)s)")
    args = parser.parse_args()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one core, so that the numbers say what they mean
    from respec_core.models.encoding import load_encoder

    try:
        encoder = load_encoder(args.model, lambda what: print(what, file=sys.stderr))
    except ReSpecError as error:
        print(error, file=sys.stderr)
        return 2
    rows = []
    for tokens in args.tokens:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(tokens, encoder, Path(folder)))
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
