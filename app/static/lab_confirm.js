// Predictions held against real runs.

import { h } from "./dom.js";
import { LabPanel } from "./lab_panel.js";

/** @import { Parts } from "./lab_panel.js" */
/** @import { GeneralView } from "./types.js" */

export class LabConfirm {
  /**
   * @param {Parts} parts
   * @param {(all: boolean) => void} run
   */
  constructor(parts, run) {
    this.panel = new LabPanel(parts, { id: "lab-confirmed", title: "Predicted and measured" });
    this.element = this.panel.element;
    this.element.hidden = true;
    const button = (/** @type {string} */ text, /** @type {boolean} */ all) =>
      h("button", { type: "button", class: "rs-quiet", disabled: true, text, on: { click: () => run(all) } });
    this.buttons = [button("Confirm with a real run", false), button("Confirm on all texts", true)];
  }

  /** @param {boolean} busy */
  setBusy(busy) {
    for (const button of this.buttons) button.disabled = busy;
  }

  /** It was of other settings, or a new run begins. */
  clear() {
    this.panel.clear();
  }

  /** @param {GeneralView} view */
  draw(view) {
    this.panel.draw(view);
  }
}
