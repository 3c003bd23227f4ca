// Any panel: a sentence, figures, and a table where its view has one.

import { h } from "./dom.js";
import { FigureSet } from "./figure_set.js";
import { figurePanel } from "./figure_panel.js";

/** @import { Context, Drawing } from "./page.js" */
/** @import { Described, GeneralView } from "./types.js" */

/** @implements {Drawing<GeneralView>} */
export class GeneralPanel {
  /**
   * @param {Context} context
   * @param {Described} described
   */
  constructor({ plotly, store, floating }, { id, title }) {
    this.store = store;
    this.drawn = new FigureSet(plotly, {
      onHover: (said, rect) => {
        floating.show(typeof said === "string" && said && h("div", { class: "rs-note", text: said }), rect);
      },
      onLeave: () => floating.hide(),
    });
    /** @type {GeneralView | null} */
    this.view = null;
    this.made = figurePanel({ id, title, figure: this.drawn, rows: () => this.rows() });
    this.element = this.made.panel;
    this.line = h("p", { class: "rs-method-line" });
    this.total = h("p", { class: "rs-method-total" });
    this.drawn.scroll.before(this.line);
    this.element.append(this.total);
  }

  rows() {
    const { columns = [], rows = [] } = this.view?.table ?? {};
    return { columns, data: rows };
  }

  /**
   * @param {GeneralView} view
   * @param {number} round
   * @param {string} total
   */
  draw(view, round, total) {
    this.view = view;
    this.line.textContent = view.sentence;
    this.total.textContent = total;
    const figures = Object.entries(view.figures ?? {});
    const { tools, showTable, refresh } = this.made;
    tools.table.hidden = !view.table || !figures.length;
    tools.save.hidden = !figures.length;
    if (tools.table.hidden) showTable(Boolean(view.table)); // nothing to choose between
    this.drawn.draw(figures, `${this.store.run?.run_id}-${round}`, view.sentence);
    refresh();
  }

  get figures() {
    return [...this.drawn.byTitle.values()].map((part) => part.figure);
  }
}
