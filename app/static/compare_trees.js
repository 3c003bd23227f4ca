// The draft trees of all runs at one output position, side by side.

import { roundAt } from "./compare_store.js";
import { fill, h } from "./dom.js";
import { TreeDrawing } from "./tree_drawing.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { Lane } from "./types.js" */

/** @typedef {{ caption: HTMLElement, empty: HTMLElement, figure: TreeDrawing, shown: string }} Place */

export class Trees {
  /** @type {Place[]} */
  places = [];

  /** @param {CompareStore} store */
  constructor(store) {
    this.store = store;
    this.grid = h("div", { class: "rs-compare-columns" });
    this.hint = h("span", { class: "rs-panel-hint" });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-trees", "data-panel": "trees", "aria-label": "Draft trees" },
      h("header", {}, h("h2", { text: "Draft trees" }), this.hint),
      this.grid,
    );
  }

  draw() {
    this.places = (this.store.comparison?.lanes ?? []).map(() => ({
      caption: h("p", { class: "rs-tree-caption" }),
      empty: h("p", { class: "rs-empty" }),
      figure: new TreeDrawing(),
      shown: "",
    }));
    fill(
      this.grid,
      this.places.map(({ caption, empty, figure }) =>
        h("div", { class: "rs-compare-tree" }, caption, empty, figure.scroll),
      ),
    );
    this.drawSelection();
  }

  drawSelection() {
    const { comparison, position } = this.store;
    this.hint.textContent = `that wrote position ${position} · ◆ copied  ● model  ▲ diffusion  ■ recycled`;
    (comparison?.lanes ?? []).forEach((lane, i) => this.drawLane(lane, i, position));
  }

  /**
   * @param {Lane} lane
   * @param {number} i
   * @param {number} position
   */
  drawLane(lane, i, position) {
    const place = this.places[i],
      at = roundAt(lane, position);
    const key = `${lane.run_id}-${at}`;
    if (!place || place.shown === key) return;
    place.shown = key;
    const trees = at < 0 ? null : this.store.trees[i]?.[at];
    fill(place.caption, h("span", { class: `rs-letter rs-lane-${lane.letter}`, text: lane.letter }), about(lane, at));
    place.empty.textContent =
      at < 0 ? "Its text has ended before." : "Nothing was drafted: the target wrote this token alone.";
    place.empty.hidden = Boolean(trees);
    place.figure.scroll.hidden = !trees;
    if (!trees) return;
    place.figure.draw(trees, key);
  }
}

/**
 * @param {Lane} lane
 * @param {number} at
 */
function about(lane, at) {
  const round = lane.rounds[at];
  if (!round) return "";
  const to = round.end - 1;
  const where = round.start === to ? `position ${to}` : `positions ${round.start} to ${to}`;
  return `round ${at + 1}, ${where}: ${round.drafted} drafted, ${round.accepted} accepted`;
}
