// The run's numbers with their definitions, its badges, and the round's facts and reason.

import { fill, h } from "./dom.js";
import { explain } from "./floating.js";

const SHORT = {
  "tokens per target pass": "tokens / target pass",
  "× plain": "× plain decoding",
  "mean length (vLLM, llama.cpp)": "length (vLLM, llama.cpp)",
  "mean length without bonus": "length, no bonus",
  "mean length (Spec-Bench)": "length (Spec-Bench)",
};

export class RunSummary {
  constructor(floating) {
    this.floating = floating;
    this.big = h("div", { class: "rs-metrics" });
    this.badges = h("div", { class: "rs-badges" });
    this.verdict = h("p", { class: "rs-verdict", role: "status", "aria-live": "polite" });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-metrics", "data-panel": "metrics", "aria-label": "Metrics" },
      h("header", {}, h("h2", { text: "This run" }), this.badges),
      this.big,
      this.verdict,
    );
  }

  draw(view) {
    if (!view) {
      fill(this.big, h("p", { class: "rs-empty", text: "Numbers appear with the first round." }));
      fill(this.badges);
      this.verdict.textContent = "";
      return;
    }
    if (this.big.children.length !== view.metrics.length) this.build(view.metrics);
    view.metrics.forEach((metric, i) => {
      const [value, note] = this.cells[i];
      if (value.textContent !== metric.value) value.textContent = metric.value;
      if (note.textContent !== metric.note) note.textContent = metric.note;
      value.classList.toggle("is-missing", metric.value === "–");
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
    this.verdict.textContent = view.verdict;
  }

  build(metrics) {
    this.cells = [];
    fill(
      this.big,
      metrics.map((metric, i) => {
        const value = h("span", { class: "rs-metric-value" });
        const note = h("span", { class: "rs-metric-note" });
        this.cells.push([value, note]);
        const name = h("button", { type: "button", class: "rs-metric-name", text: SHORT[metric.name] || metric.name });
        explain(name, this.floating, metric.name, metric.help);
        return h("div", { class: "rs-metric" + (i < 2 ? " is-main" : "") }, name, value, note);
      }),
    );
  }
}

export class RoundStrip {
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

  draw(view, pending) {
    if (pending) {
      this.reason.textContent = pending.reason;
      this.outcome.textContent = "the target is reading the draft";
      return;
    }
    this.reason.textContent = view?.reason || "";
    this.outcome.textContent = view?.outcome || "";
    fill(
      this.facts,
      (view?.facts || []).map((fact) => h("div", {}, h("dt", { text: fact.name }), h("dd", { text: fact.value }))),
    );
  }
}
