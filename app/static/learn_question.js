// A question: choose first, then see. The right answer was computed, and says by which numbers.

import { h } from "./dom.js";

/** @import { LearnContext } from "./learn_widgets.js" */
/** @import { QuestionView } from "./types.js" */

export class QuestionWidget {
  /**
   * @param {QuestionView} view
   * @param {LearnContext} context
   */
  constructor(view, context) {
    this.view = view;
    this.context = context;
    this.choices = view.options.map((_, i) =>
      h("input", { type: "radio", name: `q-${context.key}`, value: i, on: { change: () => this.choose() } }),
    );
    this.rows = view.options.map((text, i) =>
      h("label", { class: "rs-option" }, this.choices[i], h("span", { text }), h("span", { class: "rs-option-mark" })),
    );
    this.button = h("button", { type: "button", class: "rs-button", text: "Reveal", disabled: true });
    this.button.addEventListener("click", () => this.reveal());
    this.because = h("p", { class: "rs-because", role: "status", "aria-live": "polite" });
    this.element = h(
      "section",
      {
        class: `rs-panel rs-question${view.claim ? " is-claim" : ""}`,
        "aria-label": view.claim ? "A claim" : "Predict",
      },
      view.claim && h("p", { class: "rs-claim" }, h("span", { text: "Often heard: " }), h("q", { text: view.claim })),
      h("fieldset", {}, h("legend", { text: view.asked }), this.rows),
      this.button,
      this.because,
    );
  }

  get chosen() {
    return this.choices.findIndex((choice) => choice.checked);
  }

  choose() {
    this.button.disabled = false;
  }

  reveal() {
    const { right, because, claim } = this.view;
    const { chosen } = this;
    if (chosen < 0) return;
    this.rows.forEach((row, i) => {
      row.classList.toggle("is-right", i === right);
      row.classList.toggle("is-wrong", i === chosen && i !== right);
      const mark = /** @type {HTMLElement} */ (row.querySelector(".rs-option-mark"));
      mark.textContent = i === right ? "✓ right" : i === chosen ? "✗ your guess" : "";
    });
    const verdict = chosen === right ? "Right." : "Not so.";
    this.because.textContent = `${verdict} ${because}${claim ? " So the claim does not hold." : ""}`;
    this.because.dataset.right = String(chosen === right);
    this.context.solve();
  }
}
