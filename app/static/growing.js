// Figures that grow with a run. What comes out is another object, so that whoever draws it sees that it changed.

/** @import { AddedPoints, Figure } from "./types.js" */

/**
 * With more points at the end of each trace.
 *
 * @param {Figure} figure
 * @param {AddedPoints["entropy"]} points
 * @returns {Figure}
 */
export function extended(figure, points) {
  figure.data.forEach((trace, i) => {
    const grown = /** @type {Record<string, unknown[]>} */ (trace);
    for (const [name, values] of Object.entries(points[i] ?? {})) grown[name].push(...values);
  });
  return { ...figure };
}

/**
 * With other words on its lanes.
 *
 * @param {Figure} figure
 * @param {string[]} ticktext
 * @returns {Figure}
 */
export function labelled({ layout, ...figure }, ticktext) {
  return { ...figure, layout: { ...layout, yaxis: { ...layout.yaxis, ticktext } } };
}
