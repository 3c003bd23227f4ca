// Panels about a whole run: the drafter's calibration, acceptance by depth, and the adaptive draft length.

import { h } from "./dom.js";
import { Figure, figurePanel } from "./figures.js";
import { percent } from "./scales.js";

const numberColumn = (key, label) => ({ key, label, numeric: true });

export class CalibrationPanel {
  constructor({ plotly, floating }) {
    const hover = (make) => ({ onHover: (i, rect) => floating.show(make(i), rect), onLeave: () => floating.hide() });
    const reliability = new Figure(plotly, hover((i) => this.binNote(i)));
    const depth = new Figure(plotly, hover((d) => this.depthNote(d)));
    this.figures = [reliability, depth];
    this.panels = [
      figurePanel({ id: "reliability", title: "Calibration", hint: "numbers: nodes judged · hatched: fewer than 5 · dashed: confidence exact", figure: reliability, rows: () => ({
        columns: [{ key: "range", label: "confidence" }, numberColumn("confidence", "mean"), numberColumn("nodes", "judged"), numberColumn("accepted", "accepted"), numberColumn("rate", "share")], data: this.view?.bins || [] }) }),
      figurePanel({ id: "depth", title: "Acceptance by depth", hint: "bars: of drafts accepted that far · ◇ of all so deep", figure: depth, rows: () => ({
        columns: [numberColumn("depth", "depth"), numberColumn("drafted", "drafted"), numberColumn("judged", "judged"), numberColumn("accepted", "accepted"),
          numberColumn("conditional", "of judged"), numberColumn("unconditional", "of drafted")], data: this.positions?.depths || [] }) }),
    ];
    this.line = h("p", { class: "rs-method-line" });
    this.panels[0].panel.insertBefore(this.line, reliability.scroll);
    this.element = h("div", { class: "rs-pair rs-panel-calibration is-absent", "data-panel": "calibration" }, this.panels.map((panel) => panel.panel));
  }

  // Either may be missing: nothing judged has a confidence in retrieval, nothing was judged in plain decoding.
  draw(view, positions, run) {
    if (view === this.view && positions === this.positions) return;
    Object.assign(this, { view, positions });
    this.element.classList.toggle("is-absent", !view && !positions);
    this.element.classList.toggle("is-single", !view || !positions);
    this.panels[0].panel.hidden = !view;
    this.panels[1].panel.hidden = !positions;
    this.line.textContent = view?.sentence || "";
    if (view) this.figures[0].draw(view.reliability, run);
    if (positions) this.figures[1].draw(positions.figure, run);
    for (const panel of this.panels) panel.refresh();
  }

  binNote(i) {
    const bin = this.view?.bins[i];
    return bin && h("div", { class: "rs-note" }, h("strong", { text: `confidence ${bin.range}` }),
      h("p", { text: `${bin.accepted} of ${bin.nodes} judged nodes accepted: ${percent(bin.rate)}; mean confidence ${percent(bin.confidence)}. The whisker is the 95 % interval.` }));
  }

  depthNote(depth) {
    const row = this.positions?.depths[depth - 1];
    return row && h("div", { class: "rs-note" }, h("strong", { text: `depth ${depth}` }),
      h("p", { text: `${row.accepted} of ${row.judged} drafts that were accepted up to here and went on: ${row.judged ? percent(row.conditional) : "–"}.` }),
      h("p", { text: `${row.accepted} of all ${row.drafted} drafts this deep: ${percent(row.unconditional)}.` }));
  }
}

export class LengthPanel {
  constructor({ plotly, store, floating, scrubber }) {
    this.store = store;
    this.figure = new Figure(plotly, {
      onHover: (round, rect) => floating.show(this.note(round), rect), onLeave: () => floating.hide(),
      onClick: (round) => { if (round) scrubber.go(round - 1); },
    });
    const made = figurePanel({ id: "adl", title: "Draft length", hint: "dotted: bounds · ▲ grew", figure: this.figure, rows: () => this.rows() });
    Object.assign(this, { element: made.panel, refresh: made.refresh });
    this.line = h("p", { class: "rs-method-line" });
    this.element.insertBefore(this.line, this.figure.scroll);
    this.element.classList.add("is-absent");
  }

  draw(view, run, round) {
    this.element.classList.toggle("is-absent", !view);
    if (!view) return;
    this.line.textContent = view.sentence;
    const band = { type: "rect", xref: "x", yref: "paper", x0: round + 0.5, x1: round + 1.5, y0: 0, y1: 1, layer: "below", fillcolor: "var:band", line: { width: 0 } };
    this.figure.draw(view.figure, run, [band]);
    this.refresh();
  }

  note(round) {
    const adl = this.store.steps[round - 1]?.adl;
    return adl && h("div", { class: "rs-note" }, h("strong", { text: `round ${round}` }),
      h("p", { text: `asked ${adl.k_t}, generated ${adl.L_gen}, accepted ${adl.L_acc}; averages ${adl.ema_gen.toFixed(1)} and ${adl.ema_acc.toFixed(1)}; ${adl.grew ? "grew" : "did not grow"}, next ${adl.k_next}` }));
  }

  rows() {
    return {
      columns: [numberColumn("round", "round"), numberColumn("k_t", "k"), numberColumn("s_t", "end of text at"), numberColumn("L_gen", "generated"), numberColumn("L_acc", "accepted"),
        numberColumn("ema_gen", "average generated"), numberColumn("ema_acc", "average accepted"), { key: "grew", label: "grew" }, numberColumn("k_next", "next k")],
      data: this.store.steps.filter((step) => step.adl).map((step) => ({ ...step.adl, round: step.i + 1, grew: step.adl.grew ? "▲" : "" })),
    };
  }
}
