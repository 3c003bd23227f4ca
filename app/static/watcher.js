// Looks after a run that nothing is heard of: the place in the line while it waits, and a connection that is gone.

/** @import { Host, RunState } from "./page.js" */
/** @import { Standing } from "./types.js" */

/**
 * @typedef {object} Watched a store as far as it is looked after
 * @property {RunState} state
 * @property {boolean} waiting
 * @property {boolean} running
 * @property {string} stream
 * @property {number} seq changes with every packet
 * @property {(standing: Standing) => void} stand
 * @property {(why: string) => void} giveUp
 * @property {() => void} lose
 */

const EVERY_MS = 1500;
const SILENT_MS = 6000; // a forward or a prompt may take that long; then the server is asked whether it is there
const PATIENCE = 2; // unanswered questions in a row
const UNANSWERED = new Error("no answer"); // Gradio's client gives nothing where the server is gone, and does not say so

export class Watcher {
  /**
   * @param {NonNullable<Host["server"]>} server
   * @param {Watched} store
   * @param {() => number} now milliseconds
   */
  constructor(server, store, now = () => performance.now()) {
    this.server = server;
    this.store = store;
    this.now = now;
    this.heard = now();
    this.unanswered = 0;
    this.seq = -1;
  }

  start() {
    setInterval(() => this.look(), EVERY_MS);
  }

  /** Ask, if there is reason to. */
  async look() {
    const { store } = this;
    if (store.seq !== this.seq || store.state === "idle") {
      this.seq = store.seq;
      this.heard = this.now();
      this.unanswered = 0;
    }
    if (!store.waiting && (!store.running || this.now() - this.heard < SILENT_MS)) return;
    const { stream } = store;
    try {
      if (store.waiting) {
        const standing = await this.server.ahead(stream);
        if (typeof standing?.ahead !== "number") throw UNANSWERED;
        if (store.stream === stream) store.stand(standing);
      } else if ((await this.server.alive()) !== true) throw UNANSWERED;
      this.unanswered = 0;
    } catch {
      this.unanswered += 1;
      if (this.unanswered >= PATIENCE) this.lost();
    }
  }

  lost() {
    if (this.store.waiting) this.store.giveUp("The server does not answer: the run was not started.");
    else this.store.lose();
  }
}
