// The lattice as a trellis: kept candidates as nodes, the beams of the search as edges between them.

import {
  cellsOf,
  chosenPath,
  clipped,
  DOMAIN,
  fixedAxis,
  linkOf,
  otherBeams,
  rounded,
  share,
  signs,
} from "./lattice_paths.js";
import { inert, short } from "./signs.js";

/** @import { Cell } from "./lattice_paths.js" */
/** @import { CellVerdict, Figure, Lattice, Trace } from "./types.js" */

/** @typedef {(rank: number) => number} Row where a rank is drawn */

const ROW = 50; // pixels
const WIDE_COLUMN = 84;
const COLUMN = 64;
const MANY = 8; // positions: from here on columns and texts are narrow
const ALWAYS = 3; // ranks drawn even where no beam passes
const START = /** @type {Cell} */ ([-1, 0]); // where every beam begins
const THIN = 1.2; // edges, pixels
const THICK = 3;
const CHOSEN = 4.2;

/**
 * Nodes by probability, edges by the score of the best beam through them; ranks that no beam uses are left out.
 *
 * @param {Lattice} lattice
 * @param {CellVerdict} verdict
 * @returns {Figure}
 */
export function trellisFigure(lattice, verdict) {
  const columns = lattice.positions.length;
  const paths = [chosenPath(lattice), ...otherBeams(lattice).map(({ tokens }) => tokens)].map((tokens) => [
    START,
    ...cellsOf(lattice, tokens),
  ]);
  const { ranks, strong, faint, unseen } = drawnCells(lattice, verdict, paths);
  const row = (/** @type {number} */ rank) => ranks.indexOf(rank);
  const more = lattice.positions.map((_, x) => unseen.filter(([at]) => at === x).length);
  const title = `draft position${more.some(Boolean) ? "; + n: kept, on no beam, not drawn" : ""}`;
  const ticks = more.map((n, x) => `${x + 1}${n ? `<br>+ ${n}` : ""}`);
  const rankAxis = fixedAxis(
    "candidate rank",
    ranks.map((rank) => String(rank + 1)),
    [ranks.length - 0.25, -0.6],
  );
  return {
    data: [
      ...edges(lattice, paths, row).reverse(), // the chosen path above the others
      line(verdict.accepted.length ? [START, ...verdict.accepted] : [], row, "var:accepted", 7),
      nodes(lattice, faint, row, true),
      nodes(lattice, strong, row, false),
      start(),
      signs(verdict, 0.2, 0.3, row),
      ...(lattice.links ? [linked(lattice, paths, row)] : []),
    ],
    layout: {
      height: ranks.length * ROW + 74,
      margin: { l: 40, r: 12, t: 8, b: 54 },
      xaxis: fixedAxis(title, ticks, [-1.6, columns - 0.5]),
      yaxis: rankAxis,
      showlegend: false,
      dragmode: false,
    },
    min_width: (columns + 1) * (columns > MANY ? COLUMN : WIDE_COLUMN) + 52,
  };
}

/**
 * @param {Lattice} lattice
 * @param {CellVerdict} verdict
 * @param {Cell[][]} paths
 * @returns {{ ranks: number[], strong: Cell[], faint: Cell[], unseen: Cell[] }} what is drawn; `unseen` was kept and is not
 */
function drawnCells({ positions }, verdict, paths) {
  const onPaths = paths.flatMap((path) => path.slice(1));
  const used = distinct([...onPaths, ...verdict.accepted, ...verdict.rejected, ...verdict.own]);
  const kept = positions.flatMap(({ i, cand }) =>
    cand.flatMap((candidate, rank) => (candidate.kept ? [/** @type {Cell} */ ([i, rank])] : [])),
  );
  const ranks = [
    ...new Set([0, ...used.map(([, rank]) => rank), ...kept.map(([, rank]) => rank).filter((r) => r < ALWAYS)]),
  ];
  ranks.sort((a, b) => a - b);
  const keptKeys = new Set(kept.map(String));
  const strong = distinct([...used.filter((cell) => keptKeys.has(String(cell))), ...onPaths]);
  const strongKeys = new Set(strong.map(String));
  const shown = distinct([...kept, ...used]).filter(([, rank]) => ranks.includes(rank));
  return {
    ranks,
    strong,
    faint: shown.filter((cell) => !strongKeys.has(String(cell))),
    unseen: kept.filter(([, rank]) => !ranks.includes(rank)),
  };
}

