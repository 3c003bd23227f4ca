// Any panel: a sentence, figures, and a table where its view has one.

import { h } from "./dom.js";
import { FigureSet } from "./figure_set.js";
import { figurePanel, framed } from "./figure_panel.js";

/** @import { Box } from "./figure_panel.js" */
/** @import { Context, Drawing, Picked } from "./page.js" */
/** @import { Described, Figure as Given, GeneralView, MarkNote } from "./types.js" */

/** @implements {Drawing<GeneralView>} */
export class GeneralPanel {
  /**
   * @param {Context} context
   * @param {Described} described
   */
  constructor({ plotly, store, picker }, { id, title }) {
    this.store = store;
    this.picker = picker;
    this.pickedOf = (/** @type {unknown} */ about) => picked(about, store.round);
    this.drawn = new FigureSet(plotly, picker.handlers(this.pickedOf, note));
    /** @type {GeneralView | null} */
    this.view = null;
    this.round = 0;
    this.made = figurePanel({ id, title, figure: this.drawn, picker, rows: () => this.rows() });
    this.element = this.made.panel;
    this.line = h("p", { class: "rs-method-line" });
    this.total = h("p", { class: "rs-method-total" });
    this.drawn.scroll.before(this.line);
    this.element.append(this.total);
  }

  rows() {
    const { columns = [], rows = [] } = this.view?.table ?? {};
    const some = rows.some((row) => this.pickedOf(row));
    return { columns, data: rows, ...(some ? { reads: this.pickedOf } : {}) };
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
    this.round = round;
    refresh();
  }

  mark() {
    if (!this.view) return;
    const figures = Object.entries(this.view.figures ?? {});
    const shapes = (/** @type {Given} */ figure) =>
      columnsOf(figure).flatMap(([about, box]) => framed(box, this.picker.marks(this.pickedOf(about))));
    this.drawn.draw(figures, `${this.store.run?.run_id}-${this.round}`, this.view.sentence, shapes);
    this.made.mark();
  }

  get figures() {
    return [...this.drawn.byTitle.values()].map((part) => part.figure);
  }
}

/**
 * @param {unknown} about a mark's `customdata`, or a row: with a `node` of the round, or a `round` from 1, it can be chosen
 * @param {number} round that is looked at
 * @returns {Picked | null}
 */
function picked(about, round) {
  if (typeof about !== "object" || !about) return null;
  const { node, round: number } = /** @type {{ node?: unknown, round?: unknown }} */ (about);
  if (typeof node === "number") return { round, node };
  return typeof number === "number" ? { round: number - 1 } : null;
}

/** @param {string | MarkNote | null} about */
function note(about) {
  const said = typeof about === "string" ? about : about?.note;
  return said && h("div", { class: "rs-note", text: said });
}

/**
 * @param {Given} figure
 * @returns {Array<[MarkNote, Box]>} what can be chosen in it, and the column it stands in
 */
function columnsOf({ data }) {
  /** @type {Map<number, MarkNote>} */
  const found = new Map();
  for (const { customdata = [], x = [] } of data)
    customdata.forEach((about, i) => {
      const at = x[i];
      if (typeof about === "object" && about && "note" in about && typeof at === "number") found.set(at, about);
    });
  return [...found].map(([x, about]) => [about, { x0: x - 0.5, x1: x + 0.5 }]);
}
