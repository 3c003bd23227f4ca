// Any panel: a sentence, figures, and a table where its view has one.

import { h } from "./dom.js";
import { Figure } from "./figures.js";
import { figurePanel } from "./figure_panel.js";

/** @import { Handlers } from "./figures.js" */
/** @import { Context, Drawing, Plotly } from "./page.js" */
/** @import { Described, Figure as Given, GeneralView } from "./types.js" */

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

/** Several drawings that are shown, hidden and saved as one; each keeps its element while its title stays. */
class FigureSet {
  /**
   * @param {() => Promise<Plotly>} plotly
   * @param {Handlers} handlers
   */
  constructor(plotly, handlers) {
    this.plotly = plotly;
    this.handlers = handlers;
    /** @type {Map<string, { figure: Figure, heading: HTMLElement, element: HTMLElement }>} */
    this.byTitle = new Map();
    this.scroll = h("div", { class: "rs-figures" });
  }

  /**
   * @param {Array<[string, Given]>} figures by title
   * @param {string} revision
   * @param {string} alt of those that have none
   */
  draw(figures, revision, alt) {
    for (const [title, part] of this.byTitle) part.element.hidden = !figures.some(([name]) => name === title);
    for (const [title, figure] of figures) {
      const part = this.byTitle.get(title) ?? this.add(title);
      part.heading.hidden = figures.length < 2;
      part.figure.draw(figure, revision);
      if (!figure.alt) part.figure.tell(alt);
    }
  }

  /** @param {string} title */
  add(title) {
    const figure = new Figure(this.plotly, this.handlers);
    const heading = h("h3", { text: title });
    const part = { figure, heading, element: h("div", {}, heading, figure.scroll) };
    this.byTitle.set(title, part);
    this.scroll.append(part.element);
    return part;
  }

  redraw() {
    for (const { figure } of this.byTitle.values()) figure.redraw();
  }

  /** @param {string} name */
  async image(name) {
    for (const [title, { figure, element }] of this.byTitle)
      if (!element.hidden) await figure.image(`${name}-${title}`);
  }
}
