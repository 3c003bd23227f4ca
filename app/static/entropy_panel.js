// The target's entropy along the output.

import { tokenCard } from "./cards.js";
import { Figure } from "./figures.js";
import { band, figurePanel } from "./figure_panel.js";
import { Overview } from "./overview.js";
import { tokenRows } from "./tables.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

/** @implements {Panel} */
export class EntropyPanel {
  id = "entropy";
  reads = /** @type {const} */ (["run", "rounds", "round"]);

  /** @param {Context} context */
  constructor({ plotly, store, floating, scrubber }) {
    const choose = (/** @type {number} */ i) => {
      scrubber.go(store.roundOfToken(i));
      store.pin({ token: i });
    };
    this.figure = new Figure(plotly, {
      onHover: (i, rect) => floating.show(tokenCard(store, i), rect),
      onLeave: () => floating.hide(),
      onClick: choose,
    });
    this.figures = [this.figure];
    const hint = "◆ copies verified · ○ trigger fired · dashed: θ";
    this.made = figurePanel({
      id: "entropy",
      title: "Entropy",
      hint,
      figure: this.figure,
      rows: () => ({ ...tokenRows(store), pick: ({ i }) => choose(i) }),
    });
    this.element = this.made.panel;
    this.overview = new Overview(this.figure, "tokens");
    this.figure.scroll.after(this.overview.element);
  }

  /** @param {Store} store */
  draw(store) {
    this.made.refresh();
    if (!store.figures || !store.run) return this.figure.expect();
    const { step } = store;
    const start = store.starts[store.round] ?? 0;
    const stop = start + (step?.commit.emitted_ids.length ?? 0);
    this.figure.draw(store.figures.entropy, store.run.run_id, step ? [band(start - 0.5, stop - 0.5)] : []);
    /** @type {Array<[number, number]>} */
    const points = store.tokens.map((token, i) => [i, token.entropy]);
    this.overview.draw(points, points.length, store.run.run_id, step ? [start, stop] : null, store.running);
  }
}
