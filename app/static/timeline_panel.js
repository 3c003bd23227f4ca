// Where the time went, phase by phase.

import { h } from "./dom.js";
import { Figure } from "./figures.js";
import { band, figurePanel, frames } from "./figure_panel.js";
import { Overview } from "./overview.js";
import { phaseRows } from "./tables.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Box } from "./figure_panel.js" */
/** @import { Store } from "./store.js" */
/** @import { DrawnPoint } from "./figures.js" */
/** @import { Step } from "./types.js" */

/** @implements {Panel} */
export class TimelinePanel {
  id = "timeline";
  reads = /** @type {const} */ (["run", "rounds", "round"]);
  /** @type {number[]} */
  starts = []; // of each round, in milliseconds

  /** @param {Context} context */
  constructor({ plotly, store, picker }) {
    this.figure = new Figure(
      plotly,
      picker.handlers((round) => (round >= 0 ? { round } : null), phaseNote),
    );
    this.figures = [this.figure];
    this.made = figurePanel({
      id: "timeline",
      title: "Where the time went",
      hint: "number on a bar: tokens committed",
      figure: this.figure,
      picker,
      rows: () => ({ ...phaseRows(store), reads: ({ round }) => ({ round: round - 1 }) }),
    });
    this.element = this.made.panel;
    this.overview = new Overview(this.figure, "ms");
    this.figure.scroll.after(this.overview.element);
  }

  /** @param {Store} store */
  draw(store) {
    this.made.refresh();
    if (!store.figures || !store.run) return;
    let end = 0;
    this.starts = store.steps.map((one) => (end += spent(one)) - spent(one));
    this.mark(store); // before the overview, which zooms what is drawn
    /** @type {Array<[number, number]>} */
    const points = store.steps.map(({ commit }, i) => [this.starts[i], commit.emitted_ids.length]);
    const now = this.place(store, store.round);
    this.overview.draw(points, end, store.run.run_id, now && [now.x0, now.x1], store.running);
  }

  /**
   * @param {Store} store
   * @param {number} round
   * @returns {Box | null} where it is on the axis
   */
  place({ steps }, round) {
    const x0 = this.starts[round];
    return steps[round] ? { x0, x1: x0 + spent(steps[round]) } : null;
  }

  /** @param {Store} store */
  mark(store) {
    if (!store.figures || !store.run) return;
    const now = this.place(store, store.round);
    const shapes = [...(now ? [band(now.x0, now.x1)] : []), ...frames(store, ({ round }) => this.place(store, round))];
    this.figure.draw(store.figures.timeline, store.run.run_id, shapes);
    this.made.mark();
  }
}

/** @param {Step} step */
const spent = (step) => Object.values(step.phase_ms).reduce((sum, ms) => sum + ms, 0);

/**
 * @param {number} round
 * @param {DrawnPoint} point
 */
function phaseNote(round, point) {
  if (round < 0 || !point)
    return h("div", { class: "rs-note", text: "plain decoding of the same prompt, measured here" });
  const ms = Number(point.data.x?.[point.pointIndex] ?? point.x - point.base);
  return h(
    "div",
    { class: "rs-note" },
    h("strong", { text: `round ${round + 1} · ${point.data.name}` }),
    h("p", { text: `${ms.toFixed(2)} ms` }),
  );
}
