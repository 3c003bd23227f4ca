"""Where the time went: one lane a phase, and plain decoding of the same prompt on the same axis when measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.panels.drawing import AddedMarks, Figure, Layout, Marker, Trace
from app.panels.entropy import append
from app.panels.labels import count
from respec_core.trace.placing import PlacedRound, placed_rounds
from respec_core.trace.round import Step
from respec_core.trace.schema import ReferenceAR, Run

LANES = ("route", "retrieve", "draft", "verify", "commit")
LANE_OF = {"search": "draft", "fuse": "draft"}
PLAIN = "plain"
ORDER = (*LANES, PLAIN)
LOOK: dict[str, Marker] = {
    "route": {"color": "var:phase-quiet", "pattern": {"shape": "."}},
    "retrieve": {"color": "var:phase-retrieve", "pattern": {"shape": "x"}},
    "draft": {"color": "var:accent", "pattern": {"shape": "/"}},
    "verify": {"color": "var:phase-verify", "pattern": {"shape": ""}},
    "commit": {"color": "var:phase-quiet", "pattern": {"shape": "-"}},
    PLAIN: {"color": "var:phase-plain", "pattern": {"shape": ""}},
}


def no_bars() -> list[AddedMarks]:
    """Nothing for any lane."""
    return [{"x": [], "y": [], "base": [], "customdata": [], "text": []} for _ in ORDER]


def timeline_bars(round: PlacedRound) -> list[AddedMarks]:
    """What a round adds to each lane of :func:`timeline_base`."""
    found: list[list[tuple[float, float, str]]] = [[] for _ in ORDER]  # duration, start, text
    step, at = round.step, round.start_ms
    for phase, ms in step.phase_ms.items():
        lane = LANE_OF.get(phase, phase)
        if lane not in LANES:
            continue
        tokens = str(len(step.commit.emitted_ids)) if lane == "verify" else ""
        found[ORDER.index(lane)].append((ms, at, tokens))
        at += ms
    return [
        {
            "x": [ms for ms, *_ in bars],
            "y": [-i] * len(bars),
            "base": [start for _, start, _ in bars],
            "customdata": [step.i] * len(bars),
            "text": [text for *_, text in bars],
        }
        for i, bars in enumerate(found)
    ]


def plain_bar(reference: ReferenceAR) -> list[AddedMarks]:
    """The bar of plain decoding, measured."""
    bars = no_bars()
    label = f"plain decoding: {count(len(reference.output_ids), 'token')}, {reference.wall_s:.2f} s"
    bars[-1] = {
        "x": [reference.wall_s * 1e3],
        "y": [-len(LANES)],
        "base": [0.0],
        "customdata": [-1],
        "text": [label],
    }
    return bars


def timeline_ticks(spent: Mapping[str, float], reference: ReferenceAR | None) -> list[str]:
    """Lane labels with the time spent in each so far, in milliseconds."""
    by_lane = dict.fromkeys(LANES, 0.0)
    for phase, ms in spent.items():
        lane = LANE_OF.get(phase, phase)
        if lane in by_lane:
            by_lane[lane] += ms
    labels = [f"{lane}  {duration(by_lane[lane])}" for lane in LANES]
    return [*labels, f"plain  {duration(reference.wall_s * 1e3)}" if reference else "plain  not measured"]


def duration(ms: float) -> str:
    """``0``, ``0.4 ms``, ``12 ms``, ``1.24 s``."""
    if ms == 0:
        return "0"
    if ms < 9.95:
        return f"{ms:.1f} ms"
    return f"{ms:.0f} ms" if ms < 999.5 else f"{ms / 1e3:.2f} s"


def spent_by_phase(steps: Sequence[Step]) -> dict[str, float]:
    """Milliseconds by phase."""
    spent: dict[str, float] = {}
    for step in steps:
        for phase, ms in step.phase_ms.items():
            spent[phase] = spent.get(phase, 0.0) + ms
    return spent


def timeline_base() -> Figure:
    """The empty figure that rounds are appended to."""
    data: list[Trace] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": lane,
            "x": [],
            "y": [],
            "base": [],
            "customdata": [],
            "text": [],
            "textposition": "inside",
            "insidetextanchor": "start" if lane == PLAIN else "middle",
            "textangle": 0,
            "textfont": {"color": "var:on-phase", "size": 12},
            "constraintext": "inside",
            "hoverinfo": "none",
            "width": 0.72,
            "marker": {**LOOK[lane], "line": {"width": 0.6, "color": "var:surface"}},
        }
        for lane in ORDER
    ]
    layout: Layout = {
        "height": 208,
        "margin": {"l": 128, "r": 12, "t": 8, "b": 34},
        "barmode": "overlay",
        "uniformtext": {"mode": "hide", "minsize": 12},
        "xaxis": {"title": {"text": "engine time (ms), prompt processing excluded"}, "rangemode": "tozero"},
        "yaxis": {
            "tickvals": [-i for i in range(len(ORDER))],
            "ticktext": timeline_ticks({}, None),
            "range": [-len(ORDER) + 0.4, 0.6],
            "fixedrange": True,
            "zeroline": False,
            "showgrid": False,
        },
        "showlegend": False,
        "dragmode": "pan",
    }
    return {"data": data, "layout": layout, "alt": "Time of each phase, round by round."}


def timeline_figure(run: Run) -> Figure:
    """The whole run's figure."""
    figure = timeline_base()
    for round in placed_rounds(run):
        append(figure, timeline_bars(round))
    if run.reference_ar:
        append(figure, plain_bar(run.reference_ar))
    figure["layout"]["yaxis"]["ticktext"] = timeline_ticks(spent_by_phase(run.steps), run.reference_ar)
    return figure
