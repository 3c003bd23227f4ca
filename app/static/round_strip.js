// The round's facts and reason, above the panels.

import { fill, h } from "./dom.js";

/** @import { Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

/** @implements {Panel} */
export class RoundStrip {
  id = "strip";
  reads = /** @type {const} */ (["round"]);
  always = true;
  /** @type {[]} */
  figures = [];

  constructor() {
    this.facts = h("dl", { class: "rs-round-facts" });
    this.reason = h("p", { class: "rs-reason", "aria-live": "polite" });
    this.outcome = h("span", { class: "rs-round-outcome" });
    this.element = h(
      "div",
      { class: "rs-round" },
      this.reason,
      h("div", { class: "rs-round-line" }, this.outcome, this.facts),
    );
  }

  /** @param {Store} store */
  draw({ view, shownPending: pending }) {
    if (pending) {
      this.reason.textContent = pending.reason;
      this.outcome.textContent = "the target is reading the draft";
      return;
    }
    const { reason = "", outcome = "", facts = [] } = view?.round ?? {};
    this.reason.textContent = reason;
    this.outcome.textContent = outcome;
    fill(
      this.facts,
      facts.map((fact) => h("div", {}, h("dt", { text: fact.name }), h("dd", { text: fact.value }))),
    );
  }
}
