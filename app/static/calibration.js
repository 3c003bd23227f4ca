// The drafter's calibration, and acceptance by depth, of a whole run.

import { h, numberColumn } from "./dom.js";
import { Figure } from "./figures.js";
import { figurePanel } from "./figure_panel.js";
import { percent } from "./scales.js";

/** @import { Context, Drawing } from "./page.js" */
/** @import { Rows } from "./figure_panel.js" */
/** @import { AcceptanceView } from "./types.js" */

/** @implements {Drawing<AcceptanceView>} */
class CalibrationPanel {
  /** @param {Context} context */
  constructor({ plotly, store, floating }) {
    this.store = store;
    /** @type {AcceptanceView} */
    this.view = { calibration: null, positions: null };
    /** @param {(at: number) => HTMLElement | null} make */
    const hover = (make) =>
      new Figure(plotly, {
        onHover: (at, rect) => floating.show(make(at), rect),
        onLeave: () => floating.hide(),
      });
    this.reliability = hover((i) => this.binNote(i));
    this.depth = hover((d) => this.depthNote(d));
    this.figures = [this.reliability, this.depth];
    this.bins = figurePanel({
      id: "reliability",
      title: "Calibration",
      hint: "numbers: nodes judged · hatched: fewer than 5 · dashed: confidence exact",
      figure: this.reliability,
      rows: () => this.binRows(),
    });
    this.depths = figurePanel({
      id: "depth",
      title: "Acceptance by depth",
      hint: "bars: of drafts accepted that far · ◇ of all so deep",
      figure: this.depth,
      rows: () => this.depthRows(),
    });
    this.line = h("p", { class: "rs-method-line" });
    this.reliability.scroll.before(this.line);
    this.element = h("div", { class: "rs-pair rs-panel-calibration" }, this.bins.panel, this.depths.panel);
  }

  /**
   * Either may be missing: nothing judged has a confidence in retrieval, nothing was judged in plain decoding.
   *
   * @param {AcceptanceView} view
   */
  draw(view) {
    const { calibration, positions } = (this.view = view);
    const run = this.store.run?.run_id ?? "";
    this.element.classList.toggle("is-single", !calibration || !positions);
    this.bins.panel.hidden = !calibration;
    this.depths.panel.hidden = !positions;
    this.line.textContent = calibration?.sentence ?? "";
    if (calibration) this.reliability.draw(calibration.reliability, run);
    if (positions) this.depth.draw(positions.figure, run);
    this.bins.refresh();
    this.depths.refresh();
  }

  /** @returns {Rows} */
  binRows() {
    return {
      columns: [
        { key: "range", label: "confidence" },
        numberColumn("confidence", "mean"),
        numberColumn("nodes", "judged"),
        numberColumn("accepted", "accepted"),
        numberColumn("rate", "share"),
      ],
      data: this.view.calibration?.bins ?? [],
    };
  }

  /** @returns {Rows} */
  depthRows() {
    return {
      columns: [
        numberColumn("depth", "depth"),
        numberColumn("drafted", "drafted"),
        numberColumn("judged", "judged"),
        numberColumn("accepted", "accepted"),
        numberColumn("conditional", "of judged"),
        numberColumn("unconditional", "of drafted"),
      ],
      data: this.view.positions?.depths ?? [],
    };
  }

  /** @param {number} i */
  binNote(i) {
    const bin = this.view.calibration?.bins[i];
    if (!bin) return null;
    return note(
      `confidence ${bin.range}`,
      `${bin.accepted} of ${bin.nodes} judged nodes accepted: ${percent(bin.rate)}; ` +
        `mean confidence ${percent(bin.confidence)}. The whisker is the 95 % interval.`,
    );
  }

  /** @param {number} depth */
  depthNote(depth) {
    const row = this.view.positions?.depths[depth - 1];
    if (!row) return null;
    const rate = row.conditional === null ? "–" : percent(row.conditional);
    return note(
      `depth ${depth}`,
      `${row.accepted} of ${row.judged} drafts that were accepted up to here and went on: ${rate}.`,
      `${row.accepted} of all ${row.drafted} drafts this deep: ${percent(row.unconditional)}.`,
    );
  }
}

/**
 * @param {string} title
 * @param {...string} lines
 */
const note = (title, ...lines) =>
  h(
    "div",
    { class: "rs-note" },
    h("strong", { text: title }),
    lines.map((text) => h("p", { text })),
  );

export { CalibrationPanel as Drawing };
