"""Other engines beside ours: who runs when, what the table says. The times are for reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from respec_core.bench.peers import (
    END,
    START,
    Peer,
    PeerTimes,
    chosen,
    main,
    measure,
    ours,
    table,
    through_transformers,
    write_between,
)
from respec_core.bench.questions import Question
from respec_core.errors import ReSpecError

PROMPTS = {"story": (5, 6, 7, 8), "code": (9, 10, 11)}


def test_each_turn_goes_through_all_and_the_first_is_not_counted():
    calls: list[tuple[str, int]] = []

    def peer(name: str) -> Peer:
        def write(prompt, tokens):
            calls.append((name, prompt[0]))
            return [1] * tokens

        return Peer(name, "same", write)

    rows = measure([peer("a"), peer("b")], PROMPTS, 3, turns=2)
    assert calls == [("a", 5), ("b", 5), ("a", 9), ("b", 9)] * 3
    assert all(len(row.seconds[kind]) == 2 and row.tokens[kind] == (1, 1, 1) for row in rows for kind in PROMPTS)


def test_ours_writes_what_transformers_writes(tiny_models):
    peers = [*through_transformers(tiny_models.target)[:1], *ours(tiny_models, ["vanilla", "pld"])]
    rows = measure(peers, PROMPTS, 12, turns=1)
    assert rows[0].tokens == rows[1].tokens == rows[2].tokens
    assert table(rows).count("2 of 2 as transformers, plain") == 2


def test_the_table_counts_medians_against_the_first_row():
    def row(name: str, weights: str, seconds: list[float], tokens: tuple[int, ...]) -> PeerTimes:
        return PeerTimes(Peer(name, weights, lambda prompt, n: tokens), {"story": seconds}, {"story": tokens})

    rows = [
        row("slow", "x", [2.0, 9.0, 2.0], (1, 2)),
        row("fast", "y", [0.5], (1, 3)),
        row("other", "x", [1.0], (1, 3)),
    ]
    assert table(rows).splitlines()[2:] == [
        "| slow | 1 (1.0×) | 1.00× |  |",
        "| fast | 4 (4.0×) | 4.00× |  |",
        "| other | 2 (2.0×) | 2.00× | 0 of 1 as slow |",
    ]


def test_the_first_prompt_of_each_kind():
    questions = [Question(str(i), kind, text, i) for i, (kind, text) in enumerate([("a", "1"), ("b", "2"), ("a", "3")])]
    assert chosen(questions, ["b", "a"]) == {"b": "2", "a": "1"}


def test_the_table_goes_between_its_marks(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{START}\nold\n{END}\nafter\n")
    write_between(page, "new")
    assert page.read_text() == f"before\n{START}\nnew\n{END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(ReSpecError, match="put both"):
        write_between(page, "new")
    assert page.read_text() == "no marks"
    with pytest.raises(ReSpecError, match="cannot be read"):
        write_between(tmp_path / "none.md", "new")


def test_bad_numbers_are_one_line(capsys):
    assert main(["--repeat", "0"]) == 2
    assert capsys.readouterr().err.startswith("error: Give --repeat")
