// The part of a figure around what is shown of it, so that drawing a long run costs no more than a short one.

/** @import { Figure, Trace } from "./types.js" */

/** @typedef {[from: number, to: number]} Range of the x axis */

/**
 * @param {Range | null} range that is shown, null for all
 * @returns {Range | null} with as much again on both sides, to be dragged into sight
 */
export const widened = (range) => range && [2 * range[0] - range[1], 2 * range[1] - range[0]];

/**
 * @param {Range | null} part
 * @param {Range | null} range
 */
export const holds = (part, range) => !part || Boolean(range && range[0] >= part[0] && range[1] <= part[1]);

/**
 * @param {Figure} figure whose points are in the order of their places
 * @param {Range | null} part null for all
 * @returns {Trace[]} its traces, with the points in the part and one before and behind it
 */
export function partOf({ data }, part) {
  if (!part) return data;
  return data.map((trace) => {
    const places = /** @type {number[]} */ (trace.base ?? trace.x ?? []);
    const from = Math.max(0, firstFrom(places, part[0]) - 1);
    const to = firstFrom(places, part[1]) + 1;
    const { length } = places;
    const cut = (/** @type {unknown} */ value) =>
      Array.isArray(value) && value.length === length ? value.slice(from, to) : value;
    return Object.fromEntries(Object.entries(trace).map(([name, value]) => [name, cut(value)]));
  });
}

/**
 * @param {number[]} places in order
 * @param {number} from
 * @returns {number} the index of the first that is not before it
 */
function firstFrom(places, from) {
  let low = 0,
    high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
