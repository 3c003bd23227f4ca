// The lattice as a heat map, positions by candidate rank, and how it looked after each refinement pass.

import {
  cellsOf,
  chosenPath,
  clipped,
  DOMAIN,
  fixedAxis,
  inkOn,
  otherBeams,
  rounded,
  share,
  signs,
} from "./lattice_paths.js";
import { inert, short } from "./signs.js";

/** @import { Cell } from "./lattice_paths.js" */
/** @import { Candidate, CellVerdict, DrawnShape, Figure, Lattice, Layout, Stroke, Trace } from "./types.js" */

/** @typedef {{ x: Array<number | null>, y: Array<number | null> }} Points */

const ROW = 30; // pixels
const WIDE_CELL = 84;
const CELL = 48;
const MANY = 8; // positions: from here on cells and their texts are narrow
const END_MARK = " ⏹";

/**
 * Every candidate, what was cut, all beams, the favourites of each position, and the verdict.
 *
 * @param {Lattice} lattice
 * @param {CellVerdict} verdict
 * @returns {Figure}
 */
export function mapFigure(lattice, verdict) {
  const { positions, tau } = lattice;
  const rows = rowsFor(lattice, verdict);
  const cells = positions.flatMap(({ i, cand }) =>
    cand.slice(0, rows).map((_, rank) => /** @type {Cell} */ ([i, rank])),
  );
  const beams = joined(otherBeams(lattice).map(({ tokens }) => stroke(cellsOf(lattice, tokens), -0.34)));
  const greedy = stroke(cellsOf(lattice, lattice.top1_path), 0.4);
  const chosen = stroke(cellsOf(lattice, chosenPath(lattice)), 0.27);
  const ticks = positions.map(({ i, M_i, mass_at_cut }) => `${i + 1}<br>${M_i} · ${share(mass_at_cut)}`);
  return {
    data: [
      heat(lattice, rows, true),
      heat(lattice, rows, false),
      hatch(cells.filter(([x, rank]) => !positions[x].cand[rank].kept)),
      candidates(lattice, cells),
      line(beams, { color: "var:surface", width: 3.2 }), // lines lie on a halo
      line(beams, { color: "var:ink", width: 1.1 }),
      line(greedy, { color: "var:surface", width: 4 }),
      line(greedy, { color: "var:ink", width: 1.8, dash: "dash" }),
      line(chosen, { color: "var:surface", width: 5 }),
      line(chosen, { color: "var:ink", width: 2.6 }),
      line(stroke(verdict.accepted, 0.27), { color: "var:accepted", width: 6 }),
      signs(verdict, 0.38),
    ],
    layout: layout(rows, ticks, `draft position; candidates kept · their probability (τ = ${share(tau)})`),
    min_width: widthOf(positions.length),
  };
}

/**
 * The candidates after a refinement pass; what it decided is framed, dotted what was decided before.
 *
 * @param {Lattice} lattice
 * @param {number} pass
 * @returns {Figure}
 */
export function passFigure({ passes }, pass) {
  const { cand, decided } = passes[pass];
  const rows = Math.max(1, ...cand.map((found) => found.length));
  const before = [...new Set(passes.slice(0, pass).flatMap((seen) => seen.decided))].sort((a, b) => a - b);
  const cells = cand.flatMap((found, x) => found.map((_, rank) => /** @type {Cell} */ ([x, rank])));
  const z = rowsOf(rows, (rank) => cand.map((found) => (found[rank] ? log(found[rank]) : null)));
  const marks = cells.map(([x, rank]) => ({ text: cand[x][rank].text, ink: inkOn(log(cand[x][rank])), mark: "" }));
  const ticks = cand.map((_, x) => String(x + 1));
  const shapes = [...before.map((i) => frame(i, false)), ...decided.map((i) => frame(i, true))];
  return {
    data: [heatOf(z), texts(cells, marks, cand.length)],
    layout: { ...layout(rows, ticks, "draft position"), shapes },
    min_width: widthOf(cand.length),
  };
}

/** @param {Candidate} candidate */
const log = ({ p }) => (p > 0 ? clipped(Math.log(p)) : DOMAIN[0]);

/**
 * Around a decided position's token: bold in the pass that decided it, dotted afterwards.
 *
 * @param {number} position
 * @param {boolean} now
 * @returns {DrawnShape}
 */
const frame = (position, now) => ({
  type: "rect",
  xref: "x",
  yref: "y",
  x0: rounded(position - 0.48, 2),
  x1: rounded(position + 0.48, 2),
  y0: -0.46,
  y1: 0.46,
  line: now ? { color: "var:ink", width: 3 } : { color: "var:muted", width: 1.5, dash: "dot" },
  fillcolor: "rgba(0,0,0,0)",
});

/**
 * @param {number} rows
 * @param {string[]} ticks
 * @param {string} title
 * @returns {Layout}
 */
