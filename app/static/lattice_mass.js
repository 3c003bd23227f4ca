// Where every position of a lattice was cut: its candidates stacked by probability, likeliest at the bottom, and τ.

import { clipped, DOMAIN, fixedAxis, inkOn, rounded, share } from "./lattice_paths.js";
import { inert, short } from "./signs.js";

/** @import { Cell } from "./lattice_paths.js" */
/** @import { Figure, Lattice, LatticeCandidate, Layout, Marker, Trace } from "./types.js" */

/** @typedef {{ cell: Cell, candidate: LatticeCandidate, p: number, below: number }} Piece of a bar, on what is below it */

const HEIGHT = 340; // pixels
const WIDE_BAR = 84;
const BAR = 48;
const MANY = 8; // positions: from here on bars and texts are narrow
const READABLE = 0.055; // share of the height that a token's text needs
const HALF = 0.4; // of a bar's width
const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** @type {Marker} */
const HATCHED = {
  color: "var:surface",
  pattern: { shape: "/", size: 7, solidity: 0.2, fgcolor: "var:faint" },
  line: { width: 1, color: "var:line-strong" },
};

/**
 * A bar for every position: kept candidates, cut ones, and a line where `M_i` of them were enough.
 *
 * @param {Lattice} lattice
 * @returns {Figure}
 */
export function massFigure(lattice) {
  const columns = lattice.positions.length;
  const pieces = piecesOf(lattice);
  const kept = pieces.filter(({ candidate }) => candidate.kept);
  const cut = pieces.filter(({ candidate }) => !candidate.kept);
  const named = kept.filter(({ p }) => p >= READABLE);
  return {
    data: [bars(kept, scaled(kept)), bars(cut, HATCHED), names(named, columns), cuts(lattice), marks(lattice)],
    layout: layout(lattice),
    min_width: columns * (columns > MANY ? BAR : WIDE_BAR) + 114,
  };
}

/**
 * @param {Lattice} lattice
 * @returns {Piece[]}
 */
const piecesOf = ({ positions }) =>
  positions.flatMap(({ i, cand }) => {
    let below = 0;
    return cand.map((candidate, rank) => {
      const piece = { cell: /** @type {Cell} */ ([i, rank]), candidate, p: Math.exp(candidate.logp_dlm), below };
      below += piece.p;
      return piece;
    });
  });

/**
 * @param {Lattice} lattice
 * @returns {Layout}
 */
function layout({ positions, tau }) {
  const ticks = positions.map(({ i, M_i, mass_at_cut }) => `${i + 1}<br>${M_i} · ${share(mass_at_cut)}`);
  const title = `draft position; M kept · their probability (τ = ${share(tau)})`;
  const across = { type: "line", xref: "paper", x0: 0, x1: 1, yref: "y", y0: tau, y1: tau };
  return {
    height: HEIGHT,
    margin: { l: 52, r: 62, t: 8, b: 54 },
    barmode: "overlay",
    xaxis: fixedAxis(title, ticks, [-0.5, positions.length - 0.5]),
    yaxis: {
      ...fixedAxis("probability, added up by rank", SHARES.map(share), [0, 1.06]),
      tickvals: SHARES,
      showgrid: true,
    },
    shapes: [{ ...across, line: { color: "var:rejected", width: 2, dash: "dash" } }],
    annotations: [
      {
        xref: "paper",
        x: 1,
        xanchor: "left",
        yref: "y",
        y: tau,
        text: `τ = ${share(tau)}`,
        showarrow: false,
        font: { size: 12, color: "var:rejected-ink" },
      },
    ],
    showlegend: false,
    dragmode: false,
  };
}

/**
 * @param {Piece[]} pieces
 * @param {Marker} marker
 * @returns {Trace}
 */
const bars = (pieces, marker) => ({
  type: "bar",
  x: pieces.map(({ cell }) => cell[0]),
  y: pieces.map(({ p }) => rounded(p, 4)),
  base: pieces.map(({ below }) => rounded(below, 4)),
  width: 2 * HALF, // else as wide as the next bar is far
  customdata: pieces.map(({ cell }) => cell),
  hoverinfo: "none",
  marker,
});

/**
 * @param {Piece[]} pieces
 * @returns {Marker}
 */
const scaled = (pieces) => ({
  color: pieces.map(({ candidate }) => clipped(candidate.logp_dlm)),
  cmin: DOMAIN[0],
  cmax: DOMAIN[1],
  colorscale: "scale:cividis",
  line: { width: 1, color: "var:surface" },
});

/**
 * @param {Piece[]} pieces
 * @param {number} columns
 * @returns {Trace}
 */
const names = (pieces, columns) => ({
  type: "scatter",
  mode: "text",
  x: pieces.map(({ cell }) => cell[0]),
  y: pieces.map(({ p, below }) => rounded(below + p / 2, 4)),
  text: pieces.map(({ candidate: { text, is_eos } }) =>
    inert(`${short(text, columns > MANY ? 6 : 10)}${is_eos ? " ⏹" : ""}`),
  ),
  textfont: { family: "var:mono", size: 12, color: pieces.map(({ candidate }) => inkOn(candidate.logp_dlm)) },
  hoverinfo: "skip",
});

/**
 * A bar's line at `M_i`.
 *
 * @param {Lattice} lattice
 * @returns {Trace}
 */
const cuts = ({ positions }) => ({
  type: "scatter",
  mode: "lines",
  x: positions.flatMap(({ i }) => [i - HALF - 0.05, i + HALF + 0.05, null]),
  y: positions.flatMap(({ mass_at_cut: mass }) => [rounded(mass, 4), rounded(mass, 4), null]),
  hoverinfo: "skip",
  line: { color: "var:ink", width: 3 },
});

/**
 * @param {Lattice} lattice
 * @returns {Trace}
 */
const marks = ({ positions }) => ({
  type: "scatter",
  mode: "text",
  x: positions.map(({ i }) => i),
  y: positions.map(({ mass_at_cut: mass }) => rounded(mass, 4)),
  text: positions.map(({ M_i }) => `M = ${M_i}`),
  textposition: "top center",
  textfont: { size: 12, color: "var:ink" },
  hoverinfo: "skip",
});
