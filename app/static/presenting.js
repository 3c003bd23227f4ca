// The stage of a room: text, tree and one number, large; played at a pace, with a line that says what happens.

import { fill, h, icon, reducedMotion } from "./dom.js";
import { soFar } from "./so_far.js";
import { narrated, tellingRounds } from "./telling.js";

/** @import { Panel } from "./page.js" */
/** @import { Player } from "./player.js" */
/** @import { Store } from "./store.js" */

const COUNT_MS = 450;
/** @type {Array<[string, string]>} */
const PACES = [
  ["2000", "a round in 2 s"],
  ["1000", "a round a second"],
  ["500", "2 rounds a second"],
  ["true", "true time"],
];

/** @implements {Panel} */
export class Presentation {
  id = "presenting";
  reads = /** @type {const} */ (["run", "rounds", "round", "state"]);
  always = true;
  /** @type {[]} */
  figures = [];
  shown = 0; // the number on screen
  generation = -1;
  /** @type {Map<number, string>} */
  telling = new Map();

  /** @param {Player} player which is shown in full */
  constructor(player) {
    this.player = player;
    const { playing } = player.scrubber;
    playing.told = () => this.drawPlay();
    this.name = h("p", { class: "rs-stage-name" });
    this.number = h("span", { class: "rs-stage-number" });
    this.unit = h("span", { class: "rs-stage-unit" });
    this.note = h("p", { class: "rs-stage-note" });
    this.why = h("p", { class: "rs-stage-why" });
    this.said = h("p", { class: "rs-stage-said", role: "status", "aria-live": "polite" });
    this.play = h("button", { type: "button", class: "rs-icon rs-play", on: { click: () => playing.toggle() } });
    this.pace = h(
      "select",
      { class: "rs-speed", "aria-label": "Pace", on: { change: () => this.set() } },
      PACES.map(([value, text]) => h("option", { value, text })),
    );
    this.halting = h("input", { type: "checkbox", checked: true, on: { change: () => this.set() } });
    this.at = h("span", { class: "rs-stage-at" });
    this.element = h(
      "section",
      { class: "rs-stage", "aria-label": "Stage" },
      h("div", { class: "rs-stage-count" }, this.name, h("p", {}, this.number, this.unit), this.note),
      h("div", { class: "rs-stage-say" }, this.why, this.said),
      h(
        "div",
        { class: "rs-stage-tools" },
        this.play,
        this.at,
        this.pace,
        h("label", { class: "rs-follow" }, this.halting, "pause where it gets interesting"),
        h("button", { type: "button", class: "rs-quiet", text: "Leave (f)", on: { click: () => this.toggle() } }),
      ),
    );
  }

  get on() {
    return this.player.size === "full";
  }

  toggle() {
    const { playing } = this.player.scrubber;
    this.player.resize(this.on ? "half" : "full");
    document.body.toggleAttribute("data-staged", this.on);
    playing.pause();
    this.set();
    (this.on ? this.play : playing.button).focus();
    this.drawPlay();
    this.draw(this.player.store);
  }

  /** The scrubber plays as the stage asks, and as ever when it is left. */
  set() {
    const { scrubber, store } = this.player;
    const pace = this.pace.value;
    const own = (/** @type {number} */ round) =>
      pace === "true" ? Object.values(store.steps[round]?.phase_ms ?? {}).reduce((a, b) => a + b, 0) : Number(pace);
    scrubber.pace = this.on ? own : null;
    scrubber.halts = this.on && this.halting.checked ? (round) => this.telling.has(round) : () => false;
  }

  /** @param {Store} store */
  draw(store) {
    if (!this.on) return;
    const { run, steps, step, round, running, waiting } = store;
    if (this.generation !== store.generation || running) {
      this.generation = store.generation;
      this.telling = tellingRounds(steps);
    }
    this.name.textContent = waiting ? "waiting" : (run?.title ?? "");
    this.why.textContent = this.telling.get(round) ?? "";
    this.said.textContent = waiting ? "" : step ? narrated(step) : "";
    this.at.textContent = steps.length ? `Round ${round + 1} of ${steps.length}` : "";
    const now = soFar(store);
    this.unit.textContent = now?.unit ?? "";
    const odd = Boolean(store.metrics?.warning) && now?.unit === "× plain"; // lossy or looping: as the panel of numbers has it
    this.note.textContent = `${now?.note ?? ""}${odd ? "; not representative, see the run's numbers" : ""}`;
    this.number.classList.toggle("is-muted", odd);
    this.count(now?.value ?? null);
  }

  drawPlay() {
    const { on } = this.player.scrubber.playing;
    fill(this.play, icon(on ? "pause" : "play"));
    this.play.setAttribute("aria-label", on ? "Pause (space)" : "Play (space)");
  }

  /** @param {number | null} to what the number counts up or down to */
  count(to) {
    const from = this.shown;
    const begun = performance.now();
    this.shown = to ?? 0;
    /** @param {number} now */
    const tick = (now) => {
      if (this.shown !== (to ?? 0)) return; // another number is counted to by now
      const share = reducedMotion() ? 1 : Math.min(1, Math.max(0, (now - begun) / COUNT_MS));
      this.number.textContent = to === null ? "" : (from + share * (to - from)).toFixed(2);
      if (share < 1) requestAnimationFrame(tick);
    };
    tick(begun);
  }
}
