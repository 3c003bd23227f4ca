"""``atlas``: every prompt decoded once, with what every drafter proposes at every position."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from respec_core.bench.questions import Question, read_questions
from respec_core.cli import options
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.opening import add_model_options
from respec_core.methods.registry import BASELINE
from respec_core.settings.declaring import Settings

if TYPE_CHECKING:
    from respec_core.engine.decoding import Request
    from respec_core.methods.studio import Studio
    from respec_core.settings.run_config import RunConfig

OWN_PROMPT = "prompt"  # id and kind of the one that is given by itself


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``atlas``."""
    one = options.add_prompt_options(parser)
    one.add_argument("--questions", type=Path, metavar="F.jsonl", help="many of them, in Spec-Bench's format")
    parser.add_argument("--kinds", metavar="KIND,…", help="questions of these kinds only")
    parser.add_argument("--limit", type=int, metavar="N", help="questions of each kind")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--resume", action="store_true", help="go on where an earlier recording in DIR stopped")
    parser.add_argument(
        "--record",
        action="append",
        default=[],
        metavar="WHAT.OPTION=VALUE",
        help="how much is recorded, such as head.widths=[8] or head.depth=5; repeatable",
    )
    options.add_settings_options(parser)
    add_model_options(parser)


def main(args: argparse.Namespace) -> int:
    """Record."""
    if args.limit is not None and args.limit < 1:
        raise ReSpecError("Give a --limit of at least 1.")
    config = BASELINE.configure(options.values_from(args))
    if not config.greedy:
        raise ReSpecError("An atlas is recorded at temperature 0: a sampled text is another one in every run.")
    questions = _questions(args) if args.questions else None
    prompt = None if questions else options.read_prompt(args)
    from respec_core.bench.log import reserved
    from respec_core.bench.sharing import Share, parts
    from respec_core.lab.atlas import AtlasWriter, manifest_of
    from respec_core.lab.manifest import MANIFEST, read_manifest
    from respec_core.lab.recording import record
    from respec_core.lab.sharing import merge
    from respec_core.models.costs import careful_cost_curve

    share = Share.here()
    args.device = share.device(args.device)
    with reserved(share.folder(args.out)):
        studio = options.load_studio(args, [config])
        chosen = recorded_options(args.record, studio)
        asked = _asked(questions, prompt, args, studio, config)
        digest = hashlib.sha256(json.dumps([(id, request.prompt_ids) for id, _, request in asked]).encode()).hexdigest()
        manifest = manifest_of(studio.models, config, chosen, digest)
        whole = AtlasWriter(args.out, manifest, resume=args.resume)
        if not whole.manifest.cost_curve:
            measured = {"cost_curve": careful_cost_curve(studio.models.target, studio.progress).points}
            manifest, whole.manifest = (one.model_copy(update=measured) for one in (manifest, whole.manifest))
        earlier = [whole.manifest, *map(read_manifest, parts(args.out, MANIFEST))]
        done = {entry.id for one in earlier for entry in one.texts}
        share.wait()
        alone = share.folder(args.out) == args.out
        writer = whole if alone else AtlasWriter(share.folder(args.out), manifest, resume=True)
        writer.flush()
        for i, (id, kind, request) in share.mine([*enumerate(asked, 1)]):
            if id not in done:
                print(f"[{i}/{len(asked)}] {kind}", file=sys.stderr, flush=True)
                writer.add(id, kind, record(request, studio.models, chosen))
        share.wait()
        if not share.first:
            return 0
        merge(whole, [id for id, _, _ in asked])
    texts = whole.manifest.texts
    held = ", ".join(["the target", *chosen])
    print(f"{args.out}: {len(texts)} texts, {sum(text.tokens for text in texts)} positions; recorded: {held}")
    return 0


def _questions(args: argparse.Namespace) -> list[Question]:
    """Those of the kinds that are asked for, kind after kind in turn."""
    read = read_questions(args.questions, args.limit)
    there = dict.fromkeys(question.kind for question in read)
    kinds = args.kinds.split(",") if args.kinds else [*there]
    if unknown := next((kind for kind in kinds if kind not in there), None):
        raise ReSpecError(f"{args.questions} has no {quoted(unknown)}; its kinds are: {', '.join(there)}.")
    return _in_turn([question for question in read if question.kind in kinds])


def _in_turn(questions: Sequence[Question]) -> list[Question]:
    """The first of each kind, then the second: a recording that was interrupted has something of all."""
    met = Counter[str]()
    places = []
    for question in questions:
        places.append(met[question.kind])
        met[question.kind] += 1
    return [question for _, question in sorted(zip(places, questions, strict=True), key=lambda one: one[0])]


def _asked(
    questions: Sequence[Question] | None,
    prompt: str | list[Any] | None,
    args: argparse.Namespace,
    studio: Studio,
    config: RunConfig,
) -> list[tuple[str, str, Request]]:
    """Id, kind and request of every prompt; each is tried before the first is recorded."""
    from respec_core.methods.running import decode

    if questions is None:
        assert prompt is not None
        request = studio.request(prompt, config, raw=args.raw)
        options.note_specials(request.specials, config)
        asked = [(OWN_PROMPT, OWN_PROMPT, request)]
    else:
        asked = []
        for question in questions:
            try:
                request = studio.request(question.text, config, raw=args.raw)
                next(decode(request, studio.models))  # begins, and is dropped
            except ReSpecError as error:
                raise ReSpecError(f"{args.questions}, line {question.line}: {error}") from error
            asked.append((question.id, question.kind, request))
    return asked


def recorded_options(pairs: Sequence[str], studio: Studio) -> dict[str, Settings]:
    """How much is recorded of everything that is loaded and can be.

    Raises:
        ReSpecError: for what is not recorded here, or an option that it does not have.
    """
    from respec_core.lab.recording import recordable

    known = recordable(studio.models)
    given: dict[str, dict[str, Any]] = {name: {} for name in known}
    for name, value in options.parse_set(list(pairs)).items():
        what, _, option = name.partition(".")
        if what not in known or option not in known[what].options.model_fields:
            there = [f"{n}.{o}" for n, recording in known.items() for o in recording.options.model_fields]
            raise ReSpecError(f"--record {quoted(name)} is not known here; there are: {', '.join(there) or 'none'}.")
        given[what][option] = value
    try:
        return {name: recording.options(**given[name]) for name, recording in known.items()}
    except ValidationError as error:
        first = error.errors()[0]
        raise ReSpecError(f"--record {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}.") from error
