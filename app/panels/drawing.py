"""As much of Plotly's vocabulary as our figures use: a name that is not here is an error of typing, in Python and in scripts.

Colours may be names, ``var:`` of the theme or ``scale:`` of a scale; a sequence has one value a mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

Place = float | str | None  # on an axis; None is a gap in a line


class MarkNote(TypedDict):
    """What a mark says on hover, and what it stands for: a node of the round, a round from 1, a position of a text."""

    note: str
    node: NotRequired[int]
    round: NotRequired[int]
    at: NotRequired[int]


class Stroke(TypedDict, total=False):
    """A line's looks."""

    color: str | Sequence[str]
    width: float | Sequence[float]
    dash: str
    shape: str


class Font(TypedDict, total=False):
    """A text's."""

    family: str
    size: float
    color: str | Sequence[str]


class Hatching(TypedDict, total=False):
    """A bar's strokes, for those who do not tell colours apart."""

    shape: str | Sequence[str]
    size: float
    solidity: float
    fgcolor: str
    fillmode: str


class Marker(TypedDict, total=False):
    """A mark's looks; numbers for colours lie between ``cmin`` and ``cmax`` of the scale."""

    symbol: str | Sequence[str]
    size: float | Sequence[float]
    color: str | Sequence[float] | Sequence[str]
    opacity: float | Sequence[float]
    line: Stroke
    pattern: Hatching
    cmin: float
    cmax: float
    colorscale: str


class ErrorBars(TypedDict, total=False):
    """Whiskers."""

    type: str
    symmetric: bool
    array: Sequence[float]
    arrayminus: Sequence[float]
    color: str
    thickness: float
    width: float


class Trace(TypedDict, total=False):
    """Marks of one kind. ``customdata`` is what they stand for, a note or what the panel's script knows."""

    type: Literal["bar", "scatter", "heatmap"]
    mode: str
    name: str
    x: Sequence[Place]
    y: Sequence[Place]
    z: Sequence[Sequence[float | None]]
    base: Sequence[float]
    width: float | Sequence[float]
    text: Sequence[str] | None
    customdata: Sequence[MarkNote | Sequence[int] | Sequence[str] | float | str | None]
    error_x: ErrorBars
    error_y: ErrorBars
    yaxis: str
    line: Stroke
    marker: Marker
    fill: str
    fillcolor: str
    opacity: float
    textfont: Font
    insidetextfont: Font
    outsidetextfont: Font
    textposition: str | Sequence[str]
    insidetextanchor: str
    textangle: float
    constraintext: str
    cliponaxis: bool
    showlegend: bool
    colorscale: str
    showscale: bool
    zmin: float
    zmax: float
    xgap: float
    ygap: float
    orientation: str
    hoverinfo: str


class AddedMarks(TypedDict, total=False):
    """What is appended to a trace's."""

    x: Sequence[float]
    y: Sequence[float]
    base: Sequence[float]
    customdata: Sequence[int]
    text: Sequence[str]


class Caption(TypedDict):
    """Words at an axis."""

    text: str


class AutoRange(TypedDict):
    """What an axis shows at least."""

    include: Sequence[float]


class Axis(TypedDict, total=False):
    """One of the two, or three."""

    title: Caption
    range: Sequence[float]
    rangemode: str
    autorange: bool | str
    autorangeoptions: AutoRange
    minallowed: float
    domain: Sequence[float]
    anchor: str
    tickvals: Sequence[float]
    ticktext: Sequence[str]
    tickformat: str
    ticksuffix: str
    tickangle: float
    tickfont: Font
    dtick: float
    nticks: int
    showgrid: bool
    gridcolor: str
    zeroline: bool
    zerolinecolor: str
    fixedrange: bool
    automargin: bool
    visible: bool
    type: str


class DrawnShape(TypedDict, total=False):
    """A line or box that is no mark."""

    type: str
    xref: str
    yref: str
    x0: float
    x1: float
    y0: float
    y1: float
    line: Stroke
    fillcolor: str
    layer: str


class Annotation(TypedDict, total=False):
    """A text that is no mark."""

    xref: str
    yref: str
    x: float
    y: float
    xanchor: str
    yanchor: str
    text: str
    showarrow: bool
    font: Font


class Margins(TypedDict):
    """Pixels around the plot."""

    l: float  # noqa: E741  # Plotly's names
    r: float
    t: float
    b: float


class Legend(TypedDict, total=False):
    """Where the names of the traces stand."""

    orientation: str
    x: float
    y: float
    yanchor: str
    font: Font


class UniformText(TypedDict):
    """What becomes of a text without room."""

    mode: str
    minsize: float


class Layout(TypedDict, total=False):
    """All that is not a trace; height in pixels, the width is the page's."""

    height: float
    margin: Margins
    xaxis: Axis
    yaxis: Axis
    yaxis2: Axis
    showlegend: bool
    legend: Legend
    dragmode: str | Literal[False]
    barmode: str
    bargap: float
    uniformtext: UniformText
    shapes: Sequence[DrawnShape]
    annotations: Sequence[Annotation]


class Figure(TypedDict):
    """A drawing as Plotly.js takes it.

    Attributes:
        alt: the drawing in a sentence, for those who cannot see it.
        min_width: pixels that it needs, where that is more than a narrow page has.
    """

    data: list[Trace]
    layout: Layout
    alt: NotRequired[str]
    min_width: NotRequired[float]
