"""The lossy rules in a benchmark: tokens per target pass against divergences, as a table and as one drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from respec_core.trace.rates import MISSING
from respec_core.trace.rule_estimate import Estimate, RecordedRounds

if TYPE_CHECKING:
    from respec_core.bench.comparison import Row

Overall = Mapping[str, Mapping[str, Any]]  # a method's label to its aggregate
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 60, 230, 24, 52
COLORS = {"strict": "#1c2128", "relaxed": "#0072b2", "fly": "#d55e00"}
TICKS = 5
IN_HUNDRED = "divergences in 100 tokens"


def has_lossy(overall: Overall) -> bool:
    """Whether a rule of some row may change the text."""
    return any(a["rule"] != "strict" for a in overall.values())


def estimates(rows: Sequence[Row]) -> list[Estimate | None]:
    """Of every lossy row, what its rule would have come to on the strict row that differs in the rule alone and looks ahead;
    None where there is none."""
    looked = {_apart_from_rule(row): row.run for row in rows if _tells(row)}
    found: list[Estimate | None] = []
    for row in rows:
        run = None if row.run.settings.strict else looked.get(_apart_from_rule(row))
        found.append(RecordedRounds.of(run).by(row.run.settings.verify) if run else None)
    return found


def _tells(row: Row) -> bool:
    return row.run.settings.strict and row.run.settings.verify.look_ahead and not row.counted


def _apart_from_rule(row: Row) -> str:
    return row.run.settings.model_dump_json(exclude={"verify"})


def lossy_section(overall: Overall) -> list[str]:
    """Lines of the report; none where every row is strict."""
    if not has_lossy(overall):
        return []
    lines = [
        "## Lossy rules",
        "",
        "Divergences are accepted tokens that are not the target's own, in 100 tokens; a first difference is where a text "
        "leaves plain decoding's, the median over the texts that do. Estimated: from the decisions that the strict row with "
        "`look_ahead` recorded, every round for itself. **Lossy rows do not write the target's text.**",
        "",
        f"| method | rule | tokens per pass | estimated | {IN_HUNDRED} | estimated | texts that differ | first difference "
        "| texts that loop |",
        "|---" * 9 + "|",
    ]
    for label, a in overall.items():
        first = MISSING if a["first_difference"] is None else f"token {a['first_difference']:g}"
        lines.append(
            f"| `{label}` | {a['rule']} | {a['mat']:.2f} | {_known(a['estimated_mat'])} | {a['divergences']:.2f} "
            f"| {_known(a['estimated_divergences'])} | {a['differing']} of {a['questions']} | {first} | {a['loops']} |"
        )
    return [*lines, ""]


def _known(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def lossy_drawing(overall: Overall) -> str:
    """An SVG: every method a point, divergences in 100 tokens to the right, tokens per pass upwards."""
    across = _axis([a["divergences"] for a in overall.values()], 0.0)
    up = _axis([a["mat"] for a in overall.values()], 1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *(_tick(_x(value, across), HEIGHT - BOTTOM + 18, value, "middle") for value in across),
        *(_tick(LEFT - 8, _y(value, up) + 4, value, "end") for value in up),
        *(f'<path d="M{LEFT} {_y(value, up):.1f}H{WIDTH - RIGHT}" stroke="#e1e4e9"/>' for value in up),
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{IN_HUNDRED}</text>',
        f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">tokens per target pass</text>',
    ]
    points = [(_x(a["divergences"], across), _y(a["mat"], up), label, a["rule"]) for label, a in overall.items()]
    for (x, y, label, rule), at in zip(points, _spread([y for _, y, *_ in points]), strict=True):
        color = COLORS[rule]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{color}"/>')
        parts.append(
            f'<path d="M{x + 6:.1f} {y:.1f}L{WIDTH - RIGHT + 8} {at:.1f}" stroke="{color}" stroke-opacity="0.35"/>'
        )
        parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{at + 4:.1f}" fill="{color}">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _axis(values: Sequence[float], least: float) -> list[float]:
    """Evenly spaced ticks from ``least`` beyond the largest value."""
    span = max(max(values, default=least) - least, 0.1) * 1.05
    return [least + span * i / (TICKS - 1) for i in range(TICKS)]


def _x(value: float, ticks: Sequence[float]) -> float:
    return LEFT + (value - ticks[0]) / (ticks[-1] - ticks[0]) * (WIDTH - LEFT - RIGHT)


def _y(value: float, ticks: Sequence[float]) -> float:
    return HEIGHT - BOTTOM - (value - ticks[0]) / (ticks[-1] - ticks[0]) * (HEIGHT - TOP - BOTTOM)


def _tick(x: float, y: float, value: float, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#5d6773">{value:.2f}</text>'


def _spread(heights: Sequence[float], apart: float = 15.0) -> list[float]:
    """Heights for the names, in the same order, no two closer than ``apart``."""
    places = dict.fromkeys(range(len(heights)), 0.0)
    last = -apart
    for i in sorted(places, key=heights.__getitem__):
        last = places[i] = max(heights[i], last + apart)
    return list(places.values())
