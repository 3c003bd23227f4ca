// Where the time went, phase by phase.

import { h } from "./dom.js";
import { Figure } from "./figures.js";
import { band, figurePanel } from "./figure_panel.js";
import { Overview } from "./overview.js";
import { phaseRows } from "./tables.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Step } from "./types.js" */

/** @implements {Panel} */
export class TimelinePanel {
  id = "timeline";
  reads = /** @type {const} */ (["run", "rounds", "round"]);

  /** @param {Context} context */
  constructor({ plotly, store, floating, scrubber }) {
    this.figure = new Figure(plotly, {
      onHover: (round, rect, point) => floating.show(phaseNote(round, point), rect),
      onLeave: () => floating.hide(),
      onClick: (round) => {
        if (round >= 0) scrubber.go(round);
      },
    });
    this.figures = [this.figure];
    this.made = figurePanel({
      id: "timeline",
      title: "Where the time went",
      hint: "number on a bar: tokens committed",
      figure: this.figure,
      rows: () => ({ ...phaseRows(store), pick: ({ round }) => scrubber.go(round - 1) }),
    });
    this.element = this.made.panel;
    this.overview = new Overview(this.figure, "ms");
    this.figure.scroll.after(this.overview.element);
  }

  /** @param {Store} store */
  draw(store) {
    this.made.refresh();
    if (!store.figures || !store.run) return;
    const { step } = store;
    let end = 0;
    const starts = store.steps.map((one) => (end += spent(one)) - spent(one));
    const from = starts[store.round] ?? 0;
    const to = from + (step ? spent(step) : 0);
    this.figure.draw(store.figures.timeline, store.run.run_id, step ? [band(from, to)] : []);
    /** @type {Array<[number, number]>} */
    const points = store.steps.map(({ commit }, i) => [starts[i], commit.emitted_ids.length]);
    this.overview.draw(points, end, store.run.run_id, step ? [from, to] : null, store.running);
  }
}

/** @param {Step} step */
const spent = (step) => Object.values(step.phase_ms).reduce((sum, ms) => sum + ms, 0);

/**
 * @param {number} round
 * @param {any} point
 */
function phaseNote(round, point) {
  if (round < 0) return h("div", { class: "rs-note", text: "plain decoding of the same prompt, measured here" });
  const ms = point.data.x[point.pointIndex] ?? point.x - point.base;
  return h(
    "div",
    { class: "rs-note" },
    h("strong", { text: `round ${round + 1} · ${point.data.name}` }),
    h("p", { text: `${ms.toFixed(2)} ms` }),
  );
}
