// The verdict where the slider stands, and what it is worth.

import { fill, h } from "./dom.js";

/** @import { LookAnswer } from "./types.js" */

const REAL =
  "Nothing can be predicted of these settings, but a real run can tell: Confirm decodes the texts with them, counts tokens " +
  "per pass, times them against plain decoding, and says how many texts came out otherwise.";

export class LabVerdict {
  constructor() {
    const label = "Verdict";
    this.hint = h("span", { class: "rs-panel-hint" });
    this.sentence = h("p", { class: "rs-why-sentence", "aria-live": "polite" });
    this.facts = h("dl", { class: "rs-lab-facts" });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-verdict", "aria-label": label },
      h("header", {}, h("h2", { text: label }), this.hint),
      this.sentence,
      this.facts,
    );
  }

  /** @param {string} exact how exact replays of this set are */
  about(exact) {
    this.hint.textContent = exact;
  }

  /** @param {LookAnswer} look */
  draw({ verdict, facts }) {
    this.sentence.textContent = verdict;
    fill(
      this.facts,
      facts.map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", { text: value }))),
    );
  }

  /** @param {boolean} real whether a real run could tell more */
  clear(real) {
    this.sentence.textContent = real ? REAL : "";
    fill(this.facts);
  }
}
