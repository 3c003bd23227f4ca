"""The card of a trained drafter: what it was trained on, for how long, on what, and how well it guesses."""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from respec_core.boundary.output import make_folder, write_text
from respec_core.methods.parts.written_texts import Text
from respec_core.training.acceptance import Acceptance
from respec_core.training.optimiser import TrainingState

CARD = "card.json"
CORPUS = "corpus"
TITLES = {
    "eagle": "EAGLE head",
    "diffusion": "Block-diffusion drafter",
    "markov": "Markov head of the block",
}


def machine(device: torch.device) -> str:
    """What this is running on, in words."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    threads = torch.get_num_threads()
    return f"{platform.machine()} processor, {threads} thread{'s' * (threads > 1)}"


def data_facts(texts: Sequence[Text]) -> dict[str, Any]:
    """Size of a corpus, over all and by kind."""
    kinds = Counter(t.kind for t in texts)
    return {
        "texts": len(texts),
        "answer_tokens": sum(len(t.answer) for t in texts),
        "by_kind": dict(sorted(kinds.items())),
        "origin": "written by the target itself: questions, documents and answers",
    }


def rates(found: Acceptance) -> dict[str, Any]:
    """Acceptance by depth and mean accepted tokens, overall and by kind; ``opening``: of each answer's first draft alone."""
    table = {
        kind: {"by_depth": _rounded(found.of(kind)), "accepted": round(found.accepted(kind), 3)}
        for kind in sorted(found.asked)
    }
    overall = {"by_depth": _rounded(found.overall), "accepted": round(found.accepted(), 3), "kinds": table}
    return overall | ({"opening": rates(found.opening)} if found.opening else {})


def write_card(
    folder: Path, drafter: str, facts: dict[str, Any], progress: TrainingState, start: Path | None = None
) -> None:
    """Begin a drafter's card after its training, and write its learning curve ``<drafter>-curve.json``.

    Args:
        facts: target, data, machine, sizes; written as they are.
        start: folder of the weights it began from; its card is kept as ``before``.
    """
    training = {"steps": progress.step, "seconds": round(progress.seconds), "tokens": progress.tokens}
    before = _cards(start).get(drafter) if start else None
    earlier = {"before": before} if before else {}
    _update(folder, drafter, {**facts, "training": training, **earlier, "acceptance": {}})
    figure = curve_figure(progress.curve, TITLES[drafter])
    write_text(folder / f"{drafter}-curve.json", json.dumps(figure) + "\n")


def drop_card(folder: Path, drafter: str) -> None:
    """Take a drafter that is there no more off the card, with its learning curve."""
    (folder / f"{drafter}-curve.json").unlink(missing_ok=True)
    _write(folder, {name: card for name, card in _cards(folder).items() if name != drafter})


def add_results(folder: Path, drafter: str, results: dict[str, Acceptance]) -> None:
    """Add measurements to a card, by the name of the set they were made on."""
    card = _cards(folder)[drafter]
    card["acceptance"].update({name: rates(found) for name, found in results.items()})
    _update(folder, drafter, card)


def _cards(folder: Path) -> dict[str, Any]:
    path = folder / CARD
    return json.loads(path.read_text()) if path.is_file() else {}


def _update(folder: Path, drafter: str, card: dict[str, Any]) -> None:
    _write(folder, {**_cards(folder), drafter: card})


def _write(folder: Path, cards: dict[str, Any]) -> None:
    make_folder(folder)
    write_text(folder / CARD, json.dumps(cards, indent=1) + "\n")
    lines = _lines(cards) + (_corpus_lines(folder) if (folder / CORPUS).is_dir() else [])
    write_text(folder / "README.md", "\n".join(lines) + "\n")


