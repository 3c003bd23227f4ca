// The target's entropy along the output.

import { tokenCard } from "./cards.js";
import { Figure } from "./figures.js";
import { band, figurePanel, frames } from "./figure_panel.js";
import { Overview } from "./overview.js";
import { tokensOf } from "./picks.js";
import { tokenRows } from "./tables.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

/** @implements {Panel} */
export class EntropyPanel {
  id = "entropy";
  reads = /** @type {const} */ (["run", "rounds", "round"]);

  /** @param {Context} context */
  constructor({ plotly, store, picker }) {
    this.figure = new Figure(
      plotly,
      picker.handlers(
        (token) => ({ token }),
        (token) => tokenCard(store, token),
      ),
    );
    this.figures = [this.figure];
    const hint = "◆ copies verified · ○ trigger fired · dashed: θ";
    this.made = figurePanel({
      id: "entropy",
      title: "Entropy",
      hint,
      figure: this.figure,
      picker,
      rows: () => ({ ...tokenRows(store), reads: ({ i }) => ({ token: i }) }),
    });
    this.element = this.made.panel;
    this.overview = new Overview(this.figure, "tokens");
    this.figure.scroll.after(this.overview.element);
  }

  /** @param {Store} store */
  draw(store) {
    this.made.refresh();
    if (!store.figures || !store.run) return this.figure.expect();
    this.mark(store); // before the overview, which zooms what is drawn
    /** @type {Array<[number, number]>} */
    const points = store.tokens.map((token, i) => [i, token.entropy]);
    this.overview.draw(points, points.length, store.run.run_id, roundOf(store), store.running);
  }

  /** @param {Store} store */
  mark(store) {
    if (!store.figures || !store.run) return;
    const round = roundOf(store);
    const shapes = [
      ...(round ? [around(round, band)] : []),
      ...frames(store, (selection) => around(tokensOf(store, selection), box)),
    ];
    this.figure.draw(store.figures.entropy, store.run.run_id, shapes);
    this.made.mark();
  }
}

/**
 * @param {Store} store
 * @returns {[from: number, to: number] | null} the tokens of the round that is looked at
 */
function roundOf({ step, starts, round }) {
  const start = starts[round] ?? 0;
  return step ? [start, start + step.commit.emitted_ids.length] : null;
}

/**
 * @template T
 * @param {[from: number, to: number]} tokens half open
 * @param {(x0: number, x1: number) => T} make
 */
const around = ([from, to], make) => make(from - 0.5, to - 0.5);

/** @param {number} x0 @param {number} x1 */
const box = (x0, x1) => (x1 > x0 ? { x0, x1 } : null);
