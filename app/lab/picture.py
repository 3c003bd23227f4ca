"""One text: what every drafter offers at every position, where these settings and the oracle went, and how sure the target was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from app.lab.asked import Question, config_of
from app.lab.charts import axis, line
from app.lab.drafters import BLOCK, COPIES, HEAD, offers_on
from app.lab.sets import Recorded, TextSet
from app.panels.drawing import Axis, Figure, Layout, Marker, Trace
from app.panels.labels import short
from app.panels.panel import Column, GeneralView, Table, TableRow

if TYPE_CHECKING:
    from respec_core.lab.oracle import Leg
    from respec_core.lab.replay import ReplayedRound
    from respec_core.lab.survey import Offered

PLAIN, OWN = "no draft", "these settings"
ROW_OF = {"retrieval": COPIES, "model": HEAD, "diffusion": BLOCK, "none": PLAIN}
MOST_COLOUR = 12  # accepted tokens: longer copies have the last colour
WIDE = 9.0  # pixels a position


class PictureAnswer(TypedDict):
    """The picture of the text called ``text``."""

    text: str
    panel: GeneralView


def picture_answer(asked: Question, among: TextSet) -> PictureAnswer:
    """The picture under the settings where the cursor stands.

    Raises:
        ReSpecError: for settings that cannot be replayed.
    """
    from respec_core.lab.oracle import regret
    from respec_core.lab.outcome import predicted, told, verdict
    from respec_core.lab.replay import replay

    config, text = config_of(among.atlas, asked.method, asked.pinned), among.text(asked.text)

    def made() -> PictureAnswer:
        offers, run = offers_on(among, text), replay(text.stage, config)
        lost = regret(run, offers, run.tokens)
        spent = f"{lost.spent:.0f} passes for {run.tokens} tokens; the best way takes {lost.best:.0f}"
        says = verdict(predicted([told(run, text.entry.id, text.entry.kind, text.stage.costs)]))
        sentence = (
            f"This text: {says} It takes {spent}. Colour: tokens that would be accepted there. Solid: who these settings let draft; dotted: the oracle's way. "
            "A click opens the round in Live, replayed."
        )
        figure = _figure(text, offers, run.rounds, lost.path)
        table: Table = {"columns": _columns(offers), "rows": _rows(text, offers, run.rounds, lost.path)}
        view: GeneralView = {"sentence": sentence, "figures": {"atlas": figure}, "table": table}
        return {"text": text.entry.id, "panel": view}

    return among.once(("picture", text.entry.id, config.model_dump_json()), made)


def _pieces(text: Recorded) -> list[str]:
    words, ids = text.stage.text.words, text.stage.text.output_ids
    return [(words.by_id.get(token) if words else None) or f"‹{token}›" for token in ids]


def _figure(
    text: Recorded, offers: Mapping[str, Sequence[Offered]], rounds: Sequence[ReplayedRound], way: Sequence[Leg]
) -> Figure:
    rows, entropy = [PLAIN, *offers, OWN], text.stage.text.entropy.tolist()
    n = len(next(iter(offers.values())))
    own: list[int | None] = [None] * n
    for round in rounds:
        own[round.position] = len(round.path)
    cells: list[list[int | None]] = [[0] * n, *_accepted(offers), own]
    taken, best = _own_way(rounds, rows), _oracle_way(way, rows)
    data: list[Trace] = [
        _heat([[None] * n, *cells[1:]]),
        line(*_steps(best, n), "var:correction", 2, line={"dash": "dot"}),
        line(*_steps(taken, n), "var:rejected", 1.8),
        _marks(best, "diamond-open", "var:correction", 8),
        _marks(taken, "circle", "var:rejected", 6),
        {
            "type": "bar",
            "x": [*range(n)],
            "y": entropy[:n],
            "yaxis": "y2",
            "width": 0.9,
            "marker": {"color": "scale:entropy"},
            "hoverinfo": "skip",
        },
        _spots(cells, rows, _pieces(text), entropy),
    ]
    return {"data": data, "layout": _layout(rows, n), "min_width": n * WIDE + 130}


def _spots(
    cells: Sequence[Sequence[int | None]], rows: Sequence[str], pieces: Sequence[str], entropy: Sequence[float]
) -> Trace:
    """What is said on hover, and where a click leads."""
    spots = [
        (at, row) for row, values in enumerate(cells) for at, value in enumerate(values) if value is not None and row
    ]

    def said(at: int, row: int) -> str:
        return f"{at} {short(pieces[at])}: {rows[row]}, {cells[row][at]} accepted; entropy {entropy[at]:.2f} nats"

    return {
        "type": "scatter",
        "mode": "markers",
        "x": [at for at, _ in spots],
        "y": [row for _, row in spots],
        "marker": {"symbol": "square", "size": 11, "opacity": 0},
        "hoverinfo": "none",
        "customdata": [{"at": at, "note": said(at, row)} for at, row in spots],
    }


def _layout(rows: Sequence[str], n: int) -> Layout:
    muted: Axis = {"gridcolor": "var:grid", "zerolinecolor": "var:grid", "tickfont": {"size": 12, "color": "var:muted"}}
    return {
        "height": 26 * len(rows) + 150,
        "margin": {"l": 116, "r": 12, "t": 8, "b": 42},
        "xaxis": axis("position", range=[-0.8, n - 0.2], showgrid=False, zeroline=False),
        "yaxis": axis(
            "",
            domain=[0, 0.7],
            tickvals=[*range(len(rows))],
            ticktext=[*rows],
            range=[-0.6, len(rows) - 0.4],
            showgrid=False,
            zeroline=False,
        ),
        "yaxis2": {**muted, "domain": [0.76, 1], "anchor": "x", "fixedrange": True, "nticks": 3, "ticksuffix": " nats"},
        "showlegend": False,
        "dragmode": False,
        "bargap": 0,
    }


def _accepted(offers: Mapping[str, Sequence[Offered]]) -> list[list[int | None]]:
    return [[one.accepted for one in row] for row in offers.values()]


def _heat(z: Sequence[Sequence[int | None]]) -> Trace:
    scale: Trace = {"zmin": 0, "zmax": MOST_COLOUR, "colorscale": "scale:cividis", "showscale": False}
    return {**scale, "type": "heatmap", "z": z, "hoverinfo": "skip", "xgap": 1, "ygap": 3}


def _marks(way: Sequence[tuple[int, int]], symbol: str, color: str, size: int) -> Trace:
    marker: Marker = {"symbol": symbol, "size": size, "color": color, "line": {"width": 1.5, "color": color}}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [at for at, _ in way],
        "y": [row for _, row in way],
        "marker": marker,
        "hoverinfo": "skip",
    }


def _own_way(rounds: Sequence[ReplayedRound], rows: Sequence[str]) -> list[tuple[int, int]]:
    return [(round.position, _place(_who(round), rows)) for round in rounds]


def _who(round: ReplayedRound) -> str:
    """Whose row it belongs to; its own where several drafted."""
    return ROW_OF.get(round.decision.chosen, OWN) if len(round.draft.tree) > 1 else PLAIN


def _oracle_way(way: Sequence[Leg], rows: Sequence[str]) -> list[tuple[int, int]]:
    from respec_core.lab import oracle

    named = {oracle.PLAIN: PLAIN, oracle.OWN: OWN}
    return [(leg.start, _place(named.get(leg.drafter, leg.drafter), rows)) for leg in way]


def _place(name: str, rows: Sequence[str]) -> int:
    return rows.index(name) if name in rows else rows.index(OWN)


def _steps(way: Sequence[tuple[int, int]], n: int) -> tuple[list[float], list[float]]:
    """Level until the next round begins."""
    ends = [*(at for at, _ in way[1:]), n]
    points = [(x, row) for (at, row), end in zip(way, ends, strict=True) for x in (at, end)]
    return [float(x) for x, _ in points], [float(row) for _, row in points]


def _columns(offers: Mapping[str, Sequence[Offered]]) -> list[Column]:
    accepted: list[Column] = [{"key": label, "label": label, "numeric": True} for label in offers]
    return [
        {"key": "at", "label": "position", "numeric": True},
        {"key": "piece", "label": "token", "mono": True},
        {"key": "entropy", "label": "entropy (nats)", "numeric": True},
        *accepted,
        {"key": "own", "label": OWN},
        {"key": "oracle", "label": "oracle"},
    ]


def _rows(
    text: Recorded, offers: Mapping[str, Sequence[Offered]], rounds: Sequence[ReplayedRound], way: Sequence[Leg]
) -> list[TableRow]:
    pieces, entropy = _pieces(text), text.stage.text.entropy.tolist()
    own = {round.position: f"{_who(round)}, {len(round.path)} accepted" for round in rounds}
    best = {leg.start: f"{leg.drafter}, to {leg.end}" for leg in way}
    return [
        {
            "at": at,
            "piece": pieces[at],
            "entropy": entropy[at],
            **{label: row[at].accepted for label, row in offers.items()},
            "own": own.get(at, ""),
            "oracle": best.get(at, ""),
        }
        for at in range(len(next(iter(offers.values()))))
    ]
