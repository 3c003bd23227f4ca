// The drafter's tree, the retrieved one with its pruned branches, and what they became together.

import { leftCard, nodeCard } from "./cards.js";
import { fill, h, numberColumn, table } from "./dom.js";
import { whyLeft } from "./growth.js";
import { refilled, rowsOf } from "./row_keys.js";
import { visible } from "./signs.js";
import { TreeDrawing } from "./tree_drawing.js";

/** @import { Context, Drawing } from "./page.js" */
/** @import { Column, FusionTree, FusionView, Trees } from "./types.js" */

/** @type {Record<string, keyof Trees>} */
const TREES = { drafter: "drafter", retrieval: "retrieval", fused: "final" };

/** @type {Column[]} */
const COLUMNS = [
  numberColumn("id", "node"),
  numberColumn("parent", "parent"),
  { key: "text", label: "token", mono: true },
  numberColumn("q", "draft p"),
  { key: "source", label: "source" },
  { key: "kept", label: "sent" },
  { key: "why", label: "pruned because" },
];

/** @implements {Drawing<FusionView>} */
class FusionPanel {
  /** @param {Context} context */
  constructor(context) {
    this.store = context.store;
    this.picker = context.picker;
    this.round = 0;
    /** @type {FusionView | null} */
    this.view = null;
    this.line = h("p", { class: "rs-fusion-line" });
    this.total = h("p", { class: "rs-fusion-total" });
    this.parts = new Map(Object.keys(TREES).map((name) => [name, this.part(name, context)]));
    /** @type {[]} */
    this.figures = [];
    /** @type {HTMLElement[]} */
    this.tableOf = []; // of each tree
    this.trees = h("div", { class: "rs-fusion-trees" });
    fill(
      this.trees,
      [...this.parts.values()].map((part) => part.element),
    );
    this.tables = h("div", { class: "rs-panel-table", hidden: true });
    this.toggle = h("button", { class: "rs-quiet", type: "button", "aria-pressed": "false", text: "Table" });
    this.toggle.addEventListener("click", () => this.showTable(this.tables.hidden));
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-fusion", "aria-label": "Fusion" },
      h(
        "header",
        {},
        h("h2", { text: "Fusion" }),
        h("span", { class: "rs-panel-hint" }, ["drafter", "retrieval", "both", "pruned"].map(sourceKey)),
        h("span", { class: "rs-panel-tools" }, this.toggle),
      ),
      this.line,
      this.trees,
      this.tables,
      this.total,
    );
  }

  /**
   * @param {string} name
   * @param {Context} context
   */
  part(name, { picker }) {
    const title = h("h3", {});
    const note = h("span", { class: "rs-panel-hint" });
    const drawing = new TreeDrawing(
      picker.handlers(
        (id) => this.pickedOf(name, id),
        (id) => this.card(name, id),
      ),
    );
    const head = h("div", { class: "rs-fusion-head" }, title, note);
    const element = h("div", { class: `rs-fusion-part is-${name}` }, head, drawing.scroll);
    return { title, note, drawing, element };
  }

  /**
   * @param {string} name
   * @param {number} id
   */
  pickedOf(name, id) {
    return { round: this.round, node: id, tree: TREES[name] };
  }

  mark() {
    for (const [name, { drawing }] of this.parts) drawing.mark((id) => this.picker.marks(this.pickedOf(name, id)));
    this.markTable();
  }

  markTable() {
    if (this.tables.hidden) return;
    this.view?.trees.forEach(({ name }, i) =>
      rowsOf(this.tableOf[i]).forEach((row, id) => this.picker.mark(row, this.pickedOf(name, id))),
    );
  }

  /**
   * @param {FusionView} view
   * @param {number} round
   * @param {string} total
   */
  draw(view, round, total) {
    this.view = view;
    this.round = round;
    this.line.textContent = view.sentence;
    this.total.textContent = total;
    for (const { name, title, note, tree } of view.trees) {
      const part = this.parts.get(name);
      if (!part) continue;
      part.title.textContent = title;
      part.note.textContent = note;
      part.drawing.draw(tree, `${this.store.run?.run_id}-${round}`);
    }
    this.fillTable();
  }

  /**
   * @param {string} name
   * @param {number} id
   */
  card(name, id) {
    if (name === "fused") return nodeCard(this.store, this.round, id);
    const node = this.nodes(name)[id];
    if (!node) return null;
    if (!node.kept) return leftCard(this.store, this.round, TREES[name], id);
    const says = id === 0 ? "the last committed token" : "went into the fused tree";
    return h(
      "div",
      { class: "rs-note" },
      h("strong", { class: "mono", text: visible(node.text) }),
      h("p", { text: says }),
    );
  }

  /** @param {string} name */
  nodes(name) {
    return this.store.steps[this.round]?.trees[TREES[name]] ?? [];
  }

  /** @param {boolean} on */
  showTable(on) {
    this.tables.hidden = !on;
    this.trees.hidden = on;
    this.toggle.setAttribute("aria-pressed", String(on));
    this.fillTable();
  }

  fillTable() {
    if (this.tables.hidden || !this.view) return;
    this.tableOf = this.view.trees.map((tree) => {
      const box = h("div", {}, h("h3", { text: tree.title }));
      const choose = (/** @type {number} */ id) => this.picker.choose(this.pickedOf(tree.name, id));
      refilled(box, () => box.append(table(COLUMNS, this.rows(tree))), choose);
      return box;
    });
    fill(this.tables, this.tableOf);
    this.markTable();
  }

  /** @param {FusionTree} tree */
  rows({ name }) {
    const step = this.store.steps[this.round];
    return this.nodes(name).map((n) => ({
      id: n.id,
      parent: n.parent < 0 ? null : n.parent,
      text: visible(n.text),
      q: n.draft_p,
      source: n.sources.join(" + "),
      kept: n.kept ? "yes" : "no",
      why: step && whyLeft(step, TREES[name], n),
    }));
  }
}

/** @param {string} kind */
const sourceKey = (kind) => h("span", { class: `rs-fusion-key is-${kind}`, text: kind });

export { FusionPanel as Drawing };
