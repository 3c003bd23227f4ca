"""This run's text beside plain decoding's, where they differ: what a lossy run costs is read, not counted."""

from __future__ import annotations

from app.panels.panel import Column, GeneralView, RunPanel
from respec_core.trace.differences import first_difference
from respec_core.trace.schema import Run

COMMON = 160  # characters of what both wrote
SHOWN = 1200  # of what each wrote from there


def beside_plain_view(run: Run) -> GeneralView | None:
    """Both texts from the first difference on; None where there is none, or nobody decoded plainly."""
    plain = run.reference_ar
    at = None if plain is None else first_difference(run.output_ids, plain.output_ids)
    if plain is None or at is None:
        return None
    said = (
        f"The first {at} tokens are equal; there the texts part." if at else "The texts differ from the first token on."
    )
    if plain.output_text is None:
        return {"sentence": f"{said} What plain decoding wrote is not in this trace."}
    same = "".join(token.text for token in run.tokens[:at])
    ours, theirs = (text.removeprefix(same) for text in (run.output_text, plain.output_text))
    rows = [
        {"who": "both", "text": f"… {same[-COMMON:]}" if len(same) > COMMON else same},
        {"who": "this run", "text": _shown(ours)},
        {"who": "plain decoding", "text": _shown(theirs)},
    ]
    columns: list[Column] = [{"key": "who", "label": ""}, {"key": "text", "label": "text", "mono": True}]
    return {"sentence": said, "table": {"columns": columns, "rows": [row for row in rows if row["text"]]}}


def _shown(rest: str) -> str:
    return f"{rest[:SHOWN]} …" if len(rest) > SHOWN else rest or "(ends here)"


PANEL = RunPanel(id="beside-plain", title="Beside plain decoding", tab="Plain", view=beside_plain_view)
