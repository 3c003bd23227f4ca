// The diffusion lattice of a round as a heat map, a trellis, or bars of probability; a note on every cell, a table, a what-if.

import { fill, h } from "./dom.js";
import { Figure } from "./figures.js";
import { figurePanel, framed } from "./figure_panel.js";
import { drawnPasses, latticeFigure, passFigureOf } from "./lattice_figures.js";
import { cellNote, latticeRows, passNote } from "./lattice_notes.js";
import { leftOut } from "./lattice_paths.js";
import { WhatIf } from "./what_if.js";

/** @import { Box } from "./figure_panel.js" */
/** @import { Context, Drawing, Picked } from "./page.js" */
/** @import { DRAWINGS, Drawn } from "./lattice_figures.js" */
/** @import { Cell } from "./lattice_paths.js" */
/** @import { Figure as Given, LatticeView } from "./types.js" */

/** @typedef {keyof typeof DRAWINGS} Name */

/** @type {Array<[Name, string, string]>} */
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
    /** @type {Name} */
    this.name = "map";
    /** @type {number | null} */
    this.pass = null; // null: the lattice that was searched
    /** @type {LatticeView | null} */
    this.recorded = null;
    /** @type {Given | null} */
    this.shown = null; // the figure of it
    /** @type {unknown[]} */
    this.shownOf = []; // what that was made of: the same figure is not drawn again
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
    if (this.pass !== null && this.pass >= this.passCount) this.pass = null;
    this.whatIf.draw(round);
    this.show();
  }

  /** @param {Name} name */
  pick(name) {
    this.name = name;
    this.show();
  }

  /** @param {number} at a refinement pass; behind the last one is what was searched */
  goTo(at) {
    this.pass = at < this.passCount ? at : null;
    this.show();
  }

  get passCount() {
    return drawnPasses(this.store.steps[this.round]?.lattice);
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
    const { recorded, lattice, shownPass } = this;
    if (!recorded || !lattice) return;
    const { answer } = this.whatIf;
    const kind = shownPass === null ? this.name : "pass";
    this.element.dataset.view = kind;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.view === this.name));
    for (const key of this.keys) key.hidden = !key.dataset.views?.split(" ").includes(kind);
    this.drawSlider(this.passCount);
    const pass = shownPass === null ? "" : recorded.passes[shownPass];
    if (answer && !pass) fill(this.line, h("span", { class: "rs-what-if-mark", text: "what if" }), this.whatIf.said());
    else this.line.textContent = pass || `${recorded.sentence} ${leftOut(lattice)}`.trim();
    this.remake([answer ?? recorded, lattice, kind, shownPass], answer ?? { ...recorded, lattice });
    this.made.refresh();
    this.mark();
  }

  /**
   * The figure, anew if it is made of anything else than before.
   *
   * @param {unknown[]} of
   * @param {Drawn} drawn
   */
  remake(of, drawn) {
    if (this.shown && of.every((one, i) => one === this.shownOf[i])) return;
    this.shownOf = of;
    const { shownPass, recorded } = this;
    if (shownPass === null) this.shown = latticeFigure(this.name, drawn);
    else this.shown = passFigureOf(drawn.lattice, shownPass, recorded?.passes[shownPass] ?? "");
  }

  rows() {
    return {
      ...latticeRows(this.lattice),
      reads: (/** @type {{ i: number, rank: number }} */ { i, rank }) => this.pickedOf([i - 1, rank - 1]),
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
    return cellNote(lattice, cell);
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
