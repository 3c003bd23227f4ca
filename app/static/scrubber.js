// Where we are in the run: a native range input, play, and whether to follow the newest round.

import { fill, h, icon } from "./dom.js";

const PLAY_MS = 620;
const SPEEDS = [0.5, 1, 2, 4];

export class Scrubber extends EventTarget {
  constructor() {
    super();
    this.count = 0;
    this.round = 0;
    this.follow = true;
    this.speed = 1;
    this.timer = null;
    const button = (shape, label, action, style = "") =>
      h(
        "button",
        { type: "button", class: `rs-icon ${style}`, "aria-label": label, title: label, on: { click: action } },
        icon(shape),
      );
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
    this.followBox = h("input", {
      type: "checkbox",
      checked: true,
      on: {
        change: () => {
          this.follow = this.followBox.checked;
          if (this.follow) this.go(this.count - 1, true);
        },
      },
    });
    this.speedChoice = h(
      "select",
      {
        class: "rs-speed",
        "aria-label": "Playback speed",
        on: {
          change: () => {
            this.speed = Number(this.speedChoice.value);
            if (this.timer) {
              this.pause();
              this.start();
            }
          },
        },
      },
      SPEEDS.map((s) => h("option", { value: s, selected: s === 1, text: `${s}×` })),
    );
    this.element = h(
      "div",
      { class: "rs-scrubber", role: "group", "aria-label": "Step through the rounds" },
      button("first", "First round (Home)", () => this.go(0)),
      button("previous", "Previous round (←)", () => this.step(-1)),
      this.play,
      button("next", "Next round (→)", () => this.step(1)),
      button("last", "Last round (End)", () => this.go(this.count - 1)),
      this.range,
      this.label,
      this.speedChoice,
      h("label", { class: "rs-follow" }, this.followBox, "follow live"),
    );
  }

  // More rounds are there; move to the newest only when following.
  grow(count, live) {
    this.count = count;
    this.range.max = Math.max(0, count - 1);
    if (this.follow && live) this.show(count - 1);
    else this.label.textContent = this.text();
  }

  reset(count, at) {
    this.pause();
    this.count = count;
    this.range.max = Math.max(0, count - 1);
    this.show(at);
  }

  go(round, following = false) {
    this.pause();
    if (!following) this.setFollow(false);
    this.show(round);
  }

  step(by) {
    this.go(this.round + by);
  }

  setFollow(on) {
    this.follow = on;
    this.followBox.checked = on;
  }

  show(round) {
    this.round = Math.min(Math.max(0, round), Math.max(0, this.count - 1));
    this.range.value = this.round;
    this.range.style.setProperty("--at", `${this.count > 1 ? (100 * this.round) / (this.count - 1) : 100}%`);
    this.label.textContent = this.text();
    this.range.setAttribute("aria-valuetext", this.label.textContent);
    this.dispatchEvent(new Event("round"));
  }

  text() {
    return this.count ? `Round ${this.round + 1} / ${this.count}` : "No rounds yet";
  }

  toggle() {
    if (this.timer) this.pause();
    else this.start();
  }

  start() {
    if (!this.count) return;
    this.setFollow(false);
    if (this.round >= this.count - 1) this.show(0);
    this.timer = setInterval(() => {
      if (this.round >= this.count - 1) this.pause();
      else this.show(this.round + 1);
    }, PLAY_MS / this.speed);
    this.drawPlay();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.drawPlay();
  }

  drawPlay() {
    fill(this.play, icon(this.timer ? "pause" : "play"));
    this.play.setAttribute("aria-label", this.timer ? "Pause (space)" : "Play (space)");
  }
}
