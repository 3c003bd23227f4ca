// The diffusion lattice of a round as a heat map, a trellis, or bars of probability; a note on every cell, a table, a what-if.

import { fill, h } from "./dom.js";
import { Figure } from "./figures.js";
import { figurePanel, framed } from "./figure_panel.js";
import { cellNote, latticeRows, passNote } from "./lattice_notes.js";
import { WhatIf } from "./what_if.js";

/** @import { Box } from "./figure_panel.js" */
/** @import { Context, Drawing, Picked } from "./page.js" */
/** @import { Figure as Given, LatticeFigures, LatticeView } from "./types.js" */
/** @import { Cell } from "./lattice_notes.js" */

/** @type {Array<[keyof LatticeFigures, string, string]>} */
const VIEWS = [
  ["map", "Map", "every candidate by rank"],
  ["trellis", "Trellis", "the paths of the search"],
  ["mass", "Mass", "where τ cut the candidates"],
];

/** @type {Array<[string, string, string]>} */
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

/** @implements {Drawing<LatticeView>} */
class LatticePanel {
  /** @param {Context} context */
  constructor({ plotly, store, picker, host }) {
    this.store = store;
    this.picker = picker;
    this.round = 0;
    /** @type {keyof LatticeFigures} */
    this.name = "map";
    /** @type {number | null} */
    this.pass = null; // null: the lattice that was searched
    /** @type {LatticeView | null} */
    this.recorded = null;
    /** @type {Given | null} */
    this.shown = null; // the figure of it
    const cellOf = (/** @type {Cell | null} */ cell) => cell && this.pickedOf(cell);
    this.figure = new Figure(
      plotly,
      picker.handlers(cellOf, (cell) => this.card(cell)),
    );
    this.figures = [this.figure];
    const title = "Diffusion lattice";
    this.made = figurePanel({ id: "lattice", title, figure: this.figure, picker, rows: () => this.rows() });
    this.element = this.made.panel;
    this.line = h("p", { class: "rs-method-line" });
    this.keys = KEYS.map(([kind, text, views]) =>
      h("span", { class: `rs-lattice-key is-${kind}`, text, "data-views": views }),
    );
    this.buttons = VIEWS.map(([name, text, title]) =>
      h("button", { type: "button", text, title, "data-view": name, on: { click: () => this.pick(name) } }),
    );
    this.slider = h("input", { type: "range", class: "rs-range", min: 0, step: 1, "aria-label": "Refinement pass" });
    this.slider.addEventListener("input", () => this.goTo(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => event.stopPropagation()); // arrows move it, not the round
    this.sliderText = h("output", { class: "rs-lattice-pass-label" });
    this.passes = h("label", { class: "rs-lattice-passes", hidden: true }, "refinement", this.slider, this.sliderText);
    this.whatIf = new WhatIf({ store, host, changed: () => this.show() });
    this.assemble();
  }

  assemble() {
    const { subtitle } = this.made;
    const ramp = h("span", { class: "rs-ramp-bar rs-ramp-entropy" });
    subtitle.append(...this.keys, h("span", { class: "rs-lattice-ramp" }, "unlikely ", ramp, " likely"));
    const group = { class: "rs-segments rs-lattice-views", role: "group", "aria-label": "View of the lattice" };
    subtitle.before(h("div", group, this.buttons));
    this.figure.scroll.before(this.line, this.passes);
    this.element.append(this.whatIf.element);
  }

  /**
   * @param {LatticeView} view
   * @param {number} round
   */
  draw(view, round) {
    this.recorded = view;
    this.round = round;
    if (this.pass !== null && this.pass >= view.frames.length) this.pass = null;
    this.whatIf.draw(round);
    this.show();
  }

  /** @param {keyof LatticeFigures} name */
  pick(name) {
    this.name = name;
    this.show();
  }

  /** @param {number} at a refinement pass; behind the last one is what was searched */
  goTo(at) {
    this.pass = this.recorded && at < this.recorded.frames.length ? at : null;
    this.show();
  }

  get lattice() {
    return this.whatIf.answer?.lattice ?? this.store.steps[this.round]?.lattice;
  }

  /** The refinement pass that is shown, none where it is not one. */
  get shownPass() {
    return this.name === "map" ? this.pass : null;
  }

  /** The recorded view, the answer to a what-if, or one refinement pass. */
  show() {
    if (!this.recorded) return;
    const { frames } = this.recorded;
    const { answer } = this.whatIf;
    const frame = this.shownPass === null ? null : frames[this.shownPass];
    const kind = frame ? "pass" : this.name;
    this.element.dataset.view = kind;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.view === this.name));
    for (const key of this.keys) key.hidden = !key.dataset.views?.split(" ").includes(kind);
    this.drawSlider(frames.length);
    if (answer && !frame) fill(this.line, h("span", { class: "rs-what-if-mark", text: "what if" }), this.whatIf.said());
    else this.line.textContent = (frame ?? this.recorded).sentence;
    this.shown = frame?.figure ?? (answer ?? this.recorded).figures[this.name];
    this.made.refresh();
    this.mark();
  }

  rows() {
    return {
      ...latticeRows(this.lattice),
      reads: (/** @type {any} */ { i, rank }) => this.pickedOf([i - 1, rank - 1]),
    };
  }

  /**
   * A guess for a place of the draft.
   *
   * @param {Cell} cell
   * @returns {Picked | null}
   */
  pickedOf([x, rank]) {
    const { lattice, shownPass, round } = this;
    const cand = shownPass === null ? lattice?.positions[x]?.cand : lattice?.passes[shownPass]?.cand[x];
    const id = cand?.[rank]?.token;
    return id === undefined ? null : { round, guess: [x + 1, id] };
  }

  mark() {
    if (!this.shown) return;
    const shapes = cellsOf(this.shown).flatMap(([cell, box]) => framed(box, this.picker.marks(this.pickedOf(cell))));
    this.figure.draw(this.shown, `${this.store.run?.run_id}-${this.round}-${this.element.dataset.view}`, shapes);
    this.made.mark();
  }

  /** @param {number} count */
  drawSlider(count) {
    const { slider, sliderText, passes } = this;
    passes.hidden = this.name !== "map" || !count;
    slider.max = String(count);
    slider.value = String(this.pass ?? count);
    slider.style.setProperty("--at", `${count ? (100 * Number(slider.value)) / count : 0}%`);
    sliderText.textContent = this.pass === null ? "searched" : `pass ${this.pass + 1} of ${count}`;
    slider.setAttribute("aria-valuetext", sliderText.textContent);
  }

  /** @param {Cell | null} cell */
  card(cell) {
    const { lattice } = this;
    if (!cell || !lattice) return null;
    if (this.shownPass !== null) return passNote(lattice, cell, this.shownPass);
    return cellNote(lattice, cell, (this.whatIf.answer ?? this.recorded)?.cuts[cell[0]] ?? "");
  }
}

/**
 * @param {Given} figure
 * @returns {Array<[Cell, Box]>} where its cells are
 */
const cellsOf = ({ data }) =>
  data.flatMap(({ customdata = [], x = [], y = [], base }) =>
    customdata.map((cell, i) => {
      const [column, row] = [Number(x[i]), Number(y[i])];
      const [low, high] = base ? [base[i], base[i] + row] : [row - 0.45, row + 0.45];
      return [/** @type {Cell} */ (cell), { x0: column - 0.47, x1: column + 0.47, y0: low, y1: high }];
    }),
  );

export { LatticePanel as Drawing };
