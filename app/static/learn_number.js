// A task whose answer is a number.

import { h } from "./dom.js";
import { Task } from "./learn_task.js";

/** @import { LearnContext } from "./learn_widgets.js" */
/** @import { NumberView } from "./types.js" */

export class NumberWidget {
  /**
   * @param {NumberView} view
   * @param {LearnContext} context
   */
  constructor({ say, given }, context) {
    this.field = h("input", {
      type: "text",
      inputmode: "decimal",
      class: "rs-number rs-learn-number",
      "aria-label": "Your number",
      autocomplete: "off",
    });
    const task = new Task(context, say, () => numberOf(this.field.value), this.field);
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void task.check();
    });
    this.element = h("section", { class: "rs-panel", "aria-label": "Task" }, h("p", { text: given }), task.element);
  }
}

/** @param {string} text with a point or a comma */
const numberOf = (text) => (text.trim() ? Number(text.trim().replace(",", ".")) : null);
