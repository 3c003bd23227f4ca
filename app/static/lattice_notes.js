// What there is to say about a cell of a diffusion lattice, and the lattice as a table.

import { h, numberColumn } from "./dom.js";
import { linkOf, share } from "./lattice_paths.js";
import { visible } from "./signs.js";
import { percent } from "./scales.js";

/** @import { Rows } from "./figure_panel.js" */
/** @import { Cell } from "./lattice_paths.js" */
/** @import { Lattice, LatticePosition } from "./types.js" */

const BEAMS_IN_CARD = 4;
const LINKS_IN_CARD = 3;

/**
 * @param {Lattice} lattice
 * @param {Cell} cell
 */
export function cellNote(lattice, [x, rank]) {
  const position = lattice.positions[x];
  const candidate = position?.cand[rank];
  if (!candidate) return null;
  const p = `${percent(Math.exp(candidate.logp_dlm))} (log ${candidate.logp_dlm.toFixed(2)})`;
  const ends = candidate.is_eos ? ", ends the text" : "";
  return note(
    candidate.text,
    `${place(x, rank)}: ${p}${ends}; ${percent(massUpTo(position, rank))} with those above it`,
    `${candidate.kept ? "kept" : "cut"}: ${cutOf(position, lattice.tau)}`,
    ...linkNotes(lattice, [x, rank]),
    ...beamNotes(lattice, x, candidate.token),
  );
}

/**
 * Before and after a guess knows the token in front of it.
 *
 * @param {Lattice} lattice
 * @param {Cell} cell
 */
function linkNotes(lattice, [x, rank]) {
  const links = lattice.links?.[x];
  if (!links?.edges.length) return [];
  const before = lattice.positions[x - 1].cand
    .map(({ text, kept }, i) => ({ text, kept, p: Math.exp(linkOf(lattice, [x - 1, i], [x, rank])) }))
    .filter(({ kept }) => kept)
    .slice(0, LINKS_IN_CARD)
    .map(({ text, p }) => `${percent(p)} behind ‘${visible(text)}’`);
  return [`${percent(Math.exp(links.alone[rank]))} in the pass itself; ${before.join(", ")}`];
}

/**
 * Why a position's candidates end where they end.
 *
 * @param {LatticePosition} position
 * @param {number} tau
 */
export function cutOf({ M_i, mass_at_cut, cand }, tau) {
  const first = M_i > 1 ? `the best ${M_i} candidates hold` : "the best candidate holds";
  const rest = M_i < cand.length ? "the others were cut" : "none was cut";
  return `${first} ${share(mass_at_cut)} of the probability, ${mass_at_cut >= tau ? "≥" : "<"} τ = ${share(tau)}; ${rest}`;
}

/**
 * @param {Lattice} lattice
 * @param {Cell} cell
 * @param {number} pass
 */
export function passNote(lattice, [x, rank], pass) {
  const seen = lattice.passes[pass]?.cand[x]?.[rank];
  return seen ? note(seen.text, `${place(x, rank)} after pass ${pass + 1}: ${percent(seen.p)}`) : null;
}

/**
 * @param {Lattice | null | undefined} lattice
 * @returns {Rows}
 */
export function latticeRows(lattice) {
  return {
    columns: [
      numberColumn("i", "position"),
      numberColumn("rank", "rank"),
      { key: "text", label: "token", mono: true },
      numberColumn("p", "probability"),
      numberColumn("mass", "mass so far"),
      numberColumn("m", "M"),
      { key: "kept", label: "kept" },
      { key: "beams", label: "on beams" },
    ],
    data: (lattice?.positions ?? []).flatMap((position, x) =>
      position.cand.map((c, rank) => ({
        i: x + 1,
        rank: rank + 1,
        text: visible(c.text),
        p: Math.exp(c.logp_dlm),
        mass: massUpTo(position, rank),
        m: position.M_i,
        kept: c.kept ? "yes" : "cut",
        beams: lattice && beamsOf(lattice, x, c.token),
      })),
    ),
  };
}

/**
 * @param {number} x
 * @param {number} rank
 */
const place = (x, rank) => `position ${x + 1}, candidate ${rank + 1}`;

/**
 * @param {string} text
 * @param {...string} lines
 */
const note = (text, ...lines) =>
  h(
    "div",
    { class: "rs-note" },
    h("strong", { class: "mono", text: visible(text) }),
    lines.map((line) => h("p", { text: line })),
  );

/**
 * @param {LatticePosition} position
 * @param {number} rank
 */
const massUpTo = (position, rank) => position.cand.slice(0, rank + 1).reduce((sum, c) => sum + Math.exp(c.logp_dlm), 0);

/**
 * @param {Lattice} lattice
 * @param {number} x
 * @param {number} token
 */
const through = (lattice, x, token) => lattice.beams.flatMap((beam, i) => (beam.tokens[x] === token ? [i] : []));

/**
 * @param {Lattice} lattice
 * @param {number} x
 * @param {number} token
 */
const beamsOf = (lattice, x, token) =>
  through(lattice, x, token)
    .map((i) => (i === lattice.chosen ? `${i + 1} (chosen)` : i + 1))
    .join(", ");

/**
 * The causal proxy is recorded for whole paths, not for cells.
 *
 * @param {Lattice} lattice
 * @param {number} x
 * @param {number} token
 */
function beamNotes(lattice, x, token) {
  const found = through(lattice, x, token);
  if (!found.length) return ["on no beam at the end of the search"];
  const lines = found.slice(0, BEAMS_IN_CARD).map((i) => {
    const { score, dlm_sum, ngram_sum } = lattice.beams[i];
    const proxy = ngram_sum === null ? "no proxy" : `proxy ${ngram_sum.toFixed(2)}`;
    const beam = `beam ${i + 1}${i === lattice.chosen ? " (chosen)" : ""}`;
    return `${beam}: score ${score.toFixed(2)}, from diffusion ${dlm_sum.toFixed(2)} and ${proxy} over its path`;
  });
  if (found.length > BEAMS_IN_CARD) lines.push(`and ${found.length - BEAMS_IN_CARD} more beams`);
  return lines;
}
