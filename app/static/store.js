// The trace as this page has received it, and what of it is looked at. Packets are deltas; a lost one is noticed by its
// number, and at the run's end all of it is asked for once more.

import { extended, labelled } from "./growing.js";
import { cutOff, Held, reported } from "./held.js";
import { same } from "./picks.js";

/** @import { Pending } from "./held.js" */
/** @import { Part, Selection, RunState } from "./page.js" */
/** @import { AddedPoints, EndMessage, Message, MetricsMessage, Packet, RoundViews } from "./types.js" */
/** @import { Standing, StartMessage, Step, Token, TraceMessage } from "./types.js" */

/** @type {readonly Part[]} */
const ALL = ["run", "rounds", "round", "selection", "pointed", "state"];

export class Store extends Held {
  generation = 0; // of runs: what belongs to an earlier one is void
  follow = true; // whether the newest round is the one that is looked at
  waiting = false;
  /** @type {Standing | null} */
  standing = null; // once that is known
  /** @type {Held | null} */
  before = null; // what was shown when we began to wait
  stream = "";
  seq = 0;
  /** @type {string | null} */
  unwanted = null; // a stream of which nothing more is wanted
  /** @type {Record<Part, number>} */
  version = { run: 0, rounds: 0, round: 0, selection: 0, pointed: 0, state: 0 };
  /** @type {Set<() => void>} */
  listeners = new Set();

  clear() {
    Object.assign(this, new Held());
    this.generation += 1;
  }

  /**
   * @param {() => void} listener
   * @returns {() => void} ends it
   */
  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @param {...Part} parts */
  changed(...parts) {
    for (const part of parts) this.version[part] += 1;
    for (const listener of this.listeners) listener();
  }

  /** @returns {RunState} */
  get state() {
    return this.waiting ? "waiting" : this.running ? "running" : "idle";
  }

  /** The draft to be shown in place of a round. */
  get shownPending() {
    return this.follow ? this.pending : null;
  }

  /** @param {number} round */
  look(round) {
    const last = Math.max(0, this.steps.length - 1);
    this.round = Math.min(Math.max(0, round), last);
    this.changed("round");
  }

  /** @param {boolean} on */
  setFollow(on) {
    if (this.follow === on) return;
    this.follow = on;
    this.changed("round");
  }

  /** @param {Selection | null} selection */
  pin(selection) {
    if (same(selection, this.selection)) return;
    this.selection = selection;
    this.changed("selection");
  }

  /** @param {Selection | null} selection */
  point(selection) {
    if (same(selection, this.pointed)) return;
    this.pointed = selection;
    this.changed("pointed");
  }

  /**
   * Wait for a run of our own: packets of any other stream are stale from here on.
   *
   * @param {string} stream
   */
  expect(stream) {
    const before = this.copy();
    this.clear(); // an earlier run's figures are not this one's
    Object.assign(this, { stream, before, seq: 0, waiting: true, standing: null, lost: false });
    this.changed(...ALL);
  }

  /** @param {Standing} standing */
  stand(standing) {
    if (!this.waiting) return;
    this.standing = standing;
    this.changed("state");
  }

  /** Stopped or refused before anything came: what may still arrive is not wanted. */
  giveUp(why = "") {
    if (!this.waiting) return;
    this.restore(why);
    this.unwanted = this.stream;
    this.waiting = false;
    this.lost = Boolean(why);
    this.changed(...ALL);
  }

  /** @param {string} error why nothing came in the place of what was shown before */
  restore(error) {
    const { before } = this;
    this.clear();
    Object.assign(this, before, { error, before: null });
  }

  /** Nothing more will come of our run: what has arrived stays, as a run that was stopped. */
  lose() {
    if (!this.running || !this.run) return;
    Object.assign(this, cutOff(this.run, this.tokens, this.steps.length));
    this.fail(`The connection was ${this.title}: what had arrived until then is shown, and can be saved.`);
    this.lost = true;
    this.changed("run", "round", "state");
  }

  /** @param {...Packet} packets of which all is one change */
  receive(...packets) {
    const parts = packets.flatMap((packet) => (this.admits(packet) ? this.take(packet.messages) : []));
    if (parts.length) this.changed(...new Set(parts));
  }

  /** @param {Packet} packet */
  admits({ stream, seq }) {
    if (stream === this.unwanted || (stream !== this.stream && this.waiting)) return false;
    if (stream !== this.stream) Object.assign(this, { stream, seq: 0 });
    if (seq < this.seq) return false;
    if (seq > this.seq) this.missed = true;
    Object.assign(this, { seq: seq + 1, waiting: false });
    return true;
  }

