// Where we are in the run: a native range input, play, and whether to follow the newest round.

import { h, icon } from "./dom.js";
import { Playing } from "./playing.js";

/** @import { Panel } from "./page.js" */
/** @import { Shape } from "./dom.js" */
/** @import { Store } from "./store.js" */

const PLAY_MS = 620;

/** @implements {Panel} */
export class Scrubber {
  id = "scrubber";
  reads = /** @type {const} */ (["rounds", "round"]);
  always = true;
  /** @type {[]} */
  figures = [];
  /** @type {((round: number) => number) | null} */
  pace = null; // how long a round stays, if not as the choice of speed says
  /** @type {(round: number) => boolean} */
  halts = () => false; // whether playing pauses when it comes to a round

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.playing = new Playing({
      name: "the run",
      speeds: [0.5, 1, 2, 4],
      begin: () => this.begin(),
      wait: (speed) => this.pace?.(store.round) ?? PLAY_MS / speed,
      over: () => store.round + 1 >= this.last || this.halts(store.round + 1),
      move: () => store.round < this.last && store.look(store.round + 1),
    });
    this.range = h("input", {
      type: "range",
      class: "rs-range",
      min: 0,
      max: 0,
      value: 0,
      step: 1,
      "aria-label": "Round",
      on: { input: () => this.go(Number(this.range.value)) },
    });
    this.label = h("output", { class: "rs-round-label" });
    this.followBox = h("input", { type: "checkbox", checked: true, on: { change: () => this.chooseFollow() } });
    this.element = h(
      "div",
      { class: "rs-scrubber", role: "group", "aria-label": "Step through the rounds" },
      button("first", "First round (Home)", () => this.go(0)),
      button("previous", "Previous round (←)", () => this.step(-1)),
      this.playing.button,
      button("next", "Next round (→)", () => this.step(1)),
      button("last", "Last round (End)", () => this.go(this.last)),
      this.range,
      this.label,
      this.playing.choice,
      h("label", { class: "rs-follow" }, this.followBox, "follow live"),
    );
  }

  get last() {
    return this.store.steps.length - 1;
  }

  /** @param {Store} store */
  draw({ steps, round, follow }) {
    const last = Math.max(0, steps.length - 1);
    this.range.max = String(last);
    this.range.value = String(round);
    this.range.style.setProperty("--at", `${last ? (100 * round) / last : 100}%`);
    this.label.textContent = steps.length ? `Round ${round + 1} / ${steps.length}` : "No rounds yet";
    this.range.setAttribute("aria-valuetext", this.label.textContent);
    this.followBox.checked = follow;
  }

  /** @param {number} round where the reader wants to be */
  go(round) {
    this.playing.pause();
    this.store.setFollow(false);
    this.store.look(round);
  }

  /** @param {number} by */
  step(by) {
    this.go(this.store.round + by);
  }

  chooseFollow() {
    this.playing.pause();
    this.store.setFollow(this.followBox.checked);
    if (this.store.follow) this.store.look(this.last);
  }

  begin() {
    if (this.last < 0) return false;
    this.store.setFollow(false);
    if (this.store.round >= this.last) this.store.look(0);
    return true;
  }
}

/**
 * @param {Shape} shape
 * @param {string} label
 * @param {() => void} action
 */
function button(shape, label, action) {
  const attributes = { type: "button", class: "rs-icon", "aria-label": label, title: label };
  return h("button", { ...attributes, tabindex: -1, on: { click: action } }, icon(shape)); // arrows, Home and End do it
}
