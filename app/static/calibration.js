// The drafter's calibration, and acceptance by depth, of a whole run.

import { h, numberColumn } from "./dom.js";
import { draws } from "./drawings.js";
import { Figure, figurePanel } from "./figures.js";
import { percent } from "./scales.js";

export class CalibrationPanel {
  constructor({ plotly, store, floating }) {
    this.store = store;
    const hover = (make) => ({ onHover: (i, rect) => floating.show(make(i), rect), onLeave: () => floating.hide() });
    const reliability = new Figure(
      plotly,
      hover((i) => this.binNote(i)),
    );
    const depth = new Figure(
      plotly,
      hover((d) => this.depthNote(d)),
    );
    this.figures = [reliability, depth];
    this.panels = [
      figurePanel({
        id: "reliability",
        title: "Calibration",
        hint: "numbers: nodes judged · hatched: fewer than 5 · dashed: confidence exact",
        figure: reliability,
        rows: () => ({
          columns: [
            { key: "range", label: "confidence" },
            numberColumn("confidence", "mean"),
            numberColumn("nodes", "judged"),
            numberColumn("accepted", "accepted"),
            numberColumn("rate", "share"),
          ],
          data: this.view?.bins || [],
        }),
      }),
      figurePanel({
        id: "depth",
        title: "Acceptance by depth",
        hint: "bars: of drafts accepted that far · ◇ of all so deep",
        figure: depth,
        rows: () => ({
          columns: [
            numberColumn("depth", "depth"),
            numberColumn("drafted", "drafted"),
            numberColumn("judged", "judged"),
            numberColumn("accepted", "accepted"),
            numberColumn("conditional", "of judged"),
            numberColumn("unconditional", "of drafted"),
          ],
          data: this.positions?.depths || [],
        }),
      }),
    ];
    this.line = h("p", { class: "rs-method-line" });
    this.panels[0].panel.insertBefore(this.line, reliability.scroll);
    this.element = h(
      "div",
      { class: "rs-pair rs-panel-calibration" },
      this.panels.map((panel) => panel.panel),
    );
  }

  // Either may be missing: nothing judged has a confidence in retrieval, nothing was judged in plain decoding.
  draw(both) {
    if (both === this.both) return;
    const { calibration: view, positions } = both,
      run = this.store.run?.run_id;
    Object.assign(this, { both, view, positions });
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
    return (
      bin &&
      h(
        "div",
        { class: "rs-note" },
        h("strong", { text: `confidence ${bin.range}` }),
        h("p", {
          text:
            `${bin.accepted} of ${bin.nodes} judged nodes accepted: ${percent(bin.rate)}; ` +
            `mean confidence ${percent(bin.confidence)}. The whisker is the 95 % interval.`,
        }),
      )
    );
  }

  depthNote(depth) {
    const row = this.positions?.depths[depth - 1];
    return (
      row &&
      h(
        "div",
        { class: "rs-note" },
        h("strong", { text: `depth ${depth}` }),
        h("p", {
          text:
            `${row.accepted} of ${row.judged} drafts that were accepted up to here and went on: ` +
            `${row.judged ? percent(row.conditional) : "–"}.`,
        }),
        h("p", { text: `${row.accepted} of all ${row.drafted} drafts this deep: ${percent(row.unconditional)}.` }),
      )
    );
  }
}

draws("calibration", CalibrationPanel);
