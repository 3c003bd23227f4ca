// The draft tree of the round as it was sent, or as it grew; or the draft that the target is reading.

import { leftCard, nodeCard } from "./cards.js";
import { download, h } from "./dom.js";
import { figurePanel } from "./figure_panel.js";
import { graphml } from "./graphml.js";
import { grownIn, grownTree, growthOrder } from "./growth.js";
import { selected } from "./picks.js";
import { treeRows } from "./tables.js";
import { TreeDrawing } from "./tree_drawing.js";

/** @import { Context, Panel, Picked } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Step, TreeView } from "./types.js" */

/** @implements {Panel} */
export class TreePanel {
  id = "tree";
  reads = /** @type {const} */ (["round"]);
  /** @type {[]} */
  figures = [];
  /** @type {{ step: Step, tree: TreeView } | null} */
  viewed = null; // the round's tree as it grew

  /** @param {Pick<Context, "store" | "picker">} context */
  constructor({ store, picker }) {
    this.store = store;
    this.picker = picker;
    this.asked = false; // for the tree as it grew
    this.until = Infinity; // up to which node it is shown
    this.drawing = new TreeDrawing(
      picker.handlers(
        (id) => this.pickedOf(id),
        (id) => this.card(id),
      ),
    );
    this.made = figurePanel({
      id: "tree",
      title: "Draft tree",
      figure: this.drawing,
      picker,
      rows: () => ({ ...treeRows(store, store.round), reads: ({ id, tree }) => this.pickedOf(id, tree) }),
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
    this.growing = h("button", {
      class: "rs-quiet",
      type: "button",
      text: "As it grew",
      title: "in the drafter's order, with the nodes that were left out",
      on: { click: () => this.showGrowth(!this.asked) },
    });
    this.made.tools.table.before(this.growing);
    this.slider = h("input", { type: "range", class: "rs-range", min: 0, step: 1, "aria-label": "Nodes grown" });
    this.slider.addEventListener("input", () => this.growTo(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => event.stopPropagation()); // arrows move it, not the round
    this.count = h("output", { class: "rs-growth-label" });
    this.steps = h("label", { class: "rs-growth", hidden: true }, "grown", this.slider, this.count);
    this.drawing.scroll.before(this.steps);
  }

  /** @param {boolean} on */
  showGrowth(on) {
    this.asked = on;
    this.until = Infinity;
    this.draw(this.store);
    this.mark();
  }

  /** @param {number} nodes */
  growTo(nodes) {
    const all = grownIn(this.store.step).length - 1;
    this.until = nodes >= all ? Infinity : nodes;
    this.drawSteps(all);
    this.drawing.grow(this.until);
  }

  /** Whether the tree is shown as it grew. */
  get grown() {
    return this.asked && !this.store.shownPending && grownIn(this.store.step).length > 0;
  }

  /** @param {Store} store */
  draw(store) {
    const pending = store.shownPending;
    const { grown } = this;
    const all = pending ? 0 : grownIn(store.step).length - 1;
    this.growing.hidden = all < 1;
    this.growing.setAttribute("aria-pressed", String(grown));
    this.steps.hidden = !grown;
    this.made.subtitle.textContent = pending ? "pending …" : grown ? grownSaid(store) : drafted(store);
    this.made.refresh();
    const at = `${store.run?.run_id}-${pending ? store.steps.length : store.round}`;
    if (grown && store.step) {
      if (`${at}-grown` !== this.drawing.revision) this.until = Infinity;
      this.drawSteps(all);
      this.drawing.draw(this.grownView(store.step), `${at}-grown`);
      return this.drawing.grow(this.until);
    }
    const tree = pending?.tree ?? store.view?.tree;
    this.drawing.grow(Infinity);
    if (tree) this.drawing.draw(tree, at);
  }

  /** The same view as long as it is the same round. @param {Step} step */
  grownView(step) {
    if (this.viewed?.step !== step) this.viewed = { step, tree: grownTree(step) };
    return this.viewed.tree;
  }

  /** @param {number} all */
  drawSteps(all) {
    const at = Math.min(all, this.until);
    this.slider.max = String(all);
    this.slider.value = String(at);
    this.slider.style.setProperty("--at", `${(100 * at) / all}%`);
    this.count.textContent = `${at} of ${all}`;
    this.slider.setAttribute("aria-valuetext", this.count.textContent);
  }

  /**
   * Of a draft that the target has not read yet nothing can be chosen.
   *
   * @param {number} node
   * @param {"final" | "drafter"} [tree] whose node it is
   * @returns {Picked | null}
   */
  pickedOf(node, tree = this.grown ? "drafter" : "final") {
    return this.store.shownPending ? null : { round: this.store.round, node, tree };
  }

  /** @param {number} id */
  card(id) {
    const { store } = this;
    const picked = this.pickedOf(id);
    const selection = picked && selected(store, picked);
    if (!selection) return null;
    if (selection.left) return leftCard(store, store.round, ...selection.left);
    return nodeCard(store, store.round, selection.node ?? 0);
  }

  mark() {
    this.drawing.mark((id) => this.picker.marks(this.pickedOf(id)));
    this.made.mark();
  }
}

/** @param {Store} store */
function drafted({ step, view }) {
  const nodes = (step?.trees.final.length ?? 1) - 1;
  const more = view?.tree.more ? ` · ${view.tree.more} not drawn` : "";
  if (nodes) return `${nodes} drafted · ◆ copied  ● model  ▲ diffusion  ■ recycled${more}`;
  return step ? "no draft in this round" : "";
}

/** @param {Store} store */
function grownSaid({ step }) {
  if (!step) return "";
  const all = grownIn(step).length - 1;
  const left = all - (growthOrder(step).size - 1);
  return `${all} grown, numbered in order · ${left} left out, grey`;
}

/** @param {Store} store */
function saveGraph({ step, round, run }) {
  if (!step || !run) return;
  const about = { round, part: "final", method: run.method };
  download(`respec-${run.run_id}-${round}.graphml`, graphml(step.trees.final, about), "application/xml");
}
