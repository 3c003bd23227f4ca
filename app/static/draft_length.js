// The adaptive draft length over the rounds of a run.

import { h, numberColumn } from "./dom.js";
import { Figure } from "./figures.js";
import { band, figurePanel, frames } from "./figure_panel.js";

/** @import { Context, Drawing } from "./page.js" */
/** @import { Rows } from "./figure_panel.js" */
/** @import { LengthView } from "./types.js" */

/** @implements {Drawing<LengthView>} */
class LengthPanel {
  static reads = /** @type {const} */ (["round"]);

  /** @param {Context} context */
  constructor({ plotly, store, picker }) {
    this.store = store;
    /** @type {LengthView | null} */
    this.view = null;
    this.figure = new Figure(
      plotly,
      picker.handlers(
        (round) => (round ? { round: round - 1 } : null),
        (round) => this.note(round),
      ),
    );
    this.figures = [this.figure];
    this.made = figurePanel({
      id: "adl",
      title: "Draft length",
      hint: "dotted: bounds · ▲ grew",
      figure: this.figure,
      picker,
      rows: () => ({ ...this.rows(), reads: ({ round }) => ({ round: round - 1 }) }),
    });
    this.element = this.made.panel;
    this.line = h("p", { class: "rs-method-line" });
    this.figure.scroll.before(this.line);
  }

  /**
   * @param {LengthView} view
   */
  draw(view) {
    this.view = view;
    this.line.textContent = view.sentence;
    this.made.refresh();
  }

  mark() {
    if (!this.view) return;
    const { run, round } = this.store;
    const shapes = [
      band(round + 0.5, round + 1.5),
      ...frames(this.store, ({ round: at }) => ({ x0: at + 0.5, x1: at + 1.5 })),
    ];
    this.figure.draw(this.view.figure, run?.run_id ?? "", shapes);
    this.made.mark();
  }

  /** @param {number} round counted from 1 */
  note(round) {
    const adl = this.store.steps[round - 1]?.adl;
    if (!adl) return null;
    const said = [
      `asked ${adl.k_t}, generated ${adl.L_gen}, accepted ${adl.L_acc}`,
      `averages ${adl.ema_gen.toFixed(1)} and ${adl.ema_acc.toFixed(1)}`,
      `${adl.grew ? "grew" : "did not grow"}, next ${adl.k_next}`,
    ];
    return h("div", { class: "rs-note" }, h("strong", { text: `round ${round}` }), h("p", { text: said.join("; ") }));
  }

  /** @returns {Rows} */
  rows() {
    return {
      columns: [
        numberColumn("round", "round"),
        numberColumn("k_t", "k"),
        numberColumn("s_t", "end of text at"),
        numberColumn("L_gen", "generated"),
        numberColumn("L_acc", "accepted"),
        numberColumn("ema_gen", "average generated"),
        numberColumn("ema_acc", "average accepted"),
        { key: "grew", label: "grew" },
        numberColumn("k_next", "next k"),
      ],
      data: this.store.steps.flatMap(({ i, adl }) =>
        adl ? [{ ...adl, round: i + 1, grew: adl.grew ? "▲" : "" }] : [],
      ),
    };
  }
}

export { LengthPanel as Drawing };
