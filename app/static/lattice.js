// The diffusion lattice of a round as a heat map, a trellis, or bars of probability; a note on every cell, a table, a what-if.

import { fill, h, numberColumn, visible } from "./dom.js";
import { draws } from "./drawings.js";
import { Figure, figurePanel } from "./figures.js";
import { percent } from "./scales.js";
import { WhatIf } from "./what_if.js";

const VIEWS = [
  ["map", "Map", "every candidate by rank"],
  ["trellis", "Trellis", "the paths of the search"],
  ["mass", "Mass", "where τ cut the candidates"],
];
const KEYS = [
  ["chosen", "chosen path", "map trellis"],
  ["beams", "other beams", "map"],
  ["edges", "other beams, wider: better score", "trellis"],
  ["greedy", "best of each position", "map"],
  ["accepted", "accepted ✓", "map trellis"],
  ["rejected", "first rejection ✗", "map trellis"],
  ["own", "the target's own ↻", "map trellis"],
  ["cut", "cut", "map mass"],
  ["size", "larger: likelier", "trellis"],
  ["tau", "τ", "mass"],
  ["enough", "M candidates were enough", "mass"],
  ["decided", "decided by this pass", "pass"],
];
const BEAMS_IN_CARD = 4;

export class LatticePanel {
  constructor({ plotly, store, floating, host }) {
    this.store = store;
    this.name = "map";
    this.pass = null; // null: the lattice that was searched
    const figure = new Figure(plotly, {
      onHover: (cell, rect) => floating.show(this.card(cell), rect),
      onLeave: () => floating.hide(),
    });
    this.figure = figure;
    const made = figurePanel({ id: "lattice", title: "Diffusion lattice", hint: "", figure, rows: () => this.rows() });
    Object.assign(this, { element: made.panel, refresh: made.refresh });
    this.keys = KEYS.map(([kind, text, views]) =>
      h("span", { class: `rs-lattice-key is-${kind}`, text, "data-views": views }),
    );
    this.ramp = h(
      "span",
      { class: "rs-lattice-ramp" },
      "unlikely ",
      h("span", { class: "rs-ramp-bar rs-ramp-entropy" }),
      " likely",
    );
    made.subtitle.append(...this.keys, this.ramp);
    this.choice = h(
      "div",
      { class: "rs-segments rs-lattice-views", role: "group", "aria-label": "View of the lattice" },
      VIEWS.map(([name, text, title]) =>
        h("button", {
          type: "button",
          text,
          title,
          "data-view": name,
          on: {
            click: () => {
              this.name = name;
              this.show();
            },
          },
        }),
      ),
    );
    made.subtitle.before(this.choice);
    this.line = h("p", { class: "rs-method-line" });
    this.slider = h("input", {
      type: "range",
      class: "rs-range",
      min: 0,
      step: 1,
      "aria-label": "Refinement pass",
      on: { input: () => this.goTo(Number(this.slider.value)), keydown: (event) => event.stopPropagation() },
    });
    this.sliderText = h("output", { class: "rs-lattice-pass-label" });
    this.passes = h("label", { class: "rs-lattice-passes", hidden: true }, "refinement", this.slider, this.sliderText);
    figure.scroll.before(this.line, this.passes);
    this.whatIf = new WhatIf({ store, host, changed: () => this.show() });
    this.element.append(this.whatIf.element);
  }

  draw(view, round) {
    this.recorded = view;
    this.round = round;
    if (this.pass !== null && this.pass >= view.frames.length) this.pass = null;
    this.whatIf.draw(round);
    this.show();
  }

  get figures() {
    return [this.figure];
  }

  goTo(at) {
    this.pass = at < this.recorded.frames.length ? at : null;
    this.show();
  }

  // The recorded view, the answer to a what-if, or one refinement pass.
  show() {
    if (!this.recorded) return;
    const { frames } = this.recorded,
      { answer } = this.whatIf;
    this.passes.hidden = this.name !== "map" || !frames.length;
    const pass = this.passes.hidden || this.pass === null ? null : frames[this.pass];
    this.shown = answer || this.recorded;
    this.shownPass = pass && this.pass;
    for (const button of this.choice.children)
      button.setAttribute("aria-pressed", String(button.dataset.view === this.name));
    this.element.dataset.view = pass ? "pass" : this.name;
    for (const key of this.keys) key.hidden = !key.dataset.views.split(" ").includes(this.element.dataset.view);
    this.drawSlider(frames.length);
    if (answer && !pass) fill(this.line, h("span", { class: "rs-what-if-mark", text: "what if" }), this.whatIf.said());
    else this.line.textContent = (pass || this.recorded).sentence;
    this.figure.draw(
      pass ? pass.figure : this.shown.figures[this.name],
      `${this.store.run?.run_id}-${this.round}-${this.element.dataset.view}`,
    );
    this.refresh();
  }

