// What if λ, τ or the beam had been different: sliders whose wishes the server answers from the recorded lattice.

import { h } from "./dom.js";

const PAUSE_MS = 60;
const INVITATION = "Move a slider: the recorded candidates are searched again at once, without the model.";
const NO_LOGITS = "No what-if here: this run's proxy was made of the target's own logits, which a trace does not hold.";
const WISHES = [
  {
    name: "lambda_dlm",
    sign: "λ",
    label: "diffusion model's share",
    min: 0,
    max: 1,
    step: 0.05,
    text: (v) => v.toFixed(2),
  },
  {
    name: "tau",
    sign: "τ",
    label: "probability to keep",
    min: 0.01,
    max: 1,
    step: 0.01,
    text: (v) => `${Math.round(100 * v)}%`,
  },
  { name: "beam", sign: "B", label: "beams", min: 1, max: 16, step: 1, text: String },
];

export class WhatIf {
  constructor({ store, host, changed }) {
    Object.assign(this, { store, host, changed, answer: null, wishes: null, asked: 0 });
    this.sliders = WISHES.map((wish) => {
      const range = h("input", {
        type: "range",
        class: "rs-range",
        min: wish.min,
        max: wish.max,
        step: wish.step,
        "aria-label": `${wish.sign}: ${wish.label}`,
        on: { input: () => this.wish(wish.name, Number(range.value)) },
      });
      const output = h("output", {});
      return {
        ...wish,
        range,
        output,
        element: h(
          "label",
          { class: "rs-what-if-wish" },
          h("span", {}, h("b", { text: wish.sign }), ` ${wish.label}`),
          output,
          range,
        ),
      };
    });
    this.reset = h("button", {
      type: "button",
      class: "rs-quiet rs-what-if-reset",
      text: "As recorded",
      title: "Back to the settings of the run",
      on: { click: () => this.takeBack() },
    });
    this.controls = h(
      "div",
      { class: "rs-what-if-controls" },
      this.sliders.map((slider) => slider.element),
      this.reset,
    );
    this.sentence = h("p", { class: "rs-what-if-sentence", role: "status", "aria-live": "polite" });
    this.element = h(
      "div",
      { class: "rs-what-if", role: "group", "aria-label": "What if the search had been set otherwise" },
      this.controls,
      this.sentence,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.target.type === "range") event.stopPropagation();
    }); // arrows move the slider, not the round
  }

  // Another round, or the same one again; wishes stay until the run changes or they are taken back.
  draw(round) {
    const { run, generation } = this.store;
    const lattice = this.store.steps[round]?.lattice,
      params = run?.config.params;
    if (lattice && lattice === this.lattice) return;
    if (this.generation !== generation) Object.assign(this, { generation, wishes: null });
    Object.assign(this, { round, lattice, answer: null });
    this.asked += 1; // whatever is under way answers for another round
    this.element.hidden = !this.host.server?.what_if || !lattice || !params?.proxy;
    if (this.element.hidden) return;
    this.recorded = { lambda_dlm: lattice.lambda_dlm, tau: lattice.tau, beam: params.beam };
    this.controls.hidden = params.proxy === "recycling";
    this.sliders[0].range.disabled = params.proxy === "none"; // λ weighs against a proxy
    this.say(this.controls.hidden ? NO_LOGITS : INVITATION);
    this.show();
    if (this.wishes) this.ask();
  }

  takeBack() {
    this.asked += 1;
    Object.assign(this, { wishes: null, answer: null });
    this.say(INVITATION);
    this.show();
    this.changed();
  }

  show() {
    for (const { name, range, output, text, min, max } of this.sliders) {
      const value = (this.wishes || this.recorded)[name];
      range.value = value;
      output.textContent = text(value);
      range.setAttribute("aria-valuetext", text(value));
      range.style.setProperty("--at", `${(100 * (value - min)) / (max - min)}%`);
    }
    this.reset.disabled = !this.wishes;
    this.element.classList.toggle("is-on", Boolean(this.wishes));
  }

  wish(name, value) {
    const wishes = { ...(this.wishes || this.recorded), [name]: value };
    const same = WISHES.every((wish) => Math.abs(wishes[wish.name] - this.recorded[wish.name]) < wish.step / 2);
    if (same) return this.takeBack();
    this.wishes = wishes;
    this.show();
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.ask(), PAUSE_MS);
  }

  async ask() {
    if (!this.wishes) return;
    const mine = (this.asked += 1);
    let found;
    try {
      found = JSON.parse(await this.host.server.what_if(JSON.stringify(this.question())));
    } catch {
      found = { error: "The server did not answer: try again." };
    }
    if (mine !== this.asked || !this.wishes) return; // a newer wish is under way
    this.answer = found.error ? null : found;
    this.say(found.error || found.sentence);
    this.changed();
  }

  question() {
    const { run, steps, tokens } = this.store;
    const { ctx_len, lattice } = steps[this.round];
    const { params = {}, verify = {}, sampling = {} } = run.config; // what is missing, the server says
    return {
      prompt_ids: run.prompt_ids,
      output_ids: tokens.map((token) => token.id),
      ctx_len,
      lattice: { ...lattice, passes: [] },
      proxy: params.proxy,
      ngram: params.ngram,
      length_normalised: params.length_normalised,
      vocab_size: run.models.target.vocab_size,
      target: run.models.target.name,
      rule: verify.rule,
      temperature: sampling.temperature,
      ...this.wishes,
    };
  }

  say(text) {
    this.sentence.textContent = text;
  }

  // The settings that the drawing follows.
  said() {
    const list = (values) => WISHES.map(({ name, sign, text }) => `${sign} = ${text(values[name])}`).join(", ");
    return `${list(this.wishes)}: not the recorded search (${list(this.recorded)})`;
  }
}
