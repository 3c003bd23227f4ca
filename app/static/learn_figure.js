// A drawing of a recorded run with a sentence.

import { h, table } from "./dom.js";
import { Figure } from "./figures.js";
import { latticeFigure } from "./lattice_figures.js";

/** @import { LearnContext } from "./learn_widgets.js" */
/** @import { FigureView } from "./types.js" */

export class FigureWidget {
  /**
   * @param {FigureView} view
   * @param {LearnContext} context
   */
  constructor({ figure: given, sentence, table: rows }, context) {
    const figure = "lattice" in given ? latticeFigure("map", { ...given, sentence }) : given;
    this.drawing = new Figure(context.plotly);
    this.figures = [this.drawing];
    this.drawing.scroll.style.minHeight = `${figure.layout.height ?? 200}px`; // so that nothing moves
    this.drawing.draw({ ...figure, alt: figure.alt ?? sentence }, context.key);
    this.element = h(
      "section",
      { class: "rs-panel", "aria-label": "Drawing" },
      this.drawing.scroll,
      h("p", { class: "rs-caption", text: sentence }),
      rows && table(rows.columns, rows.rows),
    );
    this.told = () => sentence;
  }
}
