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
   * @param {string[]} metrics of one unit; the second is dashed
   * @param {string} name of what is drawn
   */
  constructor(readings, metrics, name) {
    const most = Math.max(...metrics.flatMap((metric) => readings.map((reading) => reading.metrics[metric])), 0) || 1;
    this.lines = metrics.map((metric) =>
      readings.map((reading, i) => ({
        x: LEFT + ((WIDTH - LEFT - RIGHT) * i) / Math.max(1, readings.length - 1),
        y: HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * reading.metrics[metric]) / most,
      })),
    );
    this.dots = metrics.map(() => svg("circle", { r: 6, class: "rs-chart-dot" }));
    const paths = this.lines.map((points, i) =>
      svg("path", { class: `rs-chart-line ${i ? "is-second" : ""}`, d: pathOf(points) }),
    );
    const text = (/** @type {Record<string, string | number>} */ at, /** @type {string} */ said) =>
      svg("text", { class: "rs-chart-text", ...at }, said);
    const floor = HEIGHT - BOTTOM;
    this.element = svg(
      "svg",
      { class: "rs-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${name}, for every value` },
      svg("line", { class: "rs-chart-axis", x1: LEFT, x2: WIDTH - RIGHT, y1: floor, y2: floor }),
      ...paths,
      ...this.dots,
      text({ x: LEFT - 8, y: TOP + 6, "text-anchor": "end" }, short(most)),
      text({ x: LEFT - 8, y: floor + 4, "text-anchor": "end" }, "0"),
      text({ x: LEFT, y: HEIGHT - 6 }, readings[0].label),
      text({ x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, readings.at(-1)?.label ?? ""),
    );
  }

  /** @param {number} i */
  mark(i) {
    this.dots.forEach((dot, line) => {
      dot.setAttribute("cx", String(this.lines[line][i].x));
      dot.setAttribute("cy", String(this.lines[line][i].y));
    });
  }
}

/** @param {Array<{ x: number, y: number }>} points */
const pathOf = (points) => points.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** @param {number} value */
const short = (value) => (Number.isInteger(value) ? String(value) : value.toPrecision(3));
