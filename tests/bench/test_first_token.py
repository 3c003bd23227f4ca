"""Time to the first token by kind, chunk and length, on a tiny model."""

from __future__ import annotations

import pytest
from tiny import tiny_model

from respec_core.bench.first_token import FirstToken, main, read, table
from respec_core.errors import ReSpecError


@pytest.mark.parametrize("kind", ["transformers", "fp32"])
def test_every_length_is_read_in_chunks_of_every_size(kind: str) -> None:
    reading = read(kind, tiny_model(), 1.0, (8, 20), (4, 64))
    chunks = {(0, 8), (0, 20)} if kind == "transformers" else {(4, 8), (8, 8), (4, 20), (20, 20)}
    assert reading.seconds.keys() == chunks and min(reading.seconds.values()) > 0
    assert reading.resident_mb > 0 and reading.kb_a_token > 0


def test_both_caches_hold_as_much_a_token_in_fp32() -> None:
    plain, lean = (read(kind, tiny_model(), 1.0, (8,), (8,)).kb_a_token for kind in ("transformers", "fp32"))
    assert plain == pytest.approx(lean)


def test_a_prompt_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ReSpecError, match="choose shorter prompts"):
        read("fp32", tiny_model(), 1.0, (10**6,), (8,))


def test_the_table_divides_the_first_kinds_times() -> None:
    first = FirstToken("transformers", 1.0, 900.0, 300.0, 45.0, {(0, 500): 4.0, (0, 2000): 20.0})
    other = FirstToken("int8", 0.5, 400.0, 300.0, 45.0, {(256, 500): 2.0, (256, 2000): 5.0})
    lines = table([first, other], (500, 2000)).splitlines()
    assert lines[2].startswith("| transformers | whole | 4.00 s, 1.00× | 20.00 s, 1.00× |")
    assert lines[3].startswith("| int8 | 256 | 2.00 s, 2.00× | 5.00 s, 4.00× | 0.5 s | 400 MB | 100 MB | 45 KB |")


def test_odd_lengths_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lengths", "many"]) == 2
    assert "numbers of at least 2" in capsys.readouterr().err