  /** @param {Packet[]} packets all of our run, of which a part was lost on the way; none where they are gone */
  heal(packets) {
    const messages = packets.flatMap((packet) => packet.messages);
    const start = messages.find(({ kind }) => kind === "start");
    if (!this.lacking || start?.kind !== "start" || packets[0].stream !== this.stream) return this.lose();
    const { figures } = start;
    Object.assign(this, { figures, steps: [], tokens: [], views: [], starts: [], missed: false, lacking: false });
    this.changed(...new Set(this.take(messages.filter(({ kind }) => kind === "round" || kind === "end"))));
  }

  /** What they change. @param {Message[]} messages @returns {Part[]} */
  take(messages) {
    return ["state", ...messages.flatMap((message) => this.apply(message))];
  }

  /**
   * @param {Message} message
   * @returns {readonly Part[]} what it changed
   */
  apply(message) {
    switch (message.kind) {
      case "start":
        return this.start(message);
      case "prefill":
        this.progress = reported("reading the prompt", message, "tokens");
        return [];
      case "draft":
        return this.missed ? [] : this.draft(message);
      case "round":
        // a hole would shift everything behind it; the end of the run brings it all
        return this.missed ? [] : this.append(message);
      case "summary":
        if (this.run && !this.missed) this.run.summary = message.summary;
        return [];
      case "metrics":
        return this.measure(message);
      case "plain":
        this.pending = null;
        this.progress = reported("timing run and plain decoding in turn, nothing drawn", message, "runs");
        return ["round"];
      case "nothing":
        this.clear();
        this.hint = message.text;
        return ALL;
      case "error":
        return this.fail(message.text);
      case "end":
        return this.end(message);
      case "trace":
        return this.replace(message);
    }
  }

  /**
   * @param {StartMessage} message
   * @returns {readonly Part[]}
   */
  start({ run, setup, figures }) {
    const missed = this.missed;
    this.clear();
    const progress = { text: `reading the prompt: ${run.prompt_ids.length} tokens`, share: 0 };
    Object.assign(this, { run, setup, figures, missed, progress, running: true, before: null });
    return ALL;
  }

  /**
   * @param {Pending} message
   * @returns {readonly Part[]}
   */
  draft({ i, tree, reason }) {
    this.progress = null;
    this.pending = { i, tree, reason };
    return this.follow ? ["round"] : [];
  }

  /**
   * @param {{ step: Step, tokens: Token[], view: RoundViews, append: AddedPoints }} message
   * @returns {readonly Part[]}
   */
  append({ step, tokens, view, append }) {
    this.progress = null;
    this.pending = null;
    this.starts.push(this.tokens.length);
    this.steps.push(step);
    this.views.push(view);
    this.tokens.push(...tokens);
    const { entropy, timeline } = this.figures ?? {};
    if (entropy && timeline)
      this.figures = { entropy: extended(entropy, append.entropy), timeline: extended(timeline, append.timeline) };
    if (this.follow) this.round = this.steps.length - 1;
    return ["rounds", ...(this.follow ? /** @type {const} */ (["round"]) : [])];
  }

  /**
   * @param {MetricsMessage} message
   * @returns {readonly Part[]}
   */
  measure({ kind: _kind, ticks, panels, ...metrics }) {
    this.metrics = metrics;
    this.panels = panels;
    if (this.figures) this.figures = { ...this.figures, timeline: labelled(this.figures.timeline, ticks) };
    return ["run"];
  }

  /**
   * @param {string} text
   * @returns {readonly Part[]}
   */
  fail(text) {
    if (this.before) {
      this.restore(text);
      return ALL;
    }
    Object.assign(this, { error: text, running: false, lacking: false, progress: null, pending: null });
    return ["round"];
  }

  /**
   * @param {EndMessage} message
   * @returns {readonly Part[]}
   */
  end({ rounds, run, metrics, outcome, panels, append, ticks }) {
    if (this.missed || this.steps.length !== rounds || !this.figures) {
      this.lacking = true;
      this.progress = { text: "some updates were lost: fetching the whole run", share: 1 };
      return [];
    }
    const figures = { ...this.figures, timeline: labelled(extended(this.figures.timeline, append.timeline), ticks) };
    Object.assign(this, { run, metrics, outcome, panels, figures, running: false, progress: null, pending: null });
    return ["run", "round"];
  }

  /**
   * Everything of a run that was there already.
   *
   * @param {TraceMessage} message
   * @returns {readonly Part[]}
   */
  replace({ kind: _kind, final: _final, ...all }) {
    const ours = this.running && this.run?.run_id === all.run.run_id;
    if (!ours) this.clear();
    this.hold(all);
    Object.assign(this, { running: false, missed: false, progress: null, pending: null, error: "", before: null });
    if (!ours || this.follow) this.round = Math.max(0, all.steps.length - 1);
    return ALL;
  }
}
