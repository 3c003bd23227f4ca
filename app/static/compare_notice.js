// What Compare's engine is doing, or what went wrong; what was lost can be run again.

import { fill, h } from "./dom.js";

/** @import { CompareStore } from "./compare_store.js" */

export class CompareNotice {
  /** @param {() => void} rerun */
  constructor(rerun) {
    this.element = h("div", { class: "rs-notice", role: "status", "aria-live": "polite" });
    this.again = h("button", { type: "button", class: "rs-quiet", text: "Run again", on: { click: rerun } });
  }

  /** @param {CompareStore} store */
  draw({ error, progress, waiting, lost }) {
    const text = error || progress || (waiting ? "waiting for the engine …" : "");
    fill(this.element, text, lost && this.again);
    this.element.hidden = !text;
    this.element.classList.toggle("is-error", Boolean(error));
  }
}
