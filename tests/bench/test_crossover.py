"""Where a drafter that reads less pays: the crossing between measured lengths, and the prompts that are measured."""

from __future__ import annotations

import pytest
from tiny import tiny_model

from respec_core.bench.crossover import asked_about, crossing, documents
from respec_core.bench.crossover_chart import chart, crossover
from respec_core.errors import ReSpecError
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models


@pytest.mark.parametrize(
    ("ratios", "at"),
    [
        ((0.5, 0.75, 1.25), 3000.0),
        ((0.5, 0.6, 0.7), None),
        ((1.1, 1.2, 1.3), 1000.0),
        ((1.1, 0.9, 1.1), 3000.0),  # from where it pays for good
    ],
)
def test_the_crossing_lies_between_the_last_loss_and_the_next_gain(ratios, at):
    assert crossover((1000, 2000, 4000), ratios) == (at if at is None else pytest.approx(at))


def test_the_chart_holds_what_was_measured():
    drawn = chart((500, 1000), (0.5, 1.25))
    assert "[500, 1000]" in drawn and "line [0.50, 1.25]" in drawn and "line [1, 1]" in drawn


def test_a_prompt_is_a_document_of_the_size_and_a_question_about_its_middle(tmp_path, byte_tokenizer):
    for name in "ab":
        (tmp_path / f"{name}.md").write_text(
            f"# Start of {name}\n" + "the hat " * 20 + f"\n# Middle of {name}\n" + "a hat " * 40
        )
    first, second = documents(sorted(tmp_path.glob("*.md")), 5)
    assert first.startswith("# Start of a") and second.startswith("# Start of b")
    models = Models(tiny_model(tokenizer=byte_tokenizer))
    config = find_method("rapid").configure({"budget": "own", "max_new_tokens": 6, "query": 16, "kept_tokens": 64})
    request = asked_about(config, models, first, 396)
    assert "Middle of a”" in request.prompt_text
    found = crossing(request, models)
    assert found.read < found.prompt == len(request.prompt_ids)
    assert found.per_pass >= 1 and 0 <= found.accepted <= 1 and found.ratio > 0
    with pytest.raises(ReSpecError, match="ask for sizes below"):
        asked_about(config, models, first, 4000)
