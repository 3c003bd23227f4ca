// Any panel: a sentence, figures, and a table where its view has one.

import { h } from "./dom.js";
import { Figure, figurePanel } from "./figures.js";

export class GeneralPanel {
  constructor({ plotly, store, floating }, { id, title }) {
    this.store = store;
    this.drawn = new Figures(plotly, {
      onHover: (said, rect) =>
        floating.show(typeof said === "string" && said && h("div", { class: "rs-note", text: said }), rect),
      onLeave: () => floating.hide(),
    });
    this.made = figurePanel({
      id,
      title,
      figure: this.drawn,
      rows: () => ({ columns: this.view.table.columns, data: this.view.table.rows }),
    });
    this.element = this.made.panel;
    this.line = h("p", { class: "rs-method-line" });
    this.total = h("p", { class: "rs-method-total" });
    this.drawn.scroll.before(this.line);
    this.element.append(this.total);
  }

  draw(view, round, total) {
    this.view = view;
    this.line.textContent = view.sentence;
    this.total.textContent = total || "";
    const figures = Object.entries(view.figures || {}),
      { tools } = this.made;
    tools.table.hidden = !view.table || !figures.length;
    tools.save.hidden = !figures.length;
    if (tools.table.hidden) this.made.showTable(Boolean(view.table)); // nothing to choose between
    this.drawn.draw(figures, `${this.store.run?.run_id}-${round}`, view.sentence);
    this.made.refresh();
  }

  get figures() {
    return [...this.drawn.byTitle.values()].map((part) => part.figure);
  }
}

// Several drawings that are shown, hidden and saved as one; each keeps its element while its title stays.
class Figures {
  constructor(plotly, handlers) {
    Object.assign(this, { plotly, handlers, byTitle: new Map(), scroll: h("div", { class: "rs-figures" }) });
  }

  draw(figures, revision, alt) {
    for (const [title, part] of this.byTitle) part.element.hidden = !figures.some(([name]) => name === title);
    for (const [title, figure] of figures) {
      const part = this.byTitle.get(title) || this.add(title);
      part.heading.hidden = figures.length < 2;
      part.figure.draw({ alt, ...figure }, revision);
    }
  }

  add(title) {
    const figure = new Figure(this.plotly, this.handlers),
      heading = h("h3", { text: title });
    const part = { figure, heading, element: h("div", {}, heading, figure.scroll) };
    this.byTitle.set(title, part);
    this.scroll.append(part.element);
    return part;
  }

  redraw() {
    for (const { figure } of this.byTitle.values()) figure.redraw();
  }

  async image(name) {
    for (const [title, { figure, element }] of this.byTitle)
      if (!element.hidden) await figure.image(`${name}-${title}`);
  }
}
