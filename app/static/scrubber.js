// Where we are in the run: a native range input, play, and whether to follow the newest round.

import { fill, h, icon } from "./dom.js";

/** @import { Panel } from "./page.js" */
/** @import { Shape } from "./dom.js" */
/** @import { Store } from "./store.js" */

const PLAY_MS = 620;
const SPEEDS = [0.5, 1, 2, 4];

/** @implements {Panel} */
export class Scrubber {
  id = "scrubber";
  reads = /** @type {const} */ (["rounds", "round"]);
  always = true;
  /** @type {[]} */
  figures = [];

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.speed = 1;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {((round: number) => number) | null} */
    this.pace = null; // how long a round stays, if not as the choice of speed says
    /** @type {(round: number) => boolean} */
    this.halts = () => false; // whether playing pauses when it comes to a round
    this.told = () => {}; // who else shows whether it plays
    this.play = button("play", "Play (space)", () => this.toggle(), "rs-play");
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
    this.speedChoice = h(
      "select",
      { class: "rs-speed", "aria-label": "Playback speed", on: { change: () => this.chooseSpeed() } },
      SPEEDS.map((s) => h("option", { value: s, selected: s === 1, text: `${s}×` })),
    );
    this.element = h(
      "div",
      { class: "rs-scrubber", role: "group", "aria-label": "Step through the rounds" },
      button("first", "First round (Home)", () => this.go(0)),
      button("previous", "Previous round (←)", () => this.step(-1)),
      this.play,
      button("next", "Next round (→)", () => this.step(1)),
      button("last", "Last round (End)", () => this.go(this.last)),
      this.range,
      this.label,
      this.speedChoice,
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
    this.pause();
    this.store.setFollow(false);
    this.store.look(round);
  }

  /** @param {number} by */
  step(by) {
    this.go(this.store.round + by);
  }

  chooseFollow() {
    this.pause();
    this.store.setFollow(this.followBox.checked);
    if (this.store.follow) this.store.look(this.last);
  }

  chooseSpeed() {
    this.speed = Number(this.speedChoice.value);
    if (!this.timer) return;
    this.pause();
    this.start();
  }

  get playing() {
    return this.timer !== undefined;
  }

  toggle() {
    if (this.timer) this.pause();
    else this.start();
  }

  start() {
    if (this.last < 0) return;
    this.store.setFollow(false);
    if (this.store.round >= this.last) this.store.look(0);
    this.wait();
    this.drawPlay();
  }

  wait() {
    const { round } = this.store;
    this.timer = setTimeout(() => this.advance(), this.pace?.(round) ?? PLAY_MS / this.speed);
  }

  advance() {
    const to = this.store.round + 1;
    const ends = to >= this.last || this.halts(to);
    if (!ends) this.wait();
    else this.pause();
    if (to <= this.last) this.store.look(to);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.drawPlay();
  }

  drawPlay() {
    fill(this.play, icon(this.timer ? "pause" : "play"));
    this.play.setAttribute("aria-label", this.timer ? "Pause (space)" : "Play (space)");
    this.told();
  }
}

/**
 * @param {Shape} shape
 * @param {string} label
 * @param {() => void} action
 */
function button(shape, label, action, style = "") {
  const reached = style ? 0 : -1; // arrows, Home and End do what all but Play do
  const attributes = {
    type: "button",
    class: `rs-icon ${style}`,
    "aria-label": label,
    title: label,
    tabindex: reached,
  };
  return h("button", { ...attributes, on: { click: action } }, icon(shape));
}
