// What plays, in plain words, and the totals up to the round that is looked at.

import { h } from "./dom.js";

/** @import { Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

const BEFORE = "Press Run: the model continues your prompt, and its text appears here as it is written.";
const counted = (/** @type {number} */ n, /** @type {string} */ one) => `${n} ${one}${n === 1 ? "" : "s"}`;

/**
 * Tokens and passes up to a round.
 *
 * @param {Pick<Store, "steps" | "round">} store
 */
export function soFar({ steps, round }) {
  const seen = steps.slice(0, round + 1);
  return { tokens: seen.reduce((sum, { commit }) => sum + commit.emitted_ids.length, 0), passes: seen.length };
}

/** @implements {Panel} */
export class Story {
  id = "story";
  reads = /** @type {const} */ (["run", "rounds", "round"]);
  always = true;
  /** @type {[]} */
  figures = [];

  constructor() {
    this.total = h("strong", {});
    this.text = h("span", {});
    this.element = h("p", { class: "rs-story" }, this.total, " ", this.text);
  }

  /** @param {Store} store */
  draw(store) {
    const { tokens, passes } = soFar(store);
    this.total.textContent = passes ? `${counted(tokens, "token")} in ${counted(passes, "step")}.` : "";
    this.text.textContent = passes ? (store.metrics?.story ?? "") : store.run ? "" : BEFORE;
  }
}
