// What if λ, τ or the beam had been different: the recorded lattice is searched again, here or, with a corpus, on the server.

import { h } from "./dom.js";
import { searchedHere, told } from "./what_if_told.js";

/** @import { Drawn } from "./lattice_figures.js" */
/** @import { Host } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Answer, Lattice, Refusal, RunHead, WhatIf as Question } from "./types.js" */

/**
 * What a run of DiffuSpec says of its settings; of other methods, a part of it or nothing.
 *
 * @typedef {{ params?: Pick<Question, "proxy" | "ngram" | "length_normalised" | "beam">, verify?: { rule: string },
 *   sampling?: { temperature: number } }} Config
 */
/** @typedef {"lambda_dlm" | "tau" | "beam"} Name */
/** @typedef {Record<Name, number>} Wishes */
/** @typedef {{ name: Name, sign: string, label: string, min: number, max: number, step: number,
 *   text: (value: number) => string }} Wish */

const PAUSE_MS = 60;
const INVITATION = "Move a slider: the recorded candidates are searched again at once, without the model.";
const NO_LOGITS = "No what-if here: this run's proxy was made of the target's own logits, which a trace does not hold.";
const NO_CORPUS =
  "Move a slider. Not exact in a saved page: the run also counted its drafter's corpus, which is not in here; the app has it.";
const NO_ANSWER = "The server did not answer: try again.";

const two = (/** @type {number} */ v) => v.toFixed(2);
const share = (/** @type {number} */ v) => `${Math.round(100 * v)}%`;
/** @type {Wish[]} */
const WISHES = [
  { name: "lambda_dlm", sign: "λ", label: "diffusion model's share", min: 0, max: 1, step: 0.05, text: two },
  { name: "tau", sign: "τ", label: "probability to keep", min: 0.01, max: 1, step: 0.01, text: share },
  { name: "beam", sign: "B", label: "beams", min: 1, max: 16, step: 1, text: String },
];

/** @param {RunHead | null} run */
const configOf = (run) => /** @type {Config} */ (run?.config ?? {});

/** @param {Wishes} wishes */
const spelt = (wishes) => WISHES.map(({ name, sign, text }) => `${sign} = ${text(wishes[name])}`).join(", ");

export class WhatIf {
  /** @param {{ store: Store, host: Host, changed: () => void }} options */
  constructor({ store, host, changed }) {
    this.store = store;
    this.host = host;
    this.changed = changed;
    this.invitation = INVITATION;
    this.asked = 0; // questions so far: an answer to any but the newest is void
    this.round = 0;
    this.generation = -1;
    /** @type {Lattice | null | undefined} */
    this.lattice = null;
    /** @type {Drawn | null} */
    this.answer = null;
    /** @type {Wishes | null} */
    this.wishes = null;
    /** @type {Wishes} */
    this.recorded = { lambda_dlm: 0, tau: 1, beam: 1 };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.pause = undefined;
    this.sliders = WISHES.map((wish) => this.slider(wish));
    this.reset = h("button", {
      type: "button",
      class: "rs-quiet rs-what-if-reset",
      text: "As recorded",
      title: "Back to the settings of the run",
      on: { click: () => this.takeBack() },
    });
    const fields = this.sliders.map((slider) => slider.element);
    this.controls = h("div", { class: "rs-what-if-controls" }, fields, this.reset);
    this.sentence = h("p", { class: "rs-what-if-sentence", role: "status", "aria-live": "polite" });
    const label = "What if the search had been set otherwise";
    this.element = h("div", { class: "rs-what-if", role: "group", "aria-label": label }, this.controls, this.sentence);
  }

  /** @param {Wish} wish */
  slider({ name, sign, label, min, max, step, text }) {
    const output = h("output", {});
    const range = h("input", { type: "range", class: "rs-range", min, max, step, "aria-label": `${sign}: ${label}` });
    range.addEventListener("input", () => this.wish(name, Number(range.value)));
    range.addEventListener("keydown", (event) => event.stopPropagation()); // arrows move the slider, not the round
    const show = (/** @type {number} */ value) => {
      range.value = String(value);
      output.textContent = text(value);
      range.setAttribute("aria-valuetext", text(value));
      range.style.setProperty("--at", `${(100 * (value - min)) / (max - min)}%`);
    };
    const named = h("span", {}, h("b", { text: sign }), ` ${label}`);
    return { name, range, show, element: h("label", { class: "rs-what-if-wish" }, named, output, range) };
  }

