// Where paths run through a diffusion lattice, what became of them, and the colours and signs that its views share.

/** @import { Axis, Beam, CellVerdict, Lattice, LatticePosition, Trace } from "./types.js" */

/** @typedef {[position: number, rank: number]} Cell both from 0 */

export const DOMAIN = /** @type {const} */ ([-6, 0]); // log-probability in nats, the same in every view and round
const BRIGHT = -2.7; // above it Cividis is light and text is black
const MAX_CELLS = 1024;
const LEAST_POSITIONS = 8;

/**
 * @param {LatticePosition | undefined} position
 * @param {number | undefined} token
 * @returns {Cell[]} the cell of the token, if the position offers it
 */
export function cellsAt(position, token) {
  const rank = position?.cand.findIndex((candidate) => candidate.token === token) ?? -1;
  return position && rank >= 0 ? [[position.i, rank]] : [];
}

/**
 * @param {Lattice} lattice
 * @param {readonly number[]} tokens
 * @returns {Cell[]} where a path runs, without the places where it left the lattice
 */
export const cellsOf = (lattice, tokens) => tokens.flatMap((token, i) => cellsAt(lattice.positions[i], token));

/**
 * Log-probability of a candidate behind one of the position before; its own where positions do not hang on each other.
 *
 * @param {Lattice} lattice
 * @param {Cell} from
 * @param {Cell} to
 */
export const linkOf = ({ positions, links }, [, before], [x, rank]) =>
  links?.[x]?.edges[before]?.[rank] ?? positions[x].cand[rank].logp_dlm;

/** The tokens of the best path. @param {Lattice} lattice */
export const chosenPath = ({ beams, chosen }) => beams[chosen]?.tokens ?? [];

/**
 * @param {Lattice} lattice
 * @returns {Beam[]} all but the chosen one, best first
 */
export const otherBeams = ({ beams, chosen }) => beams.filter((_, i) => i !== chosen);

/**
 * What the text that was written says about the chosen path: so many of its tokens agree, then no more.
 *
 * @param {Lattice} lattice
 * @param {readonly number[]} written
 * @param {number} accepted
 * @param {boolean} known whether the text says what comes next
 * @returns {CellVerdict}
 */
export function verdictAgainst(lattice, written, accepted, known) {
  const path = cellsOf(lattice, chosenPath(lattice)); // every token of a path is a candidate
  const agreed = path.slice(0, accepted);
  if (!known || accepted >= path.length) return { accepted: agreed, rejected: [], own: [] };
  const own = cellsAt(lattice.positions[accepted], written[accepted]);
  return { accepted: agreed, rejected: path.slice(accepted, accepted + 1), own };
}

/**
 * A lattice cut down to what a drawing has room for: first positions, likeliest candidates, best beams.
 *
 * @param {Lattice} lattice
 * @param {number} [room] about so many cells, and beams and passes to match
 * @returns {Lattice} itself where it fits
 */
export function thinned(lattice, room = MAX_CELLS) {
  const { positions, beams, passes, links } = lattice;
  const longest = Math.max(...positions.map(({ cand }) => cand.length), beams.length, passes.length);
  if (positions.length * longest <= room) return lattice;
  const wide = Math.min(positions.length, Math.max(LEAST_POSITIONS, Math.floor(room / longest)));
  const deep = Math.max(1, Math.floor(room / wide));
  const narrow = Math.max(1, Math.floor(deep / Math.max(1, passes.length)));
  return {
    ...lattice,
    positions: positions.slice(0, wide).map((position) => ({ ...position, cand: position.cand.slice(0, deep) })),
    beams: [beams[lattice.chosen], ...otherBeams(lattice)].slice(0, deep),
    chosen: 0,
    passes: passes.slice(0, deep).map(({ cand, decided }) => ({
      cand: cand.slice(0, wide).map((found) => found.slice(0, narrow)),
      decided: decided.filter((i) => i < wide),
    })),
    links:
      links?.slice(0, wide).map(({ edges, alone }) => ({
        edges: edges.slice(0, deep).map((row) => row.slice(0, deep)),
        alone: alone.slice(0, deep),
      })) ?? null,
  };
}

/**
 * @param {Lattice} lattice
 * @returns {string} how many candidates are not drawn, as a sentence; empty where all are
 */
export function leftOut(lattice) {
  const cells = (/** @type {Lattice} */ { positions }) => positions.reduce((sum, { cand }) => sum + cand.length, 0);
  const more = cells(lattice) - cells(thinned(lattice));
  return more ? `+${more} more candidates are not drawn.` : "";
}

/**
 * @param {CellVerdict} verdict
 * @param {Lattice} lattice
 * @returns {CellVerdict} of the cells that the lattice has
 */
export function within({ accepted, rejected, own }, { positions }) {
  const there = (/** @type {Cell[]} */ cells) => cells.filter(([x, rank]) => positions[x]?.cand[rank]);
  return { accepted: there(accepted), rejected: there(rejected), own: there(own) };
}

/** Text colour that can be read on a cell. @param {number} logp */
export const inkOn = (logp) => (logp > BRIGHT ? "#000000" : "#ffffff");

/** @param {number} value @param {number} digits */
export const rounded = (value, digits) => Number(value.toFixed(digits));

/** A log-probability within the colour domain. @param {number} logp */
export const clipped = (logp) => rounded(Math.max(DOMAIN[0], logp), 3);

/** @param {number} p */
export const share = (p) => `${Math.round(100 * p)}%`;

/**
 * ✓ on what was accepted, ✗ on the first guess that was not, ↻ on the target's own token.
 *
 * @param {CellVerdict} verdict
 * @param {number} left of the cell's middle
 * @param {number} up
 * @param {(rank: number) => number} row where a rank is drawn
 * @returns {Trace}
 */
export function signs({ accepted, rejected, own }, left, up = 0, row = (rank) => rank) {
  const found = [
    ...accepted.map((cell) => ({ cell, sign: "✓", fill: "var:accepted", ink: "#ffffff" })),
    ...rejected.map((cell) => ({ cell, sign: "✗", fill: "var:rejected", ink: "#000000" })),
    ...own.map((cell) => ({ cell, sign: "↻", fill: "var:correction", ink: "#000000" })),
  ];
  return {
    type: "scatter",
    mode: "markers+text",
    x: found.map(({ cell }) => cell[0] - left),
    y: found.map(({ cell }) => row(cell[1]) - up),
    text: found.map(({ sign }) => sign),
    textfont: { size: 12, color: found.map(({ ink }) => ink) },
    hoverinfo: "skip",
    marker: {
      symbol: "circle",
      size: 16,
      opacity: 1,
      color: found.map(({ fill }) => fill),
      line: { width: 1.5, color: "var:surface" },
    },
  };
}

/**
 * An axis that stays put.
 *
 * @param {string} title
 * @param {string[]} ticktext one at each whole number
 * @param {[number, number]} range
 * @returns {Axis}
 */
export const fixedAxis = (title, ticktext, range) => ({
  title: { text: title },
  tickvals: ticktext.map((_, i) => i),
  ticktext,
  range,
  showgrid: false,
  zeroline: false,
  fixedrange: true,
});
