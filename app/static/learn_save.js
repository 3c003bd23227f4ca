// A lesson's drawings as files: Plotly's figures, and drawings of our own.

import { h } from "./dom.js";
import { saveDrawing } from "./drawing_file.js";
import { saveButtons } from "./figure_panel.js";

/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Drawn } from "./learn_widgets.js" */

/**
 * @param {Drawn} widget
 * @param {string} id
 * @returns {HTMLElement}
 */
export function saveRow({ element, figures = [] }, id) {
  /**
   * @param {string} name
   * @param {ImageKind} format
   */
  const image = async (name, format) => {
    for (const figure of figures) await figure.image(name, format);
    const ours = [...element.querySelectorAll("svg")].filter(
      (drawn) => ["img", "tree"].includes(drawn.getAttribute("role") ?? "") && !drawn.closest(".js-plotly-plot"),
    );
    for (const [i, drawn] of ours.entries())
      await saveDrawing(drawn, ours.length > 1 ? `${name}-${i + 1}` : name, format);
  };
  return h("div", { class: "rs-learn-save" }, saveButtons({ image }, id, "this drawing"));
}
