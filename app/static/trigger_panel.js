// Whether the round's entropies triggered retrieval, where the method asks them.

import { h } from "./dom.js";
import { Figure } from "./figures.js";
import { figurePanel } from "./figure_panel.js";
import { triggerRows } from "./tables.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

/** @implements {Panel} */
export class TriggerPanel {
  id = "trigger";
  reads = /** @type {const} */ (["round"]);

  /** @param {Context} context */
  constructor({ plotly, store }) {
    this.figure = new Figure(plotly);
    this.figures = [this.figure];
    this.made = figurePanel({
      id: "trigger",
      title: "Trigger",
      figure: this.figure,
      rows: () => triggerRows(store, store.round),
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
    this.figure.draw(view.figure, store.run.run_id);
  }
}
