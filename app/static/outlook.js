// What the settings lead to, before anything runs: hints, and the tree that they will draft at most.

import { fill, h } from "./dom.js";
import { svg } from "./svg.js";

/** @import { DrawnPart, OutlookView, SettingValue } from "./types.js" */

/** @typedef {(asked: string) => Promise<string>} Ask */

const PAUSE_MS = 150;
const SILENT = "The server does not answer, so nothing can be said of these settings.";
const STEP = 19,
  HEIGHT = 46,
  EDGE = 5;

export class Outlook {
  asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  pause = undefined;

  /**
   * @param {Ask} ask
   * @param {(view: OutlookView) => void} taken
   */
  constructor(ask, taken) {
    this.ask = ask;
    this.taken = taken;
    this.hints = h("div", { class: "rs-hints", role: "status", "aria-live": "polite" });
    this.sketch = h("div", { class: "rs-sketch" });
  }

  /**
   * @param {string} method
   * @param {Record<string, SettingValue>} settings
   */
  look(method, settings) {
    clearTimeout(this.pause);
    const mine = (this.asked += 1);
    this.pause = setTimeout(async () => {
      /** @type {OutlookView} */
      let view;
      try {
        view = JSON.parse(await this.ask(JSON.stringify({ method, settings })));
      } catch {
        view = { wrong: "", idle: {}, size: SILENT, parts: [] };
      }
      if (mine === this.asked) this.taken(view); // else a newer question is under way
    }, PAUSE_MS);
  }

  /**
   * @param {OutlookView} view
   * @param {string[]} touched settings of which it matters to the reader whether they have an effect
   */
  draw({ wrong, idle, size, parts }, touched) {
    const sentences = touched.flatMap((name) => (idle[name] ? [idle[name]] : []));
    fill(
      this.hints,
      wrong && h("p", { class: "rs-hint is-wrong", text: wrong }),
      sentences.map((text) => h("p", { class: "rs-hint", text })),
    );
    if (wrong) return; // the tree of before stays
    fill(this.sketch, size && h("p", { class: "rs-sketch-size", text: size }), parts.map(drawn));
  }
}

/** @param {DrawnPart} part */
function drawn(part) {
  return h(
    "figure",
    { class: "rs-sketch-part" },
    h("figcaption", {}, h("strong", { text: part.name }), ` at most ${part.about}`),
    tree(part),
  );
}

/** @param {DrawnPart} part */
function tree({ name, about, source, parents, whole }) {
  const { columns, heights } = placesOf(parents);
  const deep = Math.max(0, ...columns);
  const at = (/** @type {number} */ i) => [EDGE + columns[i] * STEP, EDGE + heights[i] * (HEIGHT - 2 * EDGE)];
  const edges = parents.map((parent, i) => {
    const [x1, y1] = at(parent),
      [x2, y2] = at(i + 1);
    return svg("line", { x1, y1, x2, y2 });
  });
  const nodes = columns.map((_, i) => {
    const [cx, cy] = at(i);
    return svg("circle", { cx, cy, r: i ? 2.6 : 3.4, class: i ? `is-${source}` : "is-start" });
  });
  const width = 2 * EDGE + deep * STEP + (whole ? 0 : STEP);
  const more = whole ? [] : [svg("text", { x: width - STEP + 2, y: HEIGHT / 2 + 4 }, "…")];
  const label = `A tree as ${name} may draft it, at most ${about}`;
  return svg("svg", { width, height: HEIGHT, role: "img", "aria-label": label }, ...edges, ...nodes, ...more);
}

/**
 * Columns by depth; heights from 0 to 1, leaves evenly, every other node amid its children.
 *
 * @param {number[]} parents of the nodes below the root, each behind its parent
 */
export function placesOf(parents) {
  const above = [-1, ...parents];
  /** @type {number[][]} */
  const kids = above.map(() => []);
  const columns = above.map(() => 0);
  above.forEach((parent, i) => {
    if (parent < 0) return;
    kids[parent].push(i);
    columns[i] = columns[parent] + 1;
  });
  const heights = above.map(() => 0);
  let leaves = 0;
  const visit = (/** @type {number} */ i) => {
    kids[i].forEach(visit);
    heights[i] = kids[i].length ? (heights[kids[i][0]] + heights[kids[i][kids[i].length - 1]]) / 2 : leaves++;
  };
  visit(0);
  const last = leaves - 1;
  return { columns, heights: heights.map((height) => (last ? height / last : 0.5)) };
}
