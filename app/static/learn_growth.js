// A draft tree that grows level by level, is reranked and judged: a slider over its stages.

import { h } from "./dom.js";
import { TreeDrawing } from "./tree_drawing.js";

/** @import { GrowthView } from "./types.js" */

export class GrowthWidget {
  /** @param {GrowthView} view */
  constructor({ title, stages }) {
    this.stages = stages;
    this.range = h("input", {
      type: "range",
      class: "rs-range",
      min: 1,
      max: stages.length,
      value: 1,
      "aria-label": "Stages of the draft",
      on: { input: () => this.draw() },
    });
    this.label = h("output", { class: "rs-knob-value" });
    this.said = h("p", { class: "rs-knob-said", "aria-live": "polite" });
    this.tree = new TreeDrawing();
    this.element = h(
      "section",
      { class: "rs-panel rs-learn-growth", "aria-label": "A draft tree that grows" },
      h("div", { class: "rs-knob-line" }, h("span", { class: "rs-label", text: title }), this.label),
      this.range,
      this.said,
      this.tree.scroll,
    );
    this.draw();
  }

  draw() {
    const at = Number(this.range.value) - 1;
    const { label, sentence, tree } = this.stages[at];
    this.range.style.setProperty("--at", `${(100 * at) / Math.max(1, this.stages.length - 1)}%`);
    this.range.setAttribute("aria-valuetext", label);
    this.label.textContent = label;
    this.said.textContent = sentence;
    this.tree.draw(tree, label);
  }
}