  /**
   * Another round, or the same one again; wishes stay until the run changes or they are taken back.
   *
   * @param {number} round
   */
  draw(round) {
    const { run, generation, steps } = this.store;
    const lattice = steps[round]?.lattice;
    const { params } = configOf(run);
    if (lattice && lattice === this.lattice) return;
    if (this.generation !== generation) this.wishes = null;
    Object.assign(this, { generation, round, lattice, answer: null });
    this.asked += 1; // whatever is under way answers for another round
    this.place(lattice, params);
  }

  /**
   * @param {Lattice | null | undefined} lattice
   * @param {Config["params"]} params of the run, none where there is nothing to ask
   */
  place(lattice, params) {
    this.element.hidden = !lattice || !params?.proxy;
    if (!lattice || !params?.proxy) return;
    this.recorded = { lambda_dlm: lattice.lambda_dlm, tau: lattice.tau, beam: params.beam };
    const unknown = params.proxy === "recycling";
    this.controls.hidden = unknown;
    this.invitation = unknown ? NO_LOGITS : params.proxy === "corpus" && !this.host.server ? NO_CORPUS : INVITATION;
    this.sliders[0].range.disabled = params.proxy === "none"; // λ weighs against a proxy
    this.say(this.invitation);
    this.show();
    if (this.wishes && !unknown) void this.ask();
  }

  takeBack() {
    this.asked += 1;
    this.wishes = null;
    this.answer = null;
    this.say(this.invitation);
    this.show();
    this.changed();
  }

  show() {
    const values = this.wishes ?? this.recorded;
    for (const { name, show } of this.sliders) show(values[name]);
    this.reset.disabled = !this.wishes;
    this.element.classList.toggle("is-on", Boolean(this.wishes));
  }

  /**
   * @param {Name} name
   * @param {number} value
   */
  wish(name, value) {
    const wishes = { ...(this.wishes ?? this.recorded), [name]: value };
    const same = WISHES.every((wish) => Math.abs(wishes[wish.name] - this.recorded[wish.name]) < wish.step / 2);
    if (same) return this.takeBack();
    this.wishes = wishes;
    this.show();
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.ask(), PAUSE_MS);
  }

  async ask() {
    const question = this.question();
    if (!question) return;
    const mine = (this.asked += 1);
    const found = await this.found(question);
    if (mine !== this.asked || !this.wishes) return; // a newer wish is under way
    const { verify, sampling } = configOf(this.store.run);
    const deciding = { rule: verify?.rule ?? "strict", temperature: sampling?.temperature ?? 0 };
    this.answer = "error" in found ? null : told(question, found, deciding);
    this.say("error" in found ? found.error : (this.answer?.sentence ?? ""));
    this.changed();
  }

  /**
   * Only a corpus is not in the trace.
   *
   * @param {Question} question
   * @returns {Promise<Answer | Refusal>}
   */
  async found(question) {
    if (question.proxy !== "corpus" || !this.host.server) return searchedHere(question);
    try {
      const asked = { ...question, lattice: { ...question.lattice, passes: [] } }; // which the search does not read
      const found = JSON.parse(await this.host.server.what_if(JSON.stringify(asked)));
      return found.lattice ? { ...found, lattice: { ...found.lattice, passes: question.lattice.passes } } : found;
    } catch {
      return { error: NO_ANSWER };
    }
  }

  /** @returns {Question | null} */
  question() {
    const { run, steps, tokens } = this.store;
    const { ctx_len, lattice } = steps[this.round];
    if (!run || !lattice || !this.wishes) return null;
    const { proxy, ngram, length_normalised } = configOf(run).params ?? {};
    const target = /** @type {{ name: string, vocab_size: number }} */ (run.models.target);
    const asked = {
      prompt_ids: run.prompt_ids,
      output_ids: tokens.map((token) => token.id),
      ctx_len,
      lattice,
      proxy,
      ngram,
      length_normalised,
      vocab_size: target.vocab_size,
      target: target.name,
      ...this.wishes,
    };
    return /** @type {Question} */ (asked);
  }

  /** @param {string} text */
  say(text) {
    this.sentence.textContent = text;
  }

  /** The settings that the drawing follows. */
  said() {
    return `${spelt(this.wishes ?? this.recorded)}: not the recorded search (${spelt(this.recorded)})`;
  }
}
