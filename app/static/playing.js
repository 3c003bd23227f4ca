// What goes on by itself: the play button of every player and of the race, their speeds, and the clock behind them.

import { fill, h, icon } from "./dom.js";

/**
 * What is played. `wait` is how many ms it stays where it is; `over` whether so many ms more lead to where playing ends
 * or halts, `move` goes there. `begin` makes ready, and refuses where there is nothing to play.
 *
 * @typedef {{ name: string, speeds: number[], begin(): boolean, wait(speed: number): number,
 *   over(ms: number): boolean, move(ms: number): void }} Track
 */

export class Playing {
  speed = 1;
  since = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  told = () => {}; // who else shows whether it plays

  /** @param {Track} track */
  constructor(track) {
    this.track = track;
    this.button = h("button", { type: "button", class: "rs-icon rs-play", on: { click: () => this.toggle() } });
    this.choice = h(
      "select",
      { class: "rs-speed", "aria-label": `Speed of ${track.name}`, on: { change: () => this.choose() } },
      track.speeds.map((s) => h("option", { value: s, selected: s === 1, text: `${s}×` })),
    );
    this.draw();
  }

  /** Whether it goes on by itself. */
  get on() {
    return this.timer !== undefined;
  }

  toggle() {
    if (this.on) this.pause();
    else this.start();
  }

  start() {
    if (!this.track.begin()) return;
    this.wait();
    this.draw();
  }

  wait() {
    this.since = performance.now();
    this.timer = setTimeout(() => this.goOn(), this.track.wait(this.speed));
  }

  goOn() {
    const ms = (performance.now() - this.since) * this.speed;
    if (!this.button.isConnected) return this.pause(); // another page, or another step
    if (this.track.over(ms)) this.pause();
    else this.wait();
    this.track.move(ms);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.draw();
  }

  choose() {
    this.speed = Number(this.choice.value);
    if (!this.on) return;
    this.pause();
    this.start();
  }

  draw() {
    fill(this.button, icon(this.on ? "pause" : "play"));
    this.button.setAttribute("aria-label", `${this.on ? "Pause" : "Play"} ${this.track.name} (space)`);
    this.told();
  }
}
