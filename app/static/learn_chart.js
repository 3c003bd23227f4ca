// What comes of every value of a knob, as a line, with the value that is chosen.

import { svg } from "./svg.js";

/** @import { Reading } from "./types.js" */

const WIDTH = 640,
  HEIGHT = 150,
  LEFT = 54,
  RIGHT = 14,
  TOP = 12,
  BOTTOM = 24;

export class Chart {
  /**
   * @param {Reading[]} readings
   * @param {string} metric
   * @param {string} name of the metric
   */
  constructor(readings, metric, name) {
    const values = readings.map((reading) => reading.metrics[metric]);
    const most = Math.max(...values, 0) || 1;
    this.points = values.map((value, i) => ({
      x: LEFT + ((WIDTH - LEFT - RIGHT) * i) / Math.max(1, values.length - 1),
      y: HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / most,
    }));
    this.dot = svg("circle", { r: 6, class: "rs-chart-dot" });
    const line = this.points.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const text = (/** @type {Record<string, string | number>} */ at, /** @type {string} */ said) =>
      svg("text", { class: "rs-chart-text", ...at }, said);
    const floor = HEIGHT - BOTTOM;
    this.element = svg(
      "svg",
      { class: "rs-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${name}, for every value` },
      svg("line", { class: "rs-chart-axis", x1: LEFT, x2: WIDTH - RIGHT, y1: floor, y2: floor }),
      svg("path", { class: "rs-chart-line", d: line }),
      this.dot,
      text({ x: LEFT - 8, y: TOP + 6, "text-anchor": "end" }, short(most)),
      text({ x: LEFT - 8, y: floor + 4, "text-anchor": "end" }, "0"),
      text({ x: LEFT, y: HEIGHT - 6 }, readings[0].label),
      text({ x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, readings.at(-1)?.label ?? ""),
    );
  }

  /** @param {number} i */
  mark(i) {
    this.dot.setAttribute("cx", String(this.points[i].x));
    this.dot.setAttribute("cy", String(this.points[i].y));
  }
}

/** @param {number} value */
const short = (value) => (Number.isInteger(value) ? String(value) : value.toPrecision(3));
