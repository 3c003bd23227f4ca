// The draft tree of the round, or the draft that the target is reading.

import { nodeCard } from "./cards.js";
import { download, h } from "./dom.js";
import { figurePanel } from "./figure_panel.js";
import { graphml } from "./graphml.js";
import { treeRows } from "./tables.js";
import { TreeDrawing } from "./tree_drawing.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */

const OWN = -1; // the mark of the target's own token, which is no draft node

/** @implements {Panel} */
export class TreePanel {
  id = "tree";
  reads = /** @type {const} */ (["round", "selection"]);
  /** @type {[]} */
  figures = [];

  /** @param {Context} context */
  constructor({ store, floating }) {
    const choose = (/** @type {number} */ node) => store.pin({ node, round: store.round });
    this.drawing = new TreeDrawing({
      onHover: (id, rect) => floating.show(store.shownPending ? null : nodeCard(store, store.round, id), rect),
      onLeave: () => floating.hide(),
      onClick: choose,
    });
    this.made = figurePanel({
      id: "tree",
      title: "Draft tree",
      figure: this.drawing,
      rows: () => ({ ...treeRows(store, store.round), pick: ({ id }) => choose(id) }),
    });
    const graph = h("button", {
      class: "rs-quiet",
      type: "button",
      text: "GraphML",
      "aria-label": "Save Draft tree as GraphML",
    });
    graph.addEventListener("click", () => saveGraph(store));
    this.made.tools.save.append(graph);
    this.element = this.made.panel;
  }

  /** @param {Store} store */
  draw(store) {
    const pending = store.shownPending;
    const tree = pending?.tree ?? store.view?.tree;
    const drafted = (store.step?.trees.final.length ?? 1) - 1;
    const more = tree?.more ? ` · ${tree.more} not drawn` : "";
    this.made.subtitle.textContent = pending
      ? "pending …"
      : drafted
        ? `${drafted} drafted · ◆ copied  ● model  ▲ diffusion  ■ recycled${more}`
        : store.step
          ? "no draft in this round"
          : "";
    this.made.refresh();
    if (tree)
      this.drawing.draw(tree, `${store.run?.run_id}-${pending ? store.steps.length : store.round}`, pinned(store));
  }
}

/** @param {Store} store */
function saveGraph({ step, round, run }) {
  if (!step || !run) return;
  const about = { round, part: "final", method: run.method };
  download(`respec-${run.run_id}-${round}.graphml`, graphml(step.trees.final, about), "application/xml");
}

/**
 * The node that is chosen, by itself or as the token it became.
 *
 * @param {Store} store
 */
function pinned({ selection, step, starts, round, tokens }) {
  if (!selection || !step) return null;
  if ("node" in selection) return selection.round === round ? selection.node : null;
  if (tokens[selection.token]?.round !== round) return null;
  return step.commit.path_node_ids[selection.token - starts[round]] ?? OWN;
}
