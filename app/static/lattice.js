// The diffusion lattice of a round: its heat map, a note on every cell, and the same as a table.

import { h, visible } from "./dom.js";
import { Figure, figurePanel } from "./figures.js";
import { percent } from "./scales.js";

export class LatticePanel {
  constructor({ plotly, store, floating }) {
    this.store = store;
    const figure = new Figure(plotly, { onHover: (cell, rect) => floating.show(this.card(cell), rect), onLeave: () => floating.hide() });
    this.figure = figure;
    const made = figurePanel({ id: "lattice", title: "Diffusion lattice", hint: "", figure, rows: () => this.rows() });
    Object.assign(this, { element: made.panel, refresh: made.refresh });
    made.subtitle.append(latticeKey("chosen", "chosen path"), latticeKey("greedy", "best of each position"), latticeKey("accepted", "accepted ✓"), latticeKey("cut", "cut"),
      h("span", { class: "rs-lattice-ramp" }, "unlikely ", h("span", { class: "rs-ramp-bar rs-ramp-entropy" }), " likely"));
    this.line = h("p", { class: "rs-method-line" });
    this.element.insertBefore(this.line, figure.scroll);
    this.element.classList.add("is-absent");
  }

  draw(view, round) {
    this.view = view;
    this.round = round;
    this.element.classList.toggle("is-absent", !view);
    if (!view) return;
    this.line.textContent = view.sentence;
    this.figure.draw(view.figure, `${this.store.run?.run_id}-${round}`);
    this.refresh();
  }

  lattice() {
    return this.store.steps[this.round]?.lattice;
  }

  card(cell) {
    const candidate = cell && this.lattice()?.positions[cell[0]]?.cand[cell[1]];
    if (!candidate) return null;
    const state = candidate.kept ? "kept" : "cut";
    return h("div", { class: "rs-note" }, h("strong", { class: "mono", text: visible(candidate.text) }),
      h("p", { text: `position ${cell[0] + 1}, candidate ${cell[1] + 1}: ${percent(Math.exp(candidate.logp_dlm))} (log ${candidate.logp_dlm.toFixed(2)})${candidate.is_eos ? ", ends the text" : ""}` }),
      h("p", { text: `${state}: ${this.view.cuts[cell[0]]}` }));
  }

  rows() {
    const numeric = (name, label) => ({ key: name, label, numeric: true });
    return {
      columns: [numeric("i", "position"), numeric("rank", "rank"), { key: "text", label: "token", mono: true }, numeric("p", "probability"), { key: "kept", label: "kept" }],
      data: (this.lattice()?.positions || []).flatMap((position) => position.cand.map((c, rank) => ({ i: position.i + 1, rank: rank + 1, text: c.text, p: Math.exp(c.logp_dlm), kept: c.kept ? "yes" : "cut" }))),
    };
  }
}

function latticeKey(kind, text) {
  return h("span", { class: `rs-lattice-key is-${kind}`, text });
}
