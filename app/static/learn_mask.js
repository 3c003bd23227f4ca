// A draft tree beside its attention mask: the node that is pointed at, or reached by key, shows its row.

import { h } from "./dom.js";
import { svg } from "./svg.js";
import { TreeDrawing } from "./tree_drawing.js";

/** @import { MaskRow, MaskView } from "./types.js" */

const CELL = 17,
  LABEL = 86, // pixels of a row's name
  TEXT = 44; // of the column that stands for the committed text

export class MaskWidget {
  /** @param {MaskView} view */
  constructor(view) {
    this.view = view;
    this.said = h("p", { class: "rs-caption", "aria-live": "polite" });
    this.tree = new TreeDrawing({ onHover: (id) => this.show(id), onClick: (id) => this.show(id) });
    this.rows = view.rows.map((row, i) => maskRow(row, i, view.rows.length));
    const n = view.rows.length;
    const grid = svg(
      "svg",
      { class: "rs-mask", width: LABEL + TEXT + n * CELL + 2, height: n * CELL + 22, role: "img" },
      svg("text", { x: LABEL + TEXT / 2, y: 12, "text-anchor": "middle", class: "rs-chart-text" }, "text"),
      svg(
        "text",
        { x: LABEL + TEXT + (n * CELL) / 2, y: 12, "text-anchor": "middle", class: "rs-chart-text" },
        "nodes",
      ),
      ...this.rows,
    );
    grid.setAttribute(
      "aria-label",
      `Attention mask of ${n} nodes: each sees the committed text, its ancestors and itself.`,
    );
    this.element = h(
      "section",
      { class: "rs-panel rs-learn-mask", "aria-label": "Draft tree and attention mask" },
      h("div", { class: "rs-mask-pair" }, this.tree.scroll, h("div", { class: "rs-mask-scroll", tabindex: "0" }, grid)),
      this.said,
    );
    this.tree.draw(view.tree, "mask");
    this.show(view.rows[n - 1].id);
  }

  told() {
    return this.said.textContent ?? "";
  }

  /** @param {number} id */
  show(id) {
    const at = this.view.rows.findIndex((row) => row.id === id);
    if (at < 0) return;
    const { text, sees } = this.view.rows[at];
    this.rows.forEach((row, i) => row.classList.toggle("is-shown", i === at));
    const line = sees.map((i) => `‘${this.view.rows[i].text}’`).join(" → ");
    const more = this.view.more ? ` ${this.view.more} more nodes are not shown.` : "";
    const seen = `the ${this.view.committed} committed tokens and ${sees.length} nodes: ${line}`;
    this.said.textContent = `${this.view.title}: ‘${text}’ sees ${seen}.${more}`;
  }
}

/**
 * @param {MaskRow} row
 * @param {number} i
 * @param {number} n
 */
function maskRow({ text, sees }, i, n) {
  const y = 18 + i * CELL;
  const cell = (/** @type {number} */ x, /** @type {number} */ width, /** @type {boolean} */ on) =>
    svg("rect", { x, y, width: width - 2, height: CELL - 2, class: on ? "rs-mask-on" : "rs-mask-off" });
  return svg(
    "g",
    { class: "rs-mask-row" },
    svg("text", { x: LABEL - 6, y: y + 12, "text-anchor": "end", class: "rs-mask-label" }, text),
    cell(LABEL, TEXT, true),
    ...Array.from({ length: n }, (_, j) => cell(LABEL + TEXT + j * CELL, CELL, sees.includes(j))),
  );
}
