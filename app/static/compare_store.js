// What Compare shows and what of it is looked at: one position and one moment for every panel.

/** @import { Comparison, CompareMessage, ComparePacket, CompareWishes, Lane, LaneMessage } from "./types.js" */
/** @import { MadeMessage, Standing, TimedMessage, TreeView } from "./types.js" */

import { LOST } from "./held.js";
import { standingText } from "./standing.js";

/** @typedef {"comparison" | "selection" | "time" | "state"} ComparePart */
/** @typedef {Array<[number, number]>} Points pairs of engine milliseconds and tokens */

export class CompareStore {
  /** @type {Comparison | null} */
  comparison = null;
  /** @type {Array<Array<TreeView | null>>} */
  trees = []; // of each lane, one entry a round
  /** @type {CompareMessage[]} */
  shown = []; // the message that the comparison came with, to be kept or saved
  /** @type {MadeMessage[]} */
  made = []; // runs that are to be kept
  /** @type {TimedMessage[]} */
  timed = []; // what silent repeats made of them
  title = "";
  error = "";
  progress = "";
  waiting = false;
  running = false;
  lost = false; // whether our comparison did not come, or not to its end: it can be made again
  /** @type {Array<{ title: string, points: Points }>} */
  live = []; // how far each configuration has come
  /** @type {CompareWishes | null} */
  wishes = null;
  pinned = 0;
  /** @type {number | null} */
  hovered = null;
  /** @type {number | null} */
  time = null; // a moment of the race; none shows its end
  stream = "";
  seq = 0; // of the last packet
  /** @type {string | null} */
  unwanted = null;
  /** @type {Set<(part: ComparePart) => void>} */
  listeners = new Set();

  /** @param {(part: ComparePart) => void} listener */
  subscribe(listener) {
    this.listeners.add(listener);
  }

  /** @param {...ComparePart} parts */
  changed(...parts) {
    for (const part of parts) for (const listener of this.listeners) listener(part);
  }

  get state() {
    return this.waiting ? "waiting" : this.running ? "running" : "idle";
  }

  /** The position that every panel marks. */
  get position() {
    return this.hovered ?? this.pinned;
  }

  /** How many positions the longest text has. */
  get positions() {
    return Math.max(0, ...(this.comparison?.lanes ?? []).map((lane) => lane.tokens.length));
  }

  /** Milliseconds until the last of them is done. */
  get longest() {
    return Math.max(0, ...(this.comparison?.lanes ?? []).map((lane) => lane.total_ms));
  }

  /** @returns {number | null} where the texts part first */
  get parting() {
    const found = (this.comparison?.lanes ?? []).flatMap((lane) => (lane.parting ? [lane.parting.position] : []));
    return found.length ? Math.min(...found) : null;
  }

  /** @param {number} position */
  pin(position) {
    this.pinned = Math.min(Math.max(0, position), Math.max(0, this.positions - 1));
    this.hovered = null;
    this.changed("selection");
  }

  /** @param {number | null} position none for the pinned one */
  hover(position) {
    if (this.hovered === position) return;
    this.hovered = position;
    this.changed("selection");
  }

  /** @param {number | null} ms */
  seek(ms) {
    this.time = ms === null || ms >= this.longest ? null : Math.max(0, ms);
    this.changed("time");
  }

  /**
   * Wait for a comparison of our own: what is shown is another one's, and packets of other streams are stale.
   *
   * @param {string} stream
   */
  expect(stream) {
    Object.assign(this, {
      stream,
      waiting: true,
      running: false,
      lost: false,
      error: "",
      progress: "",
      live: [],
      title: "",
    });
    this.show(null);
    this.changed("comparison", "state");
  }

  /** @param {string} why nothing can be shown */
  refuse(why) {
    this.error = why;
    this.changed("state");
  }

