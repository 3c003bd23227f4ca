// A run to look at and to play: where one is in it, what became of the round, the text, the draft tree. In three sizes:
// `full` is the stage of a room, `half` stands beside the panels of Live and Replay, `embedded` in a lesson.

import { h } from "./dom.js";
import { Picker } from "./picker.js";
import { playerKey } from "./player_keys.js";
import { RoundStrip } from "./round_strip.js";
import { Scrubber } from "./scrubber.js";
import { Stage } from "./stage.js";
import { TokenText } from "./tokens.js";
import { TreePanel } from "./tree_panel.js";

/** @import { Floating } from "./floating.js" */
/** @import { Store } from "./store.js" */

/** @typedef {"full" | "half" | "embedded"} Size */

export class Player {
  /**
   * @param {Store} store
   * @param {Floating} floating
   */
  constructor(store, floating) {
    this.store = store;
    this.scrubber = new Scrubber(store);
    this.picker = new Picker(store, this.scrubber, floating);
    this.strip = new RoundStrip();
    this.text = new TokenText(this);
    this.tree = new TreePanel(this);
    this.panels = [this.scrubber, this.strip, this.text, this.tree];
    this.track = h("div", { class: "rs-player-track" }, this.scrubber.element, this.strip.element);
    this.screen = h("div", { class: "rs-player-screen" }, this.text.element, this.tree.element);
    /** @type {HTMLElement} */
    this.element = this.track; // around it all
  }

  /** @returns {Size} */
  get size() {
    return /** @type {Size} */ (this.element.dataset.size);
  }

  /** @param {Size} size */
  resize(size) {
    this.element.dataset.size = size;
  }

  /**
   * Among a page's other panels: the page lays its parts out and draws them.
   *
   * @param {HTMLElement} element that holds all of the page
   */
  within(element) {
    this.element = element;
    element.classList.add("rs-player");
    this.resize("half");
  }

  /** By itself, with its keys. @param {string} label */
  alone(label) {
    const stage = new Stage(this.store, () => {});
    for (const panel of this.panels) stage.add(panel);
    this.element = h("section", { class: "rs-player", "aria-label": label }, this.track, this.screen);
    this.element.addEventListener("keydown", (event) => playerKey(event, this));
    this.resize("embedded");
  }
}
