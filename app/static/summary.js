// The run's numbers with their definitions, and its badges.

import { fill, h } from "./dom.js";
import { explain } from "./floating.js";
import { soFar } from "./story.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Metric, MetricsView } from "./types.js" */

/** @type {Record<string, string>} */
const SHORT = {
  "tokens per target pass": "tokens / target pass",
  "× plain": "× plain decoding",
  "mean length (vLLM, llama.cpp)": "length (vLLM, llama.cpp)",
  "mean length without bonus": "length, no bonus",
  "mean length (Spec-Bench)": "length (Spec-Bench)",
};

const MAIN = 2; // large
const FIRST = 8; // the others are folded

/** @implements {Panel} */
export class RunSummary {
  id = "metrics";
  reads = /** @type {const} */ (["run", "round"]);
  /** @type {[]} */
  figures = [];

  /** @param {Context} context */
  constructor({ floating, glossary }) {
    this.glossary = glossary;
    /** @type {Array<{ value: HTMLElement, note: HTMLElement }>} */
    this.cells = [];
    /** @type {MetricsView | null} */
    this.drawn = null;
    this.floating = floating;
    this.big = h("div", { class: "rs-metrics" });
    this.badges = h("div", { class: "rs-badges" });
    this.warning = h("p", { class: "rs-warning", role: "status", "aria-live": "polite" });
    this.verdict = h("p", { class: "rs-verdict", role: "status", "aria-live": "polite" });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-metrics", "data-panel": "metrics", "aria-label": "Metrics" },
      h("header", {}, h("h2", { text: "This run" }), this.badges),
      this.warning,
      this.big,
      this.verdict,
    );
  }

  /** @param {Store} store */
  draw(store) {
    if (this.drawn !== store.metrics || !store.metrics) this.drawRun(store.metrics);
    if (store.metrics) this.count(store, store.metrics.metrics[0]);
  }

  /**
   * The first number counts along with the rounds.
   *
   * @param {Store} store
   * @param {Metric} whole
   */
  count(store, whole) {
    const { tokens, passes } = soFar(store);
    const along = passes > 0 && passes < store.steps.length;
    const [{ value, note }] = this.cells;
    value.textContent = along ? (tokens / passes).toFixed(2) : whole.value;
    note.textContent = along ? `so far, ${tokens} tokens in ${passes} passes` : whole.note;
  }

  /** @param {MetricsView | null} view */
  drawRun(view) {
    this.drawn = view;
    if (!view) {
      fill(this.big, h("p", { class: "rs-empty", text: "Numbers appear with the first round." }));
      fill(this.badges);
      this.warning.textContent = "";
      this.verdict.textContent = "";
      return;
    }
    if (this.big.querySelectorAll(".rs-metric").length !== view.metrics.length) this.build(view.metrics);
    view.metrics.forEach((metric, i) => {
      const { value, note } = this.cells[i];
      if (value.textContent !== metric.value) value.textContent = metric.value;
      if (note.textContent !== metric.note) note.textContent = metric.note;
      value.classList.toggle("is-missing", metric.value === "–");
      value.classList.toggle("is-muted", metric.muted);
    });
    fill(
      this.badges,
      view.badges.map((badge) =>
        explain(
          h("button", { type: "button", class: `rs-badge rs-badge-${badge.kind}`, text: badge.text }),
          this.floating,
          badge.text,
          badge.help,
        ),
      ),
    );
    this.warning.textContent = view.warning;
    this.verdict.textContent = view.verdict;
  }

  /** @param {Metric[]} metrics */
  build(metrics) {
    this.cells = [];
    const cells = metrics.map((metric, i) => {
      const value = h("span", { class: "rs-metric-value" });
      const note = h("span", { class: "rs-metric-note" });
      this.cells.push({ value, note });
      const here = () => [value, note].map(({ textContent }) => textContent).join(": ");
      const name = this.glossary.word(SHORT[metric.name] ?? metric.name, metric.name, here);
      name.classList.add("rs-metric-name");
      return h("div", { class: "rs-metric" + (i < MAIN ? " is-main" : "") }, name, note, value);
    });
    const folded = cells.slice(FIRST);
    const more =
      folded.length > 0 && h("details", { class: "rs-metric-more" }, h("summary", { text: "more numbers" }), folded);
    fill(this.big, cells.slice(0, FIRST), more);
  }
}
