// The draft tree of the round, or the draft that the target is reading.

import { nodeCard } from "./cards.js";
import { Figure } from "./figures.js";
import { figurePanel } from "./figure_panel.js";
import { treeRows } from "./tables.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

const NARROW = 520; // pixels

/** @implements {Panel} */
export class TreePanel {
  id = "tree";
  reads = /** @type {const} */ (["round"]);

  /** @param {Context} context */
  constructor({ plotly, store, floating }) {
    const choose = (/** @type {number} */ node) => store.pin({ node, round: store.round });
    this.figure = new Figure(plotly, {
      onHover: (id, rect) => floating.show(store.shownPending ? null : nodeCard(store, store.round, id), rect),
      onLeave: () => floating.hide(),
      onClick: choose,
    });
    this.figures = [this.figure];
    this.made = figurePanel({
      id: "tree",
      title: "Draft tree",
      figure: this.figure,
      rows: () => ({ ...treeRows(store, store.round), pick: ({ id }) => choose(id) }),
    });
    this.element = this.made.panel;
  }

  /** @param {Store} store */
  draw(store) {
    const pending = store.shownPending;
    const trees = pending?.trees ?? store.view?.trees;
    const drafted = (store.step?.trees.final.length ?? 1) - 1;
    this.made.subtitle.textContent = pending
      ? "pending …"
      : drafted
        ? `${drafted} drafted · ◆ copied  ● model  ▲ diffusion  ■ recycled`
        : store.step
          ? "no draft in this round"
          : "";
    this.made.refresh();
    if (!trees) return;
    const narrow = this.figure.scroll.clientWidth < NARROW && trees.narrow;
    this.figure.draw(narrow || trees.wide, `${store.run?.run_id}-${pending ? store.steps.length : store.round}`);
  }
}
