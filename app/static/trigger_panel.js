// Whether the round's entropies triggered retrieval, where the method asks them.

import { h } from "./dom.js";
import { Figure } from "./figures.js";
import { figurePanel, frames } from "./figure_panel.js";
import { triggerRows } from "./tables.js";

/** @import { Box } from "./figure_panel.js" */
/** @import { Context, Panel, Picked, Selection } from "./page.js" */
/** @import { Store } from "./store.js" */

/** @implements {Panel} */
export class TriggerPanel {
  id = "trigger";
  reads = /** @type {const} */ (["round"]);

  /** @param {Context} context */
  constructor({ plotly, store, picker }) {
    /** Where the window of the newest `k` tokens begins: @param {number} k @returns {Picked} */
    const begins = (k) => ({ round: store.round, back: k });
    this.figure = new Figure(
      plotly,
      picker.handlers(begins, (k) => windowNote(store, k)),
    );
    this.figures = [this.figure];
    this.made = figurePanel({
      id: "trigger",
      title: "Trigger",
      figure: this.figure,
      picker,
      rows: () => ({ ...triggerRows(store, store.round), reads: ({ k }) => begins(k) }),
    });
    this.element = this.made.panel;
    this.lamp = h("p", { class: "rs-lamp" });
    this.figure.scroll.before(this.lamp);
  }

  /** @param {Store} store */
  present(store) {
    return Boolean(store.view?.trigger);
  }

  /** @param {Store} store */
  draw(store) {
    const view = store.view?.trigger;
    this.made.refresh();
    if (!view || !store.run) return;
    this.lamp.textContent = view.sentence;
    this.lamp.classList.toggle("is-lit", view.lit);
  }

  /** @param {Store} store */
  mark(store) {
    const view = store.view?.trigger;
    if (!view || !store.run) return;
    const shapes = frames(store, (selection) => barOf(store, selection));
    this.figure.draw(view.figure, store.run.run_id, shapes);
    this.made.mark();
  }
}

/**
 * @param {Store} store
 * @param {Selection} selection
 * @returns {Box | null} around the bar whose window begins with its token
 */
function barOf({ step, starts, round }, selection) {
  if (selection.token === null) return null;
  const k = starts[round] - selection.token;
  return k >= 1 && k <= (step?.decision.H.length ?? 0) ? { x0: k - 1.5, x1: k - 0.5 } : null;
}

/**
 * @param {Store} store
 * @param {number} k
 */
function windowNote({ step }, k) {
  const mean = step?.decision.H[k - 1];
  if (mean === undefined) return null;
  const title = k === 1 ? "the newest token" : `the newest ${k} tokens`;
  const said = `mean entropy ${mean.toFixed(2)} ${step?.decision.unit}`;
  return h("div", { class: "rs-note" }, h("strong", { text: title }), h("p", { text: said }));
}