  /** Stopped or refused before anything came. */
  giveUp(why = "") {
    if (!this.waiting) return;
    Object.assign(this, { error: why, unwanted: this.stream, waiting: false, lost: Boolean(why) });
    this.changed("state");
  }

  /** @param {Standing} standing */
  stand(standing) {
    if (!this.waiting) return;
    this.progress = standingText(standing);
    this.changed("state");
  }

  /** Nothing more will come: what is compared by now stays. */
  lose() {
    if (!this.running) return;
    const error = `The connection was ${this.lostAt()}: what had arrived until then is shown, complete runs are kept in Runs.`;
    Object.assign(this, { error, unwanted: this.stream, running: false, lost: true, progress: "" });
    this.changed("state");
  }

  lostAt() {
    const now = this.live.at(-1);
    if (this.comparison || !now) return "lost while runs were repeated silently";
    return `${LOST} ${now.points.length - 1} of run ${this.live.length}, ${now.title}`; // the first point is the start
  }

  /** @param {ComparePacket} packet */
  receive({ stream, seq, messages }) {
    if (stream === this.unwanted || (stream !== this.stream && (this.waiting || this.running))) return;
    Object.assign(this, { stream, seq, waiting: false });
    for (const message of messages) this.apply(message);
  }

  /** @param {CompareMessage} message */
  apply(message) {
    switch (message.kind) {
      case "wishes":
        this.wishes = message.wishes;
        break;
      case "lane":
        this.grow(message);
        break;
      case "turns":
        this.progress = `repeating silently: ${message.done} of ${message.total} runs`;
        break;
      case "error":
        Object.assign(this, { error: message.text, running: false, progress: "" });
        break;
      case "timed":
        this.timed = [...this.timed, message];
        break;
      case "made":
        this.made = [...this.made, message];
        break;
      case "comparison":
        this.replace(message);
    }
    this.changed("state");
  }

  /** @param {LaneMessage} message */
  grow({ lane, lanes, title, points, most }) {
    this.running = true;
    this.live[lane] ??= { title, points: [] };
    this.live[lane].points.push(...points);
    const tokens = this.live[lane].points.at(-1)?.[1] ?? 0;
    this.progress = `${lane + 1} of ${lanes}: ${title}, ${tokens} of at most ${most} tokens`;
    this.changed("comparison");
  }

  /** @param {Extract<CompareMessage, { kind: "comparison" }>} message */
  replace(message) {
    const same = this.comparison && ids(this.comparison) === ids(message.comparison);
    Object.assign(this, { running: !message.final, error: "", progress: "", title: message.title });
    this.show(message);
    if (!same) {
      this.time = null;
      this.pinned = this.parting ?? 0;
    }
    this.changed("comparison", "selection", "time");
  }

  /** @param {Extract<CompareMessage, { kind: "comparison" }> | null} message */
  show(message) {
    this.comparison = message?.comparison ?? null;
    this.trees = message?.trees ?? [];
    this.shown = message ? [message] : [];
    this.hovered = null;
  }
}

/** @param {Comparison} comparison */
const ids = (comparison) => comparison.lanes.map((lane) => lane.run_id).join();

/**
 * @param {Lane} lane
 * @param {number} position
 * @returns {number} the round that wrote it, -1 behind its end
 */
export function roundAt(lane, position) {
  return lane.rounds.findIndex((round) => position >= round.start && position < round.end);
}

/**
 * @param {Lane} lane
 * @param {number | null} ms none for its end
 * @returns {number} how many tokens were there by then
 */
export function tokensBy(lane, ms) {
  if (ms === null) return lane.tokens.length;
  return lane.rounds.findLast((round) => round.end_ms <= ms)?.end ?? 0;
}

/**
 * @param {Lane} lane
 * @returns {Points}
 */
export function pointsOf(lane) {
  return [[0, 0], ...lane.rounds.map((round) => /** @type {[number, number]} */ ([round.end_ms, round.end]))];
}
