"""A trace whose every text is an attack: markup, templates, script ends, CSS, figure markup."""

from __future__ import annotations

from itertools import count
from typing import Any

from app.showcases import OPENING, showcase_run

ATTACKS = (
    "<img src=x onerror=window.pwned=1>",
    "${window.pwned=2}",
    "{{7*7}}",
    "</script><script>window.pwned=3</script>",
    "`+(window.pwned=4)+`",
    "<a href='javascript:window.pwned=5'>x</a>",
    "var:accepted",
    "%{text}$&$`",
    "\u2028'\"\\",
)


def hostile_trace() -> dict[str, Any]:
    """The recorded opening run with its texts replaced, all else as it was."""
    run = showcase_run(OPENING)
    assert run is not None
    trace = run.model_dump(mode="json")
    numbers = count()

    def next_attack() -> str:
        return ATTACKS[next(numbers) % len(ATTACKS)]

    trace["prompt_text"] = "".join(ATTACKS)
    trace["prompt_pieces"] = [next_attack() for _ in trace["prompt_pieces"]]
    trace["method"] = ATTACKS[0]
    trace["models"]["target"]["name"] = ATTACKS[0]
    for i, token in enumerate(trace["tokens"]):
        token["text"] = token["piece"] = ATTACKS[i % len(ATTACKS)]
        for candidate in token["top"]:
            candidate["text"] = next_attack()
    for step in trace["steps"]:
        step["decision"]["reason"] = next_attack()
        for hit in step["retrieval"]:
            hit["snippet"], hit["continuation"], hit["why"] = next_attack(), next_attack(), next_attack()
        for node in step["trees"]["final"]:
            node["text"] = next_attack()
    trace["output_text"] = "".join(token["text"] for token in trace["tokens"])
    return trace
