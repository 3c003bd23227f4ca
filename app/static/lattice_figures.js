// A diffusion lattice in three drawings, and as each of its refinement passes left it.

import { mapFigure, passFigure } from "./lattice_map.js";
import { massFigure } from "./lattice_mass.js";
import { leftOut, thinned, within } from "./lattice_paths.js";
import { trellisFigure } from "./lattice_trellis.js";

/** @import { CellVerdict, Figure, Lattice } from "./types.js" */

/** @typedef {{ lattice: Lattice, verdict: CellVerdict, sentence: string }} Drawn a lattice, recorded or searched again */

export const DRAWINGS = { map: mapFigure, trellis: trellisFigure, mass: massFigure };

/**
 * @param {keyof typeof DRAWINGS} name
 * @param {Drawn} drawn the sentence also describes the drawing to those who cannot see it
 * @returns {Figure} as much of it as there is room for
 */
export function latticeFigure(name, { lattice, verdict, sentence }) {
  const shown = thinned(lattice);
  const alt = `${sentence} ${leftOut(lattice)}`.trim();
  return { ...DRAWINGS[name](shown, within(verdict, shown)), alt };
}

/**
 * @param {Lattice} lattice
 * @param {number} pass of those that are drawn
 * @param {string} alt
 * @returns {Figure}
 */
export const passFigureOf = (lattice, pass, alt) => ({ ...passFigure(thinned(lattice), pass), alt });

/** How many of its refinement passes can be drawn. @param {Lattice | null | undefined} lattice */
export const drawnPasses = (lattice) => (lattice ? thinned(lattice).passes.length : 0);
