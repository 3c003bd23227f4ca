// A panel of the Lab: a sentence, figures, the same as a table; a mark that moves alone where there is an axis to move on.

import { h } from "./dom.js";
import { FigureSet } from "./figure_set.js";
import { figurePanel } from "./figure_panel.js";

/** @import { Floating } from "./floating.js" */
/** @import { Plotly } from "./page.js" */
/** @import { GeneralView, MarkNote } from "./types.js" */

/** @typedef {{ plotly: () => Promise<Plotly>, floating: Floating }} Parts */

export class LabPanel {
  /** @type {GeneralView | null} */
  view = null;

  /**
   * @param {Parts} parts
   * @param {{ id: string, title: string, pick?: (data: never) => void, above?: HTMLElement[] }} about
   *   `pick` is what a click on a mark, or choosing a row of the table, does
   */
  constructor({ plotly, floating }, { id, title, pick, above = [] }) {
    this.pick = pick;
    this.figures = new FigureSet(plotly, {
      onHover: (said, rect) => floating.show(noteOf(said), rect),
      onLeave: () => floating.hide(),
      onClick: (data) => pick?.(data),
    });
    this.made = figurePanel({ id, title, figure: this.figures, rows: () => this.rows() });
    this.line = h("p", { class: "rs-method-line" });
    this.figures.scroll.before(this.line, ...above);
    this.element = this.made.panel;
  }

  rows() {
    const { columns = [], rows = [] } = this.view?.table ?? {};
    return { columns, data: rows, pick: this.pick };
  }

  /**
   * @param {GeneralView} view
   * @param {number | null} [at] where the mark stands
   */
  draw(view, at = null) {
    this.view = view;
    this.element.hidden = false;
    this.line.textContent = view.sentence;
    const figures = Object.entries(view.figures ?? {});
    const { tools, refresh, showTable } = this.made;
    tools.table.hidden = !view.table || !figures.length;
    tools.save.hidden = !figures.length;
    if (tools.table.hidden) showTable(!figures.length && Boolean(view.table)); // nothing to choose between
    this.figures.draw(figures, "lab", view.sentence, () => marks(at));
    refresh();
  }

  /** Nothing can be said, until it is drawn again. */
  clear() {
    this.draw({ sentence: "" });
    this.element.hidden = true;
  }

  /** @param {number | null} at */
  mark(at) {
    if (this.view)
      this.figures.draw(Object.entries(this.view.figures ?? {}), "lab", this.view.sentence, () => marks(at));
  }
}

/** @param {string | MarkNote | null} said */
function noteOf(said) {
  const text = typeof said === "string" ? said : said?.note;
  return text && h("div", { class: "rs-note", text });
}

/** @param {number | null} at */
function marks(at) {
  if (at === null) return [];
  const line = { color: "var:accent", width: 1.5 };
  return [{ type: "line", xref: "x", yref: "paper", x0: at, x1: at, y0: 0, y1: 1, line }];
}
