// The drafter's calibration, and acceptance by depth, of a whole run.

import { h, numberColumn } from "./dom.js";
import { Figure } from "./figures.js";
import { figurePanel, frames } from "./figure_panel.js";
import { nodeOf } from "./picks.js";
import { percent } from "./scales.js";

/** @import { Box } from "./figure_panel.js" */
/** @import { Context, Drawing, Picked } from "./page.js" */
/** @import { Rows } from "./figure_panel.js" */
/** @import { Store } from "./store.js" */
/** @import { AcceptanceView, Node } from "./types.js" */

/** @implements {Drawing<AcceptanceView>} */
class CalibrationPanel {
  /** @param {Context} context */
  constructor({ plotly, store, picker }) {
    this.store = store;
    /** @type {AcceptanceView} */
    this.view = { calibration: null, positions: null };
    this.sure = (/** @type {number} */ i) => judgedFrom(store, (node) => this.binOf(node) === i);
    this.deep = (/** @type {number} */ depth) => judgedFrom(store, (node) => node.depth === depth);
    this.reliability = new Figure(
      plotly,
      picker.handlers(this.sure, (i) => this.binNote(i)),
    );
    this.depth = new Figure(
      plotly,
      picker.handlers(this.deep, (depth) => this.depthNote(depth)),
    );
    this.figures = [this.reliability, this.depth];
    this.bins = figurePanel({
      id: "reliability",
      title: "Calibration",
      hint: "numbers: nodes judged · hatched: fewer than 5 · dashed: confidence exact",
      figure: this.reliability,
      picker,
      rows: () => this.binRows(),
    });
    this.depths = figurePanel({
      id: "depth",
      title: "Acceptance by depth",
      hint: "bars: of drafts accepted that far · ◇ of all so deep",
      figure: this.depth,
      picker,
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
    this.element.classList.toggle("is-single", !calibration || !positions);
    this.bins.panel.hidden = !calibration;
    this.depths.panel.hidden = !positions;
    this.line.textContent = calibration?.sentence ?? "";
    this.bins.refresh();
    this.depths.refresh();
  }

  mark() {
    const { calibration, positions } = this.view;
    const { store } = this;
    const run = store.run?.run_id ?? "";
    const around = (/** @type {(node: Node) => Box | null} */ boxOf) =>
      frames(store, (selection) => {
        const node = nodeOf(store, selection);
        return node && isJudged(node) ? boxOf(node) : null;
      });
    const bin = (/** @type {Node} */ node) => {
      const low = calibration?.bins[this.binOf(node)]?.low;
      return low === undefined ? null : { x0: low, x1: low + 0.1 };
    };
    if (calibration) this.reliability.draw(calibration.reliability, run, around(bin));
    const bar = (/** @type {Node} */ { depth }) => ({ x0: depth - 0.5, x1: depth + 0.5 });
    if (positions) this.depth.draw(positions.figure, run, around(bar));
    this.bins.mark();
    this.depths.mark();
  }

  /**
   * @param {Node} node
   * @returns {number} where its confidence is among the bins, -1 where it has none
   */
  binOf({ draft_p: p }) {
    return p === undefined ? -1 : (this.view.calibration?.bins ?? []).findLastIndex(({ low }) => low <= p);
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
      reads: (bin) => this.sure(this.view.calibration?.bins.indexOf(bin) ?? -1),
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
      reads: ({ depth }) => this.deep(depth),
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

/** @param {Node} node */
const isJudged = ({ outcome }) => outcome !== undefined && outcome !== "unreached";

/**
 * What stands for many: the one that is selected, if it is among them, else the first from the round that is looked at.
 *
 * @param {Store} store
 * @param {(node: Node) => boolean} fits
 * @returns {Picked | null}
 */
function judgedFrom(store, fits) {
  const { steps, round, selection } = store;
  const chosen = nodeOf(store, selection);
  if (chosen && selection && isJudged(chosen) && fits(chosen)) return { round: selection.round, node: chosen.id };
  for (const step of [...steps.slice(round), ...steps.slice(0, round)]) {
    const found = step.trees.final.find((node) => isJudged(node) && fits(node));
    if (found) return { round: step.i, node: found.id };
  }
  return null;
}

export { CalibrationPanel as Drawing };