/**
 * @param {Cell[]} cells
 * @returns {Cell[]} each once, in order
 */
const distinct = (cells) =>
  [...new Map(cells.map((cell) => [String(cell), cell])).values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);

/**
 * A trace for every beam; what it shares with a better one is drawn there.
 *
 * @param {Lattice} lattice
 * @param {Cell[][]} paths the chosen one first
 * @param {Row} row
 * @returns {Trace[]}
 */
function edges(lattice, paths, row) {
  const scores = otherBeams(lattice).map(({ score }) => score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const seen = new Set();
  return paths.map((path, number) => {
    /** @type {Array<Cell | null>} */
    const ends = [];
    path.slice(1).forEach((cell, i) => {
      const key = `${path[i]} ${cell}`;
      if (!seen.has(key)) ends.push(path[i], cell, null);
      seen.add(key);
    });
    if (!number) return line(ends, row, "var:ink", CHOSEN);
    const part = high > low ? (scores[number - 1] - low) / (high - low) : 1;
    return line(ends, row, "var:muted", rounded(THIN + (THICK - THIN) * part, 2));
  });
}

/**
 * What each drawn edge has, where a guess hangs on the token before it.
 *
 * @param {Lattice} lattice
 * @param {Cell[][]} paths
 * @param {Row} row
 * @returns {Trace}
 */
function linked(lattice, paths, row) {
  const steps = paths.flatMap((path) => path.slice(1).map((to, i) => /** @type {[Cell, Cell]} */ ([path[i], to])));
  const drawn = [...new Map(steps.map((step) => [String(step), step])).values()];
  return {
    type: "scatter",
    mode: "text",
    x: drawn.map(([from, to]) => (from[0] + to[0]) / 2),
    y: drawn.map(([from, to]) => (row(from[1]) + row(to[1])) / 2 - 0.12),
    text: drawn.map(([from, to]) => share(Math.exp(linkOf(lattice, from, to)))),
    textfont: { size: 12, color: "var:ink" },
    hoverinfo: "skip",
  };
}

/**
 * @param {Array<Cell | null>} cells
 * @param {Row} row
 * @param {string} color
 * @param {number} width
 * @returns {Trace}
 */
const line = (cells, row, color, width) => ({
  type: "scatter",
  mode: "lines",
  x: cells.map((cell) => cell && cell[0]),
  y: cells.map((cell) => cell && row(cell[1])),
  hoverinfo: "skip",
  line: { color, width },
});

/**
 * @param {Lattice} lattice
 * @param {Cell[]} cells
 * @param {Row} row
 * @param {boolean} faint
 * @returns {Trace}
 */
function nodes({ positions }, cells, row, faint) {
  const found = cells.map(([x, rank]) => positions[x].cand[rank]);
  const letters = positions.length > MANY ? 7 : 11;
  return {
    type: "scatter",
    mode: "markers+text",
    x: cells.map(([x]) => x),
    y: cells.map(([, rank]) => row(rank)),
    text: found.map(({ text, is_eos }) => inert(`${short(text, letters)}${is_eos ? " ⏹" : ""}`)),
    textposition: "bottom center",
    textfont: { family: "var:mono", size: 12, color: faint ? "var:muted" : "var:ink" },
    customdata: cells,
    hoverinfo: "none",
    marker: {
      symbol: "circle",
      size: found.map(({ logp_dlm }) => rounded(7 + 17 * Math.sqrt(Math.exp(Math.min(0, logp_dlm))), 1)),
      color: found.map(({ logp_dlm }) => clipped(logp_dlm)),
      cmin: DOMAIN[0],
      cmax: DOMAIN[1],
      colorscale: "scale:cividis",
      opacity: faint ? 0.45 : 1,
      line: { width: 1.2, color: "var:outline" },
    },
  };
}

/** @returns {Trace} */
const start = () => ({
  type: "scatter",
  mode: "markers+text",
  x: [START[0]],
  y: [START[1]],
  text: ["text so far"],
  textposition: "bottom center",
  textfont: { size: 12, color: "var:muted" },
  hoverinfo: "skip",
  marker: { symbol: "square", size: 10, color: "var:ink", opacity: 1 },
});