def curve_figure(curve: Sequence[dict[str, float]], title: str) -> dict[str, Any]:
    """Learning curve as a Plotly figure: held-out acceptance by depth, and the loss on its own axis."""
    names = {name: name.replace("_", " ") for name in (curve[0] if curve else ()) if name.startswith("depth_")}
    names |= {"opening": "first token"} if curve and "opening" in curve[0] else {}
    x = [point["tokens"] for point in curve]
    traces: list[dict[str, Any]] = [
        {"type": "scatter", "x": x, "y": [p[name] for p in curve], "name": label} for name, label in names.items()
    ]
    traces.append(
        {
            "type": "scatter",
            "x": x,
            "y": [p["loss"] for p in curve],
            "name": "loss",
            "yaxis": "y2",
            "line": {"dash": "dot"},
        }
    )
    layout = {
        "title": {"text": f"{title}: held-out acceptance while training"},
        "xaxis": {"title": {"text": "trained positions"}},
        "yaxis": {"title": {"text": "acceptance, given the depths before"}, "range": [0, 1]},
        "yaxis2": {"title": {"text": "loss"}, "overlaying": "y", "side": "right"},
    }
    return {"data": traces, "layout": layout}


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(v, 4) for v in values]


def _lines(cards: dict[str, Any]) -> list[str]:
    lines = ["# Trained drafters", "", "Written by `python -m respec_core train`; the numbers are in `card.json`."]
    for drafter, card in cards.items():
        data, before = card["data"], card.get("before")
        lines += [
            "",
            f"## {TITLES[drafter]} for {card['target']}",
            "",
            f"- Data: {data['texts']:,} texts, {data['answer_tokens']:,} answer tokens, {data['origin']}.",
            f"- Training: {_spent(card)}.",
            *(
                [f"- Read once: {card['anchors']:,} blocks of the texts, in {card['reading_seconds']} s."]
                if "anchors" in card
                else []
            ),
            *([f"- Trained together with {card['together_with']}."] if "together_with" in card else []),
            *(
                [f"- Begun from: {_spent(before)}; {card['kept']:.0%} of these weights kept in the average."]
                if before
                else []
            ),
            *(f"- {note}" for note in card.get("notes", ())),
            f"- Size: {card['parameters']:,} parameters; {_size(card)}.",
            "",
            "Greedy chain acceptance by depth, each given that the depths before were accepted:",
        ]
        for name, result in card["acceptance"].items():
            depths = range(1, len(result["by_depth"]) + 1)
            lines += ["", f"| {name} | " + " | ".join(map(str, depths)) + " | accepted a round |"]
            lines.append("|---" * (len(depths) + 2) + "|")
            rows = [*_overall("all", result), *result["kinds"].items()]
            if before and name in before["acceptance"]:
                rows += _overall("all, earlier weights", before["acceptance"][name])
            for kind, row in rows:
                cells = " | ".join(f"{x:.2f}" for x in row["by_depth"])
                lines.append(f"| {kind} | {cells} | {row['accepted']:.2f} |")
    return lines


def _overall(name: str, result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Rows over all kinds: every position, and where it was measured each answer's first draft."""
    opening = [(f"{name}, first draft", result["opening"])] if "opening" in result else []
    return [(name, result), *opening]


def _spent(card: dict[str, Any]) -> str:
    t = card["training"]
    return f"{t['steps']:,} steps over {t['tokens']:,} positions in {t['seconds']} s on {card['machine']}"


def _corpus_lines(folder: Path) -> list[str]:
    return [
        "",
        "## The training text",
        "",
        f"`{CORPUS}/` holds the self-written answers as token ids (safetensors, gzip-compressed; one file a stage). Training "
        "and measuring read them as they are:",
        "",
        "```",
        f"python -m respec_core train eagle --target {folder.name} --corpus assets/drafters/{folder.name}/{CORPUS} --out runs/head",
        "```",
    ]


def _size(card: dict[str, Any]) -> str:
    if "cells" in card:
        return f"changes the {card['cells']} likeliest tokens of a position"
    if "block" in card:
        return f"fills {card['block']} positions at once, reads out through the EAGLE head"
    return f"says {card['draft_vocab']:,} tokens, {card['coverage']:.1%} of the answer tokens"
