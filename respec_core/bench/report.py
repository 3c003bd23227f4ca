"""The benchmark as Markdown: tokens per target pass first, then time, then the trigger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from respec_core.bench.lossy import lossy_section
from respec_core.methods.size_rule import WORDS
from respec_core.trace.rates import MISSING

INTERVAL = "95 % intervals over prompts"
TIMES = (
    ("prompt processing counted, as Spec-Bench does", "speedup_with_prompt"),
    ("decoding alone", "speedup_without_prompt"),
)


def markdown(results: dict[str, Any]) -> str:
    """``report.md`` from the object that ``results.json`` holds."""
    machine = results["machine"]
    timed = all(a["speedup"] is not None for a in results["overall"].values())
    lines = [
        "# Benchmark",
        "",
        f"{results['model']}, {results['dtype']}, {machine['device']}, {machine['threads']} threads, torch {machine['torch']}; "
        f"{_shared(results['max_new_tokens'])} new tokens at most, temperature {_shared(results['temperature'])}. {_how(timed)}",
        "",
    ]
    lines += _rows(results["rows"])
    lines += _section(results, "Tokens per target pass", lambda a: f"{a['mat']:.2f}")
    lines += _section(results, f"Tokens per target pass, {INTERVAL}", lambda a: _from_to(a["mat_interval"]))
    if "against" in results:
        lines += _against(results["against"])
    lines += _section(results, "Draft nodes per target pass", lambda a: f"{a['nodes_per_pass']:.1f}")
    if timed:
        for title, name in TIMES:
            title = f"Time against plain decoding, {title} (below 1 is slower)"
            lines += _section(results, title, _cell(_known, name))
            lines += _section(results, f"The same, {INTERVAL}", _cell(_from_to, f"{name}_interval"))
    lines += _section(results, "Share of the drafted nodes that were accepted", lambda a: _known(a["acceptance"]))
    lines += _section(
        results,
        "Trigger precision (retrieval rounds that took a token / retrieval rounds)",
        lambda a: _known(a["trigger_precision"]),
    )
    lines += _section(results, "Share of rounds that retrieved", lambda a: f"{a['retrieval_rate']:.2f}")
    lines += lossy_section(results["overall"]) + _sizes(results) + _loops(results)
    unequal = [name for name, a in results["overall"].items() if not a["equal"]]
    lines.append(
        f"Text differs from plain decoding: {', '.join(unequal)}." if unequal else "Every text equals plain decoding's."
    )
    return "\n".join(lines) + "\n"


def _shared(setting: float | None) -> str:
    """A setting of all methods; where it is not, each variant's name tells its own."""
    return "(as named)" if setting is None else f"{setting:g}"


def _how(timed: bool) -> str:
    if timed:
        return (
            "Measured in one run; plain decoding is measured beside every method on every question. A time is the mean of "
            "tokens/s over questions divided by plain decoding's."
        )
    return "Counted on the text of plain decoding but for rows that say otherwise: tokens and passes, nothing is timed."


def _known(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def _cell(shown: Callable[[Any], str], name: str) -> Callable[[dict[str, Any]], str]:
    return lambda a: shown(a[name])


def _from_to(interval: Sequence[float] | None) -> str:
    return MISSING if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"


def _rows(rows: dict[str, dict[str, Any]]) -> list[str]:
    """What each row is."""
    lines = ["## Rows", "", "| row | method | preset | changed | how |", "|---|---|---|---|---|"]
    for label, row in rows.items():
        changed = ", ".join(f"`{name}={value}`" for name, value in row["changed"].items())
        lines.append(
            f"| `{label}` | {row['method']} | {row['preset'] or MISSING} | {changed or MISSING} | {row['how']} |"
        )
    return [*lines, ""]


def _against(compared: dict[str, Any]) -> list[str]:
    """Ratios to one row, with their intervals."""
    title = f"Tokens per target pass ÷ those of `{compared['row']}` on the same prompts, {INTERVAL} behind"
    return _section(compared, title, lambda a: f"{_known(a['ratio'])} ({_from_to(a['interval'])})")


def _section(results: dict[str, Any], title: str, cell: Callable[[dict[str, Any]], str]) -> list[str]:
    kinds = list(results["kinds"])
    lines = [f"## {title}", "", f"| method | {' | '.join(kinds)} | all |", "|---" * (len(kinds) + 2) + "|"]
    for method, overall in results["overall"].items():
        cells = [
            cell(results["kinds"][kind][method]) if method in results["kinds"][kind] else MISSING for kind in kinds
        ]
        lines.append(f"| `{method}` | {' | '.join(cells)} | {cell(overall)} |")
    return [*lines, ""]


def _sizes(results: dict[str, Any]) -> list[str]:
    """Which rule sized whose drafts; nothing where nobody drafts."""
    by_rule: dict[str, list[str]] = {}
    for name, a in results["overall"].items():
        if a["size"]:
            by_rule.setdefault(a["size"], []).append(f"`{name}`")
    return [
        line
        for rule, names in by_rule.items()
        for line in (f"Draft size {rule}{_meaning(rule)}: {', '.join(names)}.", "")
    ]


def _loops(results: dict[str, Any]) -> list[str]:
    """How many texts loop."""
    most = max((a["loops"] for a in results["overall"].values()), default=0)
    if not most:
        return []
    return [f"The text loops on {most} questions, which are then easy to draft: not representative.", ""]


def _meaning(rule: str) -> str:
    return f" ({WORDS[rule]})" if rule in WORDS else ""
