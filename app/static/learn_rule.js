// The accept rule to play with: p, q and the residual as bars, draws one by one or by the hundred, and their χ².

import { chiSquare, drawOne } from "./accept_rule.js";
import { fill, h } from "./dom.js";

/** @import { RuleView } from "./types.js" */

const FEW = 30; // draws below which χ² says nothing

export class RuleWidget {
  drawn = 0;
  kept = 0;

  /** @param {RuleView} view */
  constructor(view) {
    this.view = view;
    this.counts = view.tokens.map(() => 0);
    this.body = h("tbody");
    this.said = h("p", { class: "rs-knob-said", "aria-live": "polite", text: "Draw a guess from q." });
    this.meter = h("div", { class: "rs-chi-bar" }, h("span"));
    this.chi = h("p", { class: "rs-caption" });
    const head = ["token", "p (target)", "q (drafter)", "residual", "written"];
    this.element = h(
      "section",
      { class: "rs-panel rs-learn-rule", "aria-label": "The accept rule" },
      h(
        "table",
        { class: "rs-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            head.map((text) => h("th", { scope: "col", text })),
          ),
        ),
        this.body,
      ),
      h(
        "div",
        { class: "rs-task-row" },
        this.button("Draw one", 1),
        this.button("Draw 100", 100),
        h("button", { type: "button", class: "rs-button", text: "Start again", on: { click: () => this.reset() } }),
      ),
      this.said,
      this.meter,
      this.chi,
    );
    this.draw();
  }

  /**
   * @param {string} text
   * @param {number} times
   */
  button(text, times) {
    return h("button", { type: "button", class: "rs-button", text, on: { click: () => this.sample(times) } });
  }

  told() {
    return this.chi.textContent ?? "";
  }

  reset() {
    this.counts.fill(0);
    this.drawn = this.kept = 0;
    this.said.textContent = "Draw a guess from q.";
    this.draw();
  }

  /** @param {number} times */
  sample(times) {
    const { tokens } = this.view;
    for (let i = 0; i < times; i++) {
      const { guess, u, ratio, kept, written } = drawOne(this.view);
      this.counts[written] += 1;
      this.drawn += 1;
      this.kept += Number(kept);
      this.said.textContent =
        `q offers ‘${tokens[guess]}’, p/q allows ${ratio.toFixed(2)}, u is ${u.toFixed(2)}: ` +
        (kept ? "kept." : `rejected; the residual gives ‘${tokens[written]}’.`);
    }
    this.draw();
  }

  draw() {
    const { tokens, p, q, residual, kept, critical } = this.view;
    const most = Math.max(1, ...this.counts);
    fill(
      this.body,
      tokens.map((token, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, h("code", { text: token })),
          [p[i], q[i], residual[i]].map((share) => bar(share, share.toFixed(2))),
          bar(this.counts[i] / most, `${this.counts[i]} (p: ${(this.drawn * p[i]).toFixed(0)})`),
        ),
      ),
    );
    const chi = chiSquare(this.counts, p);
    const share = this.drawn ? `${this.kept} of ${this.drawn} guesses kept` : "Nothing drawn yet";
    /** @type {HTMLElement} */ (this.meter.firstChild).style.width = `${Math.min(100, (50 * chi) / critical)}%`;
    this.meter.classList.toggle("is-over", chi > critical);
    const verdict =
      this.drawn < FEW ? "too few to tell" : chi > critical ? "unusual: one fair sample in twenty" : "as expected of p";
    this.chi.textContent =
      `${share}, Σ min(p, q) = ${kept.toFixed(2)}. χ² of what was written against p: ${chi.toFixed(2)}, ` +
      `5 % of fair samples exceed ${critical} (the mark): ${verdict}.`;
  }
}

/**
 * @param {number} share
 * @param {string} text
 */
const bar = (share, text) =>
  h(
    "td",
    { class: "rs-bar-cell" },
    h("span", { class: "rs-bar-fill", style: { width: `${(100 * share).toFixed(1)}%` } }),
    h("span", { text }),
  );
