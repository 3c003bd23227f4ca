// The numbers of every run, measure by measure.

import { fill, h } from "./dom.js";
import { percent } from "./scales.js";
import { sourceName } from "./vocabulary.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { Glossary } from "./glossary.js" */
/** @import { Lane, LaneNumbers, Share } from "./types.js" */

const MISSING = "–";

/** @typedef {{ name: string, help: string, of: (numbers: LaneNumbers, lane: Lane) => string | string[] }} Measure */

/** @type {Measure[]} */
const MEASURES = [
  { name: "settings", help: "the preset that they agree with, and what differs from it", of: settings },
  { name: "tokens", help: "committed tokens, and why the text ended", of: (n) => `${n.tokens} (${n.finish})` },
  { name: "target passes", help: "target forwards after the prompt", of: (n) => String(n.passes) },
  {
    name: "tokens per target pass",
    help: "committed tokens ÷ target passes; plain decoding has 1.00",
    of: (n) => number(n.per_pass),
  },
  {
    name: "× plain",
    help: "time of plain decoding ÷ of this run: median, smallest and largest of silent repeats in turn",
    of: speed,
  },
  {
    name: "levels accepted",
    help: "accepted levels of those drafted, one a depth: what chains and trees have in common",
    of: (n) => share(n.acceptance),
  },
  { name: "nodes per pass", help: "draft nodes that a target pass verified", of: (n) => number(n.nodes) },
  {
    name: "trigger rate",
    help: "rounds whose rule chose to retrieve, of all; a dash where there is no such rule",
    of: (n) => share(n.trigger),
  },
  {
    name: "drafting share",
    help: "engine time before the target's forwards ÷ all engine time",
    of: (n) => (n.drafting === null ? MISSING : percent(n.drafting)),
  },
  {
    name: "text from",
    help: "who proposed the committed tokens",
    of: (n) => n.sources.map((s) => `${sourceName(s.source)} ${percent(s.share)}`),
  },
  { name: "target", help: "who verified, where and in which precision", of: (_, lane) => lane.target || MISSING },
  { name: "notes", help: "what a reader of the numbers should know", of: (n) => (n.notes.length ? n.notes : MISSING) },
];

/** @type {Record<string, string>} */
const TERMS = { "target passes": "forward pass", "text from": "source" };

export class Numbers {
  /**
   * @param {CompareStore} store
   * @param {Glossary} glossary
   */
  constructor(store, glossary) {
    this.store = store;
    this.glossary = glossary;
    this.body = h("div", { class: "rs-table-wrap", tabindex: "0", role: "region", "aria-label": "Numbers" });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-numbers", "data-panel": "numbers", "aria-label": "Numbers" },
      h("header", {}, h("h2", { text: "Numbers" })),
      this.body,
    );
  }

  draw() {
    const lanes = this.store.comparison?.lanes ?? [];
    const head = lanes.map(({ letter, title }) =>
      h("th", { scope: "col" }, h("span", { class: `rs-letter rs-lane-${letter}`, text: letter }), title),
    );
    const rows = MEASURES.map(({ name, help, of }) => {
      const cells = lanes.map((lane) =>
        h(
          "td",
          {},
          [of(lane.numbers, lane)].flat().map((text) => h("div", { text })),
        ),
      );
      const here = () => lanes.map((lane) => `${lane.letter} ${[of(lane.numbers, lane)].flat().join(", ")}`).join("; ");
      const word = this.glossary.word(name, TERMS[name] ?? name, here);
      return h("tr", {}, h("th", { scope: "row", title: help }, word), cells);
    });
    const corner = h("th", { scope: "col", text: "measure" });
    fill(
      this.body,
      h(
        "table",
        { class: "rs-table rs-compare-table" },
        h("thead", {}, h("tr", {}, corner, head)),
        h("tbody", {}, rows),
      ),
    );
  }
}

/** @param {LaneNumbers} numbers */
function settings({ preset, changed }) {
  return [preset, ...changed.map(({ label, value }) => `${label}: ${value}`)].filter(Boolean);
}

/** @param {LaneNumbers} numbers */
function speed({ speed: found }) {
  if (!found) return "not measured";
  if (!found.silent) return [`${found.ratio.toFixed(2)}×`, "one timing, while it was shown"];
  return [
    `${found.ratio.toFixed(2)}×`,
    `${found.low.toFixed(2)} to ${found.high.toFixed(2)}, ${found.repeats} repeats`,
  ];
}

/** @param {Share} share */
function share({ part, whole, text }) {
  return part === null || text.includes("of") ? text : [text, `${part} of ${whole}`];
}

/** @param {number | null} value */
const number = (value) => (value === null ? MISSING : value.toFixed(2));
