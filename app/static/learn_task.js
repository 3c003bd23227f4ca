// A task under a widget: what is to be found, a button, and the verdict of who checks.

import { h } from "./dom.js";

/** @import { LearnContext } from "./learn_widgets.js" */

export class Task {
  /**
   * @param {LearnContext} context
   * @param {string} say
   * @param {() => unknown} given the reader's answer
   * @param {...HTMLElement} fields before the button
   */
  constructor(context, say, given, ...fields) {
    this.context = context;
    this.given = given;
    this.button = h("button", { type: "button", class: "rs-button is-primary", text: "Check" });
    this.verdict = h("p", { class: "rs-verdict-line", role: "status", "aria-live": "polite" });
    this.button.addEventListener("click", () => void this.check());
    this.element = h(
      "div",
      { class: "rs-task" },
      h("p", { class: "rs-task-say" }, h("strong", { text: "Task: " }), say),
      h("div", { class: "rs-task-row" }, fields, this.button),
      this.verdict,
    );
    if (context.solved) this.show({ right: true, sentence: "Solved before." });
  }

  async check() {
    this.button.disabled = true;
    this.show(await this.context.check(this.given()));
    this.button.disabled = false;
    this.button.focus();
  }

  /** @param {{ right: boolean, sentence: string }} verdict */
  show({ right, sentence }) {
    this.verdict.textContent = `${right ? "✓" : "✗"} ${sentence}`;
    this.verdict.dataset.right = String(right);
    if (right) this.context.solve();
  }
}
