"""Lossy rules in a benchmark's report: counted from its measurements, and drawn."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from counting import counted

from respec_core.bench.comparison import Row
from respec_core.bench.lossy import estimates, lossy_drawing, lossy_section
from respec_core.bench.results import Measurement, table
from respec_core.trace.rule_estimate import Estimate, RecordedRounds


def measured(
    method: str, question: str, tokens: int, passed: int, first: int | None, rule: str, estimate=None
) -> Measurement:
    return Measurement(question=question, kind="copy", method=method, tokens=tokens, target_passes=20, seconds=None, plain_seconds=None,
                       equal=first is None, relaxed_accepts=passed, triggered=0, retrieved=0, hits=0, rule=rule, first_difference=first, estimate=estimate)  # fmt: skip


OPEN = {"rule": "fly", "fly_window": 2, "fly_entropy": 0.0}
ROWS = [
    measured("pld", "1", 40, 0, None, "strict"),
    measured("pld", "2", 40, 0, None, "strict"),
    measured("pld:rule=fly", "1", 60, 3, 7, "fly", Estimate(60, 20, 2, True)),
    measured("pld:rule=fly", "2", 40, 0, None, "fly", Estimate(50, 20, 0, True)),
    measured("pld:rule=relaxed", "1", 70, 9, 3, "relaxed", Estimate(60, 20, 2, True)),
    measured("pld:rule=relaxed", "2", 60, 4, 12, "relaxed"),
]


def test_divergences_are_counted_in_a_hundred_tokens():
    overall = table(ROWS)["overall"]
    assert overall["pld:rule=fly"]["divergences"] == 3
    assert overall["pld:rule=relaxed"]["divergences"] == 10
    assert [a["first_difference"] for a in overall.values()] == [None, 7, 7.5]
    lines = lossy_section(overall)
    assert "| `pld` | strict | 2.00 | – | 0.00 | – | 0 of 2 | – | 0 |" in lines
    assert "| `pld:rule=fly` | fly | 2.50 | 2.75 | 3.00 | 1.82 | 1 of 2 | token 7 | 0 |" in lines
    assert "| `pld:rule=relaxed` | relaxed | 3.25 | – | 10.00 | – | 2 of 2 | token 7.5 | 0 |" in lines


def test_an_estimate_is_of_the_strict_row_that_differs_in_the_rule_alone_and_looks_ahead():
    lossy, told, silent = counted(**OPEN), counted(), counted(look_ahead=False)
    other = counted(max_new_tokens=30)
    wanted = RecordedRounds.of(told).by(lossy.settings.verify)
    assert wanted.mismatches > 0

    def row(run, known=False):
        return Row(run, run, None, None, None, known)

    assert estimates([row(silent), row(told), row(lossy)]) == [None, None, wanted]
    assert estimates([row(silent), row(other), row(lossy)]) == [None] * 3
    assert estimates([row(told, known=True), row(lossy)]) == [None] * 2, "known text has no opinions"


def test_a_strict_benchmark_says_nothing_of_it():
    assert lossy_section(table(ROWS[:2])["overall"]) == []


def test_the_drawing_has_a_named_point_for_every_method_at_its_place():
    overall = table(ROWS)["overall"] | {"a<b": table(ROWS[:2])["overall"]["pld"]}
    svg = ElementTree.fromstring(lossy_drawing(overall))
    space = "{http://www.w3.org/2000/svg}"
    points = [(float(c.get("cx")), float(c.get("cy"))) for c in svg.iter(f"{space}circle")]
    strict, fly, relaxed, same = points
    assert strict == same
    assert strict[0] < fly[0] < relaxed[0]
    assert strict[1] > fly[1] > relaxed[1], "upwards"
    assert (fly[0] - strict[0]) / (relaxed[0] - strict[0]) == pytest.approx(0.3, abs=0.01)
    names = [text for text in svg.iter(f"{space}text") if text.text in overall]
    assert [name.text for name in names] == list(overall)
    heights = sorted(float(name.get("y")) for name in names)
    assert all(below - above >= 14.9 for above, below in pairwise(heights))
