// The adaptive draft length over the rounds of a run.

import { h, numberColumn } from "./dom.js";
import { draws } from "./drawings.js";
import { Figure, figurePanel } from "./figures.js";

export class LengthPanel {
  constructor({ plotly, store, floating, scrubber }) {
    this.store = store;
    this.figure = new Figure(plotly, {
      onHover: (round, rect) => floating.show(this.note(round), rect),
      onLeave: () => floating.hide(),
      onClick: (round) => {
        if (round) scrubber.go(round - 1);
      },
    });
    const made = figurePanel({
      id: "adl",
      title: "Draft length",
      hint: "dotted: bounds · ▲ grew",
      figure: this.figure,
      rows: () => this.rows(),
    });
    Object.assign(this, { element: made.panel, refresh: made.refresh });
    this.line = h("p", { class: "rs-method-line" });
    this.element.insertBefore(this.line, this.figure.scroll);
  }

  draw(view, round) {
    this.line.textContent = view.sentence;
    const band = {
      type: "rect",
      xref: "x",
      yref: "paper",
      x0: round + 0.5,
      x1: round + 1.5,
      y0: 0,
      y1: 1,
      layer: "below",
      fillcolor: "var:band",
      line: { width: 0 },
    };
    this.figure.draw(view.figure, this.store.run?.run_id, [band]);
    this.refresh();
  }

  note(round) {
    const adl = this.store.steps[round - 1]?.adl;
    return (
      adl &&
      h(
        "div",
        { class: "rs-note" },
        h("strong", { text: `round ${round}` }),
        h("p", {
          text: [
            `asked ${adl.k_t}, generated ${adl.L_gen}, accepted ${adl.L_acc}`,
            `averages ${adl.ema_gen.toFixed(1)} and ${adl.ema_acc.toFixed(1)}`,
            `${adl.grew ? "grew" : "did not grow"}, next ${adl.k_next}`,
          ].join("; "),
        }),
      )
    );
  }

  get figures() {
    return [this.figure];
  }

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
      data: this.store.steps
        .filter((step) => step.adl)
        .map((step) => ({ ...step.adl, round: step.i + 1, grew: step.adl.grew ? "▲" : "" })),
    };
  }
}

draws("adl", LengthPanel);
