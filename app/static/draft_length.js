// The adaptive draft length over the rounds of a run.

import { h, numberColumn } from "./dom.js";
import { Figure } from "./figures.js";
import { band, figurePanel } from "./figure_panel.js";

/** @import { Context, Drawing } from "./page.js" */
/** @import { Rows } from "./figure_panel.js" */
/** @import { LengthView } from "./types.js" */

/** @implements {Drawing<LengthView>} */
class LengthPanel {
  static reads = /** @type {const} */ (["round"]);

  /** @param {Context} context */
  constructor({ plotly, store, floating, scrubber }) {
    this.store = store;
    this.figure = new Figure(plotly, {
      onHover: (round, rect) => floating.show(this.note(round), rect),
      onLeave: () => floating.hide(),
      onClick: (round) => {
        if (round) scrubber.go(round - 1);
      },
    });
    this.figures = [this.figure];
    this.made = figurePanel({
      id: "adl",
      title: "Draft length",
      hint: "dotted: bounds · ▲ grew",
      figure: this.figure,
      rows: () => ({ ...this.rows(), pick: ({ round }) => scrubber.go(round - 1) }),
    });
    this.element = this.made.panel;
    this.line = h("p", { class: "rs-method-line" });
    this.figure.scroll.before(this.line);
  }

  /**
   * @param {LengthView} view
   * @param {number} round
   */
  draw(view, round) {
    this.line.textContent = view.sentence;
    this.figure.draw(view.figure, this.store.run?.run_id ?? "", [band(round + 0.5, round + 1.5)]);
    this.made.refresh();
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
