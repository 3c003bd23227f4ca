// Sequential colours for numbers: Cividis (readable with any colour vision) and a single hue for probabilities.

/** @typedef {readonly [number, number]} Domain */

const CIVIDIS = [
  "#00224e",
  "#123570",
  "#3b496c",
  "#575d6d",
  "#707173",
  "#8a8678",
  "#a59c74",
  "#c3b369",
  "#e1cc55",
  "#fee838",
];

/** @type {Domain} */
export const ENTROPY_DOMAIN = [0, 5];

export const COLORSCALE = CIVIDIS.map((color, i) => [i / (CIVIDIS.length - 1), color]);

/**
 * The colour of a value between two ends, and of whatever lies beyond them. Plotly is given colours, not numbers: of
 * every number it asks first whether it is a colour, and complains.
 *
 * @param {number} value
 * @param {Domain} domain
 */
export function cividis(value, [from, to]) {
  const at = Math.min(1, Math.max(0, (value - from) / (to - from))) * (CIVIDIS.length - 1);
  const low = Math.floor(at);
  const high = Math.min(CIVIDIS.length - 1, low + 1);
  /** @param {number} i */
  const mix = (i) => Math.round(channel(CIVIDIS[low], i) * (1 - at + low) + channel(CIVIDIS[high], i) * (at - low));
  return `rgb(${mix(0)}, ${mix(1)}, ${mix(2)})`;
}

/** @param {number} nats */
export const entropyColor = (nats) => cividis(nats, ENTROPY_DOMAIN);

/**
 * @param {string} hex
 * @param {number} i
 */
function channel(hex, i) {
  return parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
}

/**
 * Only what is whole reads as 0 or 100 %.
 *
 * @param {number} p
 */
export function percent(p) {
  if (p === 0 || p === 1) return `${100 * p} %`;
  if (p < 0.0005) return "< 0.1 %";
  if (p > 0.9995) return "> 99.9 %";
  return `${(100 * p).toFixed(p < 0.0995 || p > 0.9905 ? 1 : 0)} %`;
}
