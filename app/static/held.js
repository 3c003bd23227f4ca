// What the page holds of a run; at first there is none.

/** @import { Selection } from "./page.js" */
/** @import { MetricsView, Outcome, PlayedRun, RoundViews, RunFigures, RunHead, RunPanels } from "./types.js" */
/** @import { Setup, Step, Token, TreeView } from "./types.js" */

/** @typedef {{ text: string, share: number }} Progress */
/** @typedef {{ i: number, reason: string, tree: TreeView }} Pending a draft that the target is reading */

export const LOST = "lost after round"; // so begins the title of a run that came to no end

/**
 * What is held of a run of which nothing more will come: a trace that was cut, as if it had been stopped.
 *
 * @param {RunHead} run
 * @param {Token[]} tokens
 * @param {number} rounds
 */
export function cutOff(run, tokens, rounds) {
  const [output_ids, output_text] = [tokens.map(({ id }) => id), tokens.map(({ text }) => text).join("")];
  const outcome = { per_pass: rounds ? tokens.length / rounds : null, speed: null, equal: null };
  return { run: { ...run, output_ids, output_text }, outcome, title: `${LOST} ${rounds}` };
}

/**
 * @param {string} what
 * @param {{ done: number, total: number }} message
 * @param {string} unit
 * @returns {Progress}
 */
export const reported = (what, { done, total }, unit) => ({
  text: `${what}: ${done} of ${total} ${unit}`,
  share: total ? done / total : 1,
});

export class Held {
  /** @type {RunHead | null} */
  run = null;
  /** @type {Setup | null} */
  setup = null;
  /** @type {Step[]} */
  steps = [];
  /** @type {Token[]} */
  tokens = [];
  /** @type {RoundViews[]} */
  views = [];
  /** @type {number[]} */
  starts = []; // the first token of each round
  /** @type {RunFigures | null} */
  figures = null;
  /** @type {MetricsView | null} */
  metrics = null;
  /** @type {Outcome | null} */
  outcome = null;
  /** @type {RunPanels} */
  panels = {}; // what the panels about the run show, by their ids
  /** @type {Pending | null} */
  pending = null;
  /** @type {Progress | null} */
  progress = null;
  hint = ""; // what to do where there is no run
  error = "";
  running = false;
  missed = false; // a packet
  lost = false; // whether our run did not come, or not to its end: it can be run again
  lacking = false; // the run is over, and a part of it was lost on the way
  title = "";
  showcase = ""; // its name, where the run is one
  place = { round: /** @type {number | null} */ (null), token: /** @type {number | null} */ (null) }; // where to open it
  autoplay = false;
  round = 0;
  /** @type {Selection | null} */
  selection = null; // what is chosen
  /** @type {Selection | null} */
  pointed = null; // what the pointer or the focus is on

  /** @returns {Step | undefined} */
  get step() {
    return this.steps[this.round];
  }

  /** @returns {RoundViews | undefined} */
  get view() {
    return this.views[this.round];
  }

  /** @param {PlayedRun} run as a whole */
  hold(run) {
    Object.assign(this, run);
    let at = 0;
    this.starts = run.steps.map(({ commit }) => (at += commit.emitted_ids.length) - commit.emitted_ids.length);
  }

  /** The trace file: the run's head with its steps and tokens, exactly as the engine recorded them. */
  trace() {
    const { title: _title, paper: _paper, ...head } = /** @type {RunHead} */ (this.run); // what the page adds
    return { ...head, steps: this.steps, tokens: this.tokens };
  }

  /** @param {number} index */
  roundOfToken(index) {
    return this.tokens[index]?.round ?? 0;
  }

  copy() {
    const copy = new Held();
    for (const name of /** @type {Array<keyof Held>} */ (Object.keys(copy)))
      Object.assign(copy, { [name]: this[name] });
    return copy;
  }
}
