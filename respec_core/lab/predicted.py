"""How far predicted time is from measured time: ``python -m respec_core.lab.predicted``, best with nothing else running.

A question of each of six kinds is recorded here (or ``--atlas DIR``, recorded on this machine, is taken), settings are
replayed on it, and the same runs are then really decoded, all of them in turn and once more. The fastest of a run's
repeats counts: what else the machine does can only add time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from respec_core.bench.questions import read_questions
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.lab.atlas import Atlas, AtlasWriter, manifest_of
from respec_core.lab.manifest import Entry
from respec_core.lab.recorded_models import Stage
from respec_core.lab.recording import record, recordable
from respec_core.lab.replay import replay
from respec_core.lab.sweep import configured
from respec_core.methods.opening import ModelChoice, add_model_options, open_models
from respec_core.methods.registry import BASELINE
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.assets import ASSETS
from respec_core.models.costs import careful_cost_curve
from respec_core.models.prompts import request_for
from respec_core.settings.run_config import RunConfig
from respec_core.trace.schema import Run

QUESTIONS = ASSETS / "bench" / "questions.jsonl"
KINDS = ("copy_code", "copy_text", "summary", "rag", "question", "story")
ROWS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "plain": (BASELINE.name, {}),
    "pld": ("pld", {}),
    "sam": ("sam", {}),
    "eagle2, 32 nodes": ("eagle2", {"total_tokens": 32, "top_k": 8}),
    "respec-strict": ("respec-strict", {}),
    "respec-strict, auto": ("respec-strict", {"budget": "auto"}),
}
NARROW = {"head": {"widths": (8,), "depth": 5}}  # all that these rows ask for
TOKENS, REPEATS = 40, 2
FORWARD, DRAFTING = "verify", ("draft", "search")


@dataclass(frozen=True)
class Spent:
    """Milliseconds of a run: the target's forwards, the drafters' models, and everything else."""

    forward: float
    drafting: float
    rest: float

    @property
    def ms(self) -> float:
        """All of it."""
        return self.forward + self.drafting + self.rest


@dataclass(frozen=True)
class Pair:
    """A text under settings, predicted and measured; ``rounds`` likewise, ``same`` where the text was the recorded one."""

    kind: str
    row: str
    predicted: Spent
    measured: Spent
    rounds: tuple[int, int]
    same: bool

    @property
    def ratio(self) -> float:
        """Predicted ÷ measured time."""
        return self.predicted.ms / self.measured.ms


def expected(stage: Stage, config: RunConfig) -> tuple[Spent, int]:
    """What a replay predicts, and its rounds.

    Raises:
        ReSpecError: for what cannot be replayed, or an atlas without a cost curve.
    """
    found, costs = replay(stage, config), stage.costs
    if costs is None:
        raise ReSpecError("The atlas holds no cost curve, so no time can be predicted: record it anew.")
    drafting = sum(round.draft_ms for round in found.rounds)
    rest = len(found.rounds) * stage.text.committing
    return Spent(found.ms(costs) - drafting - rest, drafting, rest), len(found.rounds)


def spent(run: Run) -> Spent:
    """What a run took."""
    assert run.summary is not None
    forward = sum(step.phase_ms[FORWARD] for step in run.steps)
    drafting = sum(step.phase_ms.get(phase, 0.0) for step in run.steps for phase in DRAFTING)
    return Spent(forward, drafting, run.summary.wall_s * 1e3 - forward - drafting)


def pairs(
    atlas: Atlas, texts: Sequence[Entry], models: Models, tokens: int, repeats: int, progress: Callable[[str], None]
) -> list[Pair]:
    """Every text under every one of ``ROWS``, ``tokens`` of it at most.

    Raises:
        ReSpecError: for models other than those that the atlas was recorded with.
    """
    recorded, target = atlas.manifest, models.target
    if (target.tokenizer_fingerprint(), target.name) != (recorded.tokenizer, recorded.target["name"]):
        raise ReSpecError(f"The atlas was recorded with {recorded.target['name']}: give it as --model.")
    stages = {entry.id: atlas.stage(entry) for entry in texts}
    length = {"max_new_tokens": min(tokens, recorded.settings.stopping.max_new_tokens)}
    configs = {row: configured(atlas, method, {**length, **values}) for row, (method, values) in ROWS.items()}
    best: dict[tuple[str, str], Run] = {}
    for turn in range(1, repeats + 1):
        for entry in texts:
            progress(f"turn {turn} of {repeats}: {entry.kind}")
            for row, config in configs.items():
                run = complete(Request(config, stages[entry.id].text.prompt_ids), models)
                key = entry.id, row
                best[key] = min(run, best.get(key, run), key=lambda one: spent(one).ms)
    return [
        _pair(entry.kind, row, stages[entry.id], config, best[entry.id, row])
        for entry in texts
        for row, config in configs.items()
    ]


def _pair(kind: str, row: str, stage: Stage, config: RunConfig, run: Run) -> Pair:
    predicted, rounds = expected(stage, config)
    same = run.output_ids == stage.text.output_ids[: len(run.output_ids)]
    return Pair(kind, row, predicted, spent(run), (rounds, len(run.steps)), same)


def table(found: Sequence[Pair]) -> str:
    """Markdown: predicted ÷ measured by kind and row; where the time goes; the median error."""
    kinds = [*dict.fromkeys(pair.kind for pair in found)]
    lines = [f"| predicted ÷ measured ms | {' | '.join(kinds)} | median error |", "|---" * (len(kinds) + 2) + "|"]
    for row in ROWS:
        own = {pair.kind: pair for pair in found if pair.row == row}
        cells = [f"{own[kind].ratio:.2f}" for kind in kinds]
        lines.append(f"| {row} | {' | '.join(cells)} | {_error([*own.values()]):.1%} |")
    heads = [f"{term}, {what}" for term in ("forward", "drafting", "rest") for what in ("predicted", "measured")]
    lines += ["", f"| ms a round | {' | '.join(heads)} | rounds |", "|---" * (len(heads) + 2) + "|"]
    for row in ROWS:
        mine = [pair for pair in found if pair.row == row]
        rounds = [sum(pair.rounds[i] for pair in mine) for i in (0, 1)]
        sides = [[pair.predicted for pair in mine], [pair.measured for pair in mine]]
        terms = [
            sum(getattr(one, term) for one in side) / n
            for term in ("forward", "drafting", "rest")
            for side, n in zip(sides, rounds, strict=True)
        ]
        lines.append(f"| {row} | {' | '.join(f'{ms:.1f}' for ms in terms)} | {rounds[0]}, {rounds[1]} |")
    by_kind = ", ".join(f"{kind} {_error([p for p in found if p.kind == kind]):.1%}" for kind in kinds)
    lines += ["", f"Median |error| of predicted time: {_error(found):.1%}; by kind: {by_kind}."]
    if wrong := sum(not pair.same for pair in found):
        lines.append(f"{wrong} texts left the recorded one: a near tie was decided otherwise.")
    return "\n".join(lines)


def _error(found: Sequence[Pair]) -> float:
    return median(abs(pair.ratio - 1) for pair in found)


def recorded_here(folder: Path, models: Models, questions: Path, tokens: int, progress: Callable[[str], None]) -> Atlas:
    """An atlas of the first question of each of ``KINDS``.

    Raises:
        ReSpecError: for a file without them.
    """
    asked = {question.kind: question for question in reversed(read_questions(questions)) if question.kind in KINDS}
    if not asked:
        raise ReSpecError(f"{questions} has no questions of the kinds {', '.join(KINDS)}.")
    config = BASELINE.configure({"max_new_tokens": tokens})
    options = {name: how.options(**NARROW.get(name, {})) for name, how in recordable(models).items()}
    careful_cost_curve(models.target, progress)
    writer = AtlasWriter(folder, manifest_of(models, config, options, "measured"))
    for kind in KINDS:
        if (question := asked.get(kind)) is not None:
            progress(f"recording: {kind}")
            request = request_for(models.target, config, question.text)
            writer.add(question.id, kind, record(request, models, options))
    return Atlas.open(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atlas", type=Path, metavar="DIR", help="recorded on this machine; one is recorded else")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, metavar="F.jsonl", help="to record (%(default)s)")
    parser.add_argument("--max-new-tokens", type=int, default=TOKENS, metavar="N", help="of a text (%(default)s)")
    parser.add_argument("--repeat", type=int, default=REPEATS, metavar="N", help="turns (%(default)s)")
    add_model_options(parser)
    parser.set_defaults(dtype="fp32")
    args = parser.parse_args(arguments)

    def progress(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    try:
        if args.repeat < 1 or args.max_new_tokens < 1:
            raise ReSpecError("Give --repeat and --max-new-tokens of at least 1.")
        given = Atlas.open(args.atlas) if args.atlas else None
        models = open_models(ModelChoice.parsed(args), progress)
        with TemporaryDirectory(prefix="respec-predicted-") as made:
            atlas = given or recorded_here(Path(made), models, args.questions, args.max_new_tokens, progress)
            first = {entry.kind: entry for entry in reversed(atlas.manifest.texts)}
            texts = [entry for entry in atlas.manifest.texts if first[entry.kind] is entry]
            print(table(pairs(atlas, texts, models, args.max_new_tokens, args.repeat, progress)))
    except ReSpecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
