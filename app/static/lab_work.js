// What the Lab has the model do: one piece of work at a time, with progress, a place in the line, and a way to stop it.

import { h } from "./dom.js";
import { newStream } from "./mount.js";
import { standingText } from "./standing.js";

/** @import { Host, RunState } from "./page.js" */
/** @import { LabMessage, LabPacket, Standing } from "./types.js" */

const LOST = "The connection was lost after";

export class LabWork {
  stream = "";
  seq = -1;
  waiting = false;
  running = false;
  lost = false; // whether our work did not come to its end: it can be done again
  /** @type {[string, object] | null} */
  asked = null; // the last time

  /**
   * @param {Host} host
   * @param {{ take: (message: LabMessage) => void, say: (text: string, bad?: boolean) => void, changed: () => void }} acts
   */
  constructor(host, acts) {
    this.host = host;
    this.acts = acts;
    this.bar = h("progress", { class: "rs-lab-progress", max: 1, "aria-label": "Progress" });
    this.told = h("span", { role: "status", "aria-live": "off" });
    this.stop = h("button", { type: "button", class: "rs-button", text: "Cancel" });
    this.again = h("button", { type: "button", class: "rs-button", text: "Run again", hidden: true });
    this.again.addEventListener("click", () => this.asked && this.start(...this.asked));
    this.element = h("div", { class: "rs-lab-work", hidden: true }, this.bar, this.told, this.stop, this.again);
    this.stop.addEventListener("click", () => {
      this.host.trigger("stop", { stream: this.stream });
      this.told.textContent = "stopping …";
    });
  }

  /** @returns {RunState} */
  get state() {
    return this.waiting ? "waiting" : this.running ? "running" : "idle";
  }

  /**
   * @param {string} event
   * @param {object} asked
   */
  start(event, asked) {
    Object.assign(this, {
      stream: newStream(),
      seq: -1,
      waiting: true,
      running: false,
      lost: false,
      asked: [event, asked],
    });
    this.acts.say("");
    this.progress(0, 1, "waiting for the engine …");
    this.host.trigger(event, { stream: this.stream, ...asked });
    this.changed();
  }

  /** @param {LabPacket} packet */
  receive({ stream, seq, messages }) {
    if (stream !== this.stream || this.state === "idle") return;
    Object.assign(this, { seq, waiting: false, running: true });
    for (const message of messages) {
      if (message.kind === "progress")
        this.progress(
          message.done,
          message.total,
          `${message.done} of ${message.total} tokens, ${left(message.seconds)}`,
        );
      else if (message.kind === "error") this.end(message.text);
      else {
        if (message.kind === "recorded" || (message.kind === "confirmed" && message.final)) this.end();
        this.acts.take(message);
      }
    }
    this.changed();
  }

  /**
   * @param {number} done
   * @param {number} total
   * @param {string} text
   */
  progress(done, total, text) {
    this.bar.max = total;
    this.bar.value = done;
    this.told.textContent = text;
  }

  /** @param {string} [why] it is over */
  end(why = "") {
    Object.assign(this, { waiting: false, running: false });
    if (why) this.acts.say(why, true);
    this.changed();
  }

  changed() {
    this.element.hidden = this.state === "idle" && !this.lost;
    this.again.hidden = !this.lost;
    this.stop.hidden = this.lost;
    this.acts.changed();
  }

  /** @param {Standing} standing */
  stand(standing) {
    if (this.waiting) this.told.textContent = standingText(standing);
  }

  /** @param {string} why nothing came */
  giveUp(why) {
    if (!this.waiting) return;
    this.lost = true;
    this.told.textContent = "";
    this.end(why);
  }

  lose() {
    if (!this.running) return;
    this.lost = true;
    this.told.textContent = `${LOST} ${this.bar.value} of ${this.bar.max} tokens: what is shown is of before.`;
    this.end();
  }
}

/** @param {number} seconds */
export function left(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 100 ? `about ${whole} s left` : `about ${Math.round(whole / 60)} min left`;
}