  drawSlider(count) {
    this.slider.max = count;
    this.slider.value = this.pass ?? count;
    this.slider.style.setProperty("--at", `${count ? (100 * Number(this.slider.value)) / count : 0}%`);
    this.sliderText.textContent = this.pass === null ? "searched" : `pass ${this.pass + 1} of ${count}`;
    this.slider.setAttribute("aria-valuetext", this.sliderText.textContent);
  }

  lattice() {
    return this.whatIf.answer?.lattice || this.store.steps[this.round]?.lattice;
  }

  card(cell) {
    if (!cell) return null;
    const [x, rank] = cell,
      lattice = this.lattice();
    const place = `position ${x + 1}, candidate ${rank + 1}`;
    if (this.shownPass !== null) {
      const seen = lattice?.passes[this.shownPass]?.cand[x]?.[rank];
      return seen ? note(seen.text, `${place} after pass ${this.shownPass + 1}: ${percent(seen.p)}`) : null;
    }
    const position = lattice?.positions[x],
      candidate = position?.cand[rank];
    if (!candidate) return null;
    const p = `${percent(Math.exp(candidate.logp_dlm))} (log ${candidate.logp_dlm.toFixed(2)})`;
    const ends = candidate.is_eos ? ", ends the text" : "";
    return note(
      candidate.text,
      `${place}: ${p}${ends}; ${percent(massUpTo(position, rank))} with those above it`,
      `${candidate.kept ? "kept" : "cut"}: ${this.shown.cuts[x]}`,
      ...beamNotes(lattice, x, candidate.token),
    );
  }

  rows() {
    const lattice = this.lattice();
    return {
      columns: [
        numberColumn("i", "position"),
        numberColumn("rank", "rank"),
        { key: "text", label: "token", mono: true },
        numberColumn("p", "probability"),
        numberColumn("mass", "mass so far"),
        numberColumn("m", "M"),
        { key: "kept", label: "kept" },
        { key: "beams", label: "on beams" },
      ],
      data: (lattice?.positions || []).flatMap((position, x) =>
        position.cand.map((c, rank) => ({
          i: x + 1,
          rank: rank + 1,
          text: visible(c.text),
          p: Math.exp(c.logp_dlm),
          mass: massUpTo(position, rank),
          m: position.M_i,
          kept: c.kept ? "yes" : "cut",
          beams: through(lattice, x, c.token)
            .map((i) => (i === lattice.chosen ? `${i + 1} (chosen)` : i + 1))
            .join(", "),
        })),
      ),
    };
  }
}

const note = (text, ...lines) =>
  h(
    "div",
    { class: "rs-note" },
    h("strong", { class: "mono", text: visible(text) }),
    lines.map((line) => h("p", { text: line })),
  );

const massUpTo = (position, rank) => position.cand.slice(0, rank + 1).reduce((sum, c) => sum + Math.exp(c.logp_dlm), 0);

const through = (lattice, x, token) => lattice.beams.flatMap((beam, i) => (beam.tokens[x] === token ? [i] : []));

// The causal proxy is recorded for whole paths, not for cells.
function beamNotes(lattice, x, token) {
  const found = through(lattice, x, token);
  if (!found.length) return ["on no beam at the end of the search"];
  const lines = found.slice(0, BEAMS_IN_CARD).map((i) => {
    const { score, dlm_sum, ngram_sum } = lattice.beams[i];
    const proxy = ngram_sum === null ? "no proxy" : `proxy ${ngram_sum.toFixed(2)}`;
    const beam = `beam ${i + 1}${i === lattice.chosen ? " (chosen)" : ""}`;
    return `${beam}: score ${score.toFixed(2)}, from diffusion ${dlm_sum.toFixed(2)} and ${proxy} over its path`;
  });
  if (found.length > BEAMS_IN_CARD) lines.push(`and ${found.length - BEAMS_IN_CARD} more beams`);
  return lines;
}

draws("lattice", LatticePanel);
