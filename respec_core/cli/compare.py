"""``compare``: one prompt, several methods, one table."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from respec_core.cli import options
from respec_core.cli.variants import METHODS_HELP, in_words, labelled_configs, standing_of
from respec_core.errors import ReSpecError
from respec_core.methods.losses import own_loss
from respec_core.methods.opening import add_model_options
from respec_core.methods.size_rule import size_rule
from respec_core.settings.loss import LOSSY_RULES
from respec_core.trace.notes import notes
from respec_core.trace.rates import MISSING, node_acceptance, percent
from respec_core.trace.repetition import find_loop


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``compare``."""
    parser.add_argument("--methods", default="vanilla,pld,sam", help=f"{METHODS_HELP} (%(default)s)")
    parser.add_argument(
        "--repeat", type=int, default=1, metavar="N", help="time each N times, interleaved, keep the best"
    )
    parser.add_argument("--json", action="store_true")
    options.add_prompt_options(parser)
    options.add_settings_options(parser)
    add_model_options(parser)


def main(args: argparse.Namespace) -> int:
    """Print the table; 1 if a method that must equal plain decoding does not."""
    if not 1 <= args.repeat <= 100:
        raise ReSpecError("Give --repeat between 1 and 100.")
    labels, configs = zip(*labelled_configs(args), strict=True)
    prompt = options.read_prompt(args)
    studio = options.load_studio(args, configs)
    from respec_core.bench.comparison import compare

    request = studio.request(prompt, configs[0], raw=args.raw)
    options.note_specials(request.specials, configs[0])

    def progress(method: str) -> None:
        if sys.stderr.isatty():
            print(f"running {method}", file=sys.stderr)

    rows = compare(request, configs, studio.models, args.repeat, progress)
    table = [_result(label, row) for label, row in zip(labels, rows, strict=True)]
    standings = [standing_of(args, label, config) for label, config in zip(labels, configs, strict=True)]
    for record, standing in zip(table, standings, strict=True):
        record |= {"preset": standing.preset, "changed": dict(standing.changed)}
    if args.json:
        print(json.dumps({"prompt_tokens": len(request.prompt_ids), "rows": table}))
    else:
        _print(table, rows, len(request.prompt_ids))
        print()
        for label, standing in zip(labels, standings, strict=True):
            if standing.preset:
                print(f"{label}: settings from {in_words(standing)}")
    return 1 if any(row.must_be_equal and row.first_difference is not None for row in rows) else 0


def _result(label: str, row: Any) -> dict[str, Any]:
    run, accepted = row.run, node_acceptance(row.run)
    return {
        "method": label,
        "tokens": run.summary.tokens,
        "target_passes": run.summary.target_passes,
        "mat": run.summary.mat,
        "tok_s": run.summary.tok_s,
        "time_ratio": row.time_ratio,
        "equal_to_vanilla": row.first_difference is None,
        "first_difference": row.first_difference,
        "relaxed_accepts": run.summary.relaxed_accepts,
        "output_ids": list(run.output_ids),
        "size": size_rule(run.settings),
        "acceptance": accepted and accepted.share,
        "loops": find_loop(run.output_ids) is not None,
    }


def _print(table: list[dict[str, Any]], rows: Any, prompt_tokens: int) -> None:
    print(f"prompt: {prompt_tokens} tokens; times are decode times in this run, prompt processing excluded")
    if len({id(row.plain) for row in rows}) > 1:
        print("Each is held against plain decoding with its own sampling and stops.")
    print()
    print(
        f"{'method':<30}{'size':<12}{'tokens':>7}{'passes':>8}{'tokens/pass':>13}{'node acc.':>10}{'tokens/s':>10}"
        f"{'× plain':>9}  text"
    )
    for result, row in zip(table, rows, strict=True):
        line = f"{result['method']:<30}{result['size'] or MISSING:<12}{result['tokens']:>7}{result['target_passes']:>8}"
        line += f"{result['mat']:>13.2f}{percent(result['acceptance']):>10}"
        line += f"{result['tok_s']:>10.1f}{result['time_ratio']:>9.2f}  {_verdict(row)}"
        print(line + ("  (slower than plain)" if result["time_ratio"] < 0.97 else ""))
    for note, labels in _notes(table, rows).items():
        print(f"\nnote ({', '.join(labels)}): {note}")


def _notes(table: list[dict[str, Any]], rows: Any) -> dict[str, list[str]]:
    """What runs say about themselves, each sentence once with the methods it holds for."""
    found: dict[str, list[str]] = {}
    for result, row in zip(table, rows, strict=True):
        for note in notes(row.run):
            found.setdefault(note, []).append(result["method"])
    return found


def _verdict(row: Any) -> str:
    if row.first_difference is None:
        return "equal"
    text = f"differs from token {row.first_difference}"
    rule = row.run.settings.verify.rule
    if row.run.summary.relaxed_accepts:
        return f"{text} (lossy: {row.run.summary.relaxed_accepts} {LOSSY_RULES[rule].tokens})"
    if lost := own_loss(row.run.settings):
        return f"{text} (lossy: {lost.name})"
    if not row.run.settings.greedy:
        return f"{text} (both were sampled: the distribution is the same, not the draw)"
    if row.tie_margin is not None and not row.must_be_equal:
        return f"{text} (plain decoding's two best were {row.tie_margin:.3f} logits apart there)"
    return text
