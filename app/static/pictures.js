// Pictures of a run that goes on take a twentieth of the page's time: ten a second on a fast computer, fewer on a slow one, whose
// cores the engine may need. Packets that come meanwhile wait and become one picture. What a reader does never waits.

import { counted, countFrame, drawingTime } from "./page_time.js";

/** @import { Message, Packet } from "./types.js" */

/** @typedef {{ count(drawing: () => void): void, spent(): number, now(): number }} PageTime in milliseconds */

const SHARE = 0.05;
const LONGEST_MS = 500;

/** From one picture to the next, where it took so long: @param {number} took milliseconds */
export const pause = (took) => Math.min(LONGEST_MS, took / SHARE);

/** @type {ReadonlySet<Message["kind"]>} */
const GROWING = new Set(["prefill", "draft", "round", "summary", "metrics"]);

/** Whether what a packet says can wait for more: the run goes on. @param {Packet} packet */
export const waits = ({ messages }) => messages.every(({ kind }) => GROWING.has(kind));

/** @type {PageTime} */
const PAGE_TIME = {
  count(drawing) {
    countFrame();
    void counted(drawing);
  },
  spent: drawingTime,
  now: () => performance.now(),
};

export class Pictures {
  begun = -Infinity; // the newest picture
  before = 0; // what drawing had taken until then
  /** @type {Packet[]} */
  waiting = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;

  /**
   * @param {(...packets: Packet[]) => void} draw
   * @param {PageTime} time
   */
  constructor(draw, time = PAGE_TIME) {
    this.draw = draw;
    this.time = time;
  }

  /** @param {Packet} packet */
  take(packet) {
    this.waiting.push(packet);
    if (!waits(packet)) this.show();
    else if (this.timer === undefined) this.look();
  }

  /** Draw what waits, if its time has come. */
  look() {
    const due = this.begun + pause(this.time.spent() - this.before);
    const left = due - this.time.now();
    if (left <= 0) this.show();
    else this.timer = setTimeout(() => this.look(), left); // figures are drawn later than the picture, and may delay the next
  }

  show() {
    clearTimeout(this.timer);
    const packets = this.waiting;
    Object.assign(this, { timer: undefined, waiting: [], begun: this.time.now(), before: this.time.spent() });
    this.time.count(() => this.draw(...packets));
  }
}
