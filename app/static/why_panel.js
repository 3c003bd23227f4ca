// Why the pinned token or node is what it is; with none, the round's most telling one: the target's own.

import { nodeCard, selectionCard, tokenCard } from "./cards.js";
import { fill, h } from "./dom.js";

/** @import { Word } from "./cards.js" */
/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

/** @implements {Panel} */
export class WhyPanel {
  id = "why";
  reads = /** @type {const} */ (["round", "selection"]);
  /** @type {[]} */
  figures = [];

  /** @param {Context} context */
  constructor({ glossary }) {
    /** @type {Word} */
    this.word = (name, value) => glossary.word(name, name, () => value);
    this.body = h("div", { class: "rs-why", tabindex: 0, role: "group", "aria-label": "Why this token" });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-why", "data-panel": "why", "aria-label": "Selected token" },
      h("header", {}, h("h2", { text: "Why this token" })),
      this.body,
    );
  }

  /** @param {Store} store */
  draw(store) {
    const card = pinnedCard(store, this.word) ?? tellingCard(store, this.word);
    fill(
      this.body,
      card ?? h("p", { class: "rs-empty", text: "Point at anything in any panel; click to keep it here." }),
    );
  }
}

/**
 * @param {Store} store
 * @param {Word} word
 */
function pinnedCard(store, word) {
  const { selection, round } = store;
  return selection?.round === round ? selectionCard(store, selection, word) : null;
}

const LOSSY = new Set(["relaxed_accept", "fly_accept"]);

/**
 * @param {Store} store
 * @param {Word} word
 */
function tellingCard(store, word) {
  const { step, round } = store;
  if (!step) return null;
  const { commit, trees } = step;
  const start = store.starts[round];
  const passed = commit.path_node_ids.findIndex((id) => LOSSY.has(trees.final[id].outcome ?? ""));
  if (passed >= 0) return tokenCard(store, start + passed, word);
  const rejected = trees.final.find((node) => node.outcome === "rejected");
  return rejected
    ? nodeCard(store, round, rejected.id, word)
    : tokenCard(store, start + commit.emitted_ids.length - 1, word);
}
