// Several drawings of one panel.

import { h } from "./dom.js";
import { Figure } from "./figures.js";

/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Handlers } from "./figures.js" */
/** @import { Plotly } from "./page.js" */
/** @import { Figure as Given } from "./types.js" */

/** Several drawings that are shown, hidden and saved as one; each keeps its element while its title stays. */
export class FigureSet {
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
   * @param {(figure: Given) => object[]} shapes mark places in it
   */
  draw(figures, revision, alt, shapes = () => []) {
    for (const [title, part] of this.byTitle) part.element.hidden = !figures.some(([name]) => name === title);
    for (const [title, figure] of figures) {
      const part = this.byTitle.get(title) ?? this.add(title);
      part.heading.hidden = figures.length < 2;
      part.figure.draw(figure, revision, shapes(figure));
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

  /**
   * @param {string} name
   * @param {ImageKind} format
   */
  async image(name, format) {
    for (const [title, { figure, element }] of this.byTitle)
      if (!element.hidden) await figure.image(`${name}-${title}`, format);
  }
}