const layout = (rows, ticks, title) => ({
  height: rows * ROW + 66,
  margin: { l: 40, r: 12, t: 8, b: 54 },
  xaxis: fixedAxis(title, ticks, [-0.5, ticks.length - 0.5]),
  yaxis: fixedAxis(
    "candidate rank",
    rowsOf(rows, (rank) => String(rank + 1)),
    [rows - 0.5, -0.5],
  ),
  showlegend: false,
  dragmode: false,
});

/** @param {number} columns */
const widthOf = (columns) => columns * (columns > MANY ? CELL : WIDE_CELL) + 52;

/**
 * Ranks worth drawing: all that were kept, two more, and whatever the target pointed at.
 *
 * @param {Lattice} lattice
 * @param {CellVerdict} verdict
 */
function rowsFor({ positions }, { accepted, rejected, own }) {
  const longest = Math.max(1, ...positions.map(({ cand }) => cand.length));
  const deepest = Math.max(0, ...[...accepted, ...rejected, ...own].map(([, rank]) => rank));
  return Math.min(longest, Math.max(4, deepest + 1, ...positions.map(({ M_i }) => M_i + 2)));
}

/**
 * @template T
 * @param {number} rows
 * @param {(rank: number) => T} of
 */
const rowsOf = (rows, of) => Array.from({ length: rows }, (_, rank) => of(rank));

/**
 * @param {Lattice} lattice
 * @param {number} rows
 * @param {boolean} kept which of them, the others faint
 * @returns {Trace}
 */
function heat({ positions }, rows, kept) {
  const value = (/** @type {number} */ x, /** @type {number} */ rank) => {
    const found = positions[x].cand[rank];
    return found?.kept === kept ? clipped(found.logp_dlm) : null;
  };
  const z = rowsOf(rows, (rank) => positions.map((_, x) => value(x, rank)));
  return { ...heatOf(z), opacity: kept ? 1 : 0.22 };
}

/**
 * @param {Array<Array<number | null>>} z
 * @returns {Trace}
 */
const heatOf = (z) => ({
  type: "heatmap",
  z,
  zmin: DOMAIN[0],
  zmax: DOMAIN[1],
  colorscale: "scale:cividis",
  showscale: false,
  hoverinfo: "skip",
  xgap: 2,
  ygap: 2,
});

/** Slanting strokes over the cells that were cut. @param {Cell[]} cells */
function hatch(cells) {
  const shifts = [-0.36, -0.24, -0.12, 0, 0.12, 0.24, 0.36];
  const strokes = cells.flatMap(([x, rank]) =>
    shifts.map((shift) => ({
      x: [rounded(x + shift - 0.05, 2), rounded(x + shift + 0.05, 2)],
      y: [rank + 0.44, rank - 0.44],
    })),
  );
  return line(joined(strokes), { color: "var:faint", width: 0.9 });
}

/**
 * @param {Lattice} lattice
 * @param {Cell[]} cells
 */
function candidates({ positions }, cells) {
  const marks = cells.map(([x, rank]) => {
    const { text, kept, logp_dlm, is_eos } = positions[x].cand[rank];
    return { text, ink: kept ? inkOn(logp_dlm) : "var:muted", mark: is_eos ? END_MARK : "" };
  });
  return texts(cells, marks, positions.length);
}

/**
 * Tokens in their cells, cut to fit, each followed by its mark.
 *
 * @param {Cell[]} cells
 * @param {Array<{ text: string, ink: string, mark: string }>} marks
 * @param {number} columns
 * @returns {Trace}
 */
const texts = (cells, marks, columns) => ({
  type: "scatter",
  mode: "text",
  x: cells.map(([x]) => x),
  y: cells.map(([, rank]) => rank - 0.03),
  text: marks.map(({ text, mark }) => inert(short(text, columns > MANY ? 6 : 10) + mark)),
  textfont: { family: "var:mono", size: 12, color: marks.map(({ ink }) => ink) },
  customdata: cells,
  hoverinfo: "none",
});

/**
 * One after the other, with gaps between them.
 *
 * @param {Points[]} lines
 * @returns {Points}
 */
const joined = (lines) => ({
  x: lines.flatMap(({ x }) => [...x, null]),
  y: lines.flatMap(({ y }) => [...y, null]),
});

/**
 * A path past its cells' texts, with a level stroke inside each cell.
 *
 * @param {Cell[]} cells
 * @param {number} drop below their middle
 * @returns {Points}
 */
const stroke = (cells, drop) => ({
  x: cells.flatMap(([x]) => [x - 0.3, x + 0.3]),
  y: cells.flatMap(([, rank]) => [rounded(rank + drop, 3), rounded(rank + drop, 3)]),
});

/**
 * @param {Points} points
 * @param {Stroke} look
 * @returns {Trace}
 */
const line = ({ x, y }, look) => ({ type: "scatter", mode: "lines", x, y, hoverinfo: "skip", line: look });
