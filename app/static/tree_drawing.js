// A draft tree as a drawing whose nodes can be pointed at, clicked, and reached by key.

import { h } from "./dom.js";
import { beforeFrame } from "./frames.js";
import { saveDrawing } from "./drawing_file.js";
import { svg } from "./svg.js";
import { columnsIn, COMMITTED, gridOf, labelOf, layoutOf, LETTER, sightOf, tellingNode } from "./tree_layout.js";
import { OUTCOMES, sourceOf } from "./vocabulary.js";

/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Rect } from "./page.js" */
/** @import { Grid, Placed } from "./tree_layout.js" */
/** @import { TreeView } from "./types.js" */

/** @typedef {(id: number, rect: Rect, item?: Element) => void} OnNode */
/** @typedef {{ onHover?: OnNode, onLeave?: () => void, onClick?: (id: number) => void }} Handlers */
/** @typedef {(id: number) => { chosen: boolean, pointed: boolean }} MarksOf */

const SHAPES = /** @type {Record<string, string>} */ ({
  "●": "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0z",
  "○": "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0z",
  "◆": "M0 -7L7 0L0 7L-7 0z",
  "◈": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z M0 -3.6L3.6 0L0 3.6L-3.6 0z",
  "■": "M-5 -5h10v10h-10z",
  "▲": "M0 -6.5L6.5 5H-6.5z",
});
export class TreeDrawing {
  /** @type {TreeView | null} */
  tree = null;
  revision = "";
  /** @type {Set<number>} */
  opened = new Set();
  /** @type {Placed[]} */
  nodes = [];
  /** @type {SVGGElement[]} */
  items = [];
  current = 0; // the node in the tab order
  /** @type {Grid} */
  grid = { x: [], y: [], step: 0, right: 0, width: 0, height: 0 };
  /** @type {MarksOf} */
  marksOf = () => ({ chosen: false, pointed: false });
  width = 0;
  until = Infinity; // the last node that is there yet
  unseen = false; // another tree, of which nothing was shown
  chosen = ""; // nodes, by their ids

  /** @param {Handlers} [handlers] */
  constructor(handlers = {}) {
    this.handlers = handlers;
    this.scroll = h("div", { class: "rs-tree-scroll" });
    new ResizeObserver(() => this.redraw()).observe(this.scroll);
    this.on("pointerover", (i) => this.tell(i));
    this.on("focusin", (i) => this.move(i));
    this.on("focusin", (i) => this.tell(i));
    this.on("click", (i, event) =>
      this.press(i, event.target instanceof Element && event.target.closest(".rs-tree-more")),
    );
    this.on("keydown", (i, event) => this.key(i, /** @type {KeyboardEvent} */ (event)));
    for (const leaving of ["pointerleave", "focusout"])
      this.scroll.addEventListener(leaving, () => this.handlers.onLeave?.());
  }

  /**
   * @param {string} type
   * @param {(i: number, event: Event) => void} act
   */
  on(type, act) {
    this.scroll.addEventListener(type, (event) => {
      const item = event.target instanceof Element ? event.target.closest(".rs-tree-node") : null;
      const i = this.items.findIndex((one) => one === item);
      if (i >= 0) act(i, event);
    });
  }

  /**
   * @param {TreeView} tree
   * @param {string} revision of the same one branches stay open
   */
  draw(tree, revision) {
    if (tree === this.tree && revision === this.revision) return;
    if (revision !== this.revision) [this.opened, this.unseen] = [new Set(), true];
    Object.assign(this, { tree, revision });
    this.paint();
  }

  /** @param {MarksOf} marksOf whether the node of an id is chosen or pointed at */
  mark(marksOf) {
    this.marksOf = marksOf;
    const picked = this.nodes.filter(({ mark }, i) => {
      const { chosen, pointed } = marksOf(mark.id);
      this.items[i].classList.toggle("is-pinned", chosen);
      this.items[i].classList.toggle("is-pointed", pointed);
      return chosen;
    });
    const chosen = picked.map(({ mark }) => mark.id).join();
    if (picked.length && chosen !== this.chosen) this.reveal(picked[0]);
    this.chosen = chosen;
  }

  /** Scrolls the drawing, never the page. @param {Placed} node */
  reveal(node) {
    this.scroll.scrollTo(sightOf(node, this.grid, this.scroll));
  }

  /** @param {number} until which node, by its id, the tree is shown as it was */
  grow(until) {
    if (until === this.until) return;
    this.until = until;
    this.paint();
  }

  redraw() {
    const { clientWidth } = this.scroll;
    if (clientWidth === this.width) return;
    this.width = clientWidth;
    this.paint();
  }

  paint() {
    if (!this.tree || this.width < 40) return; // hidden: drawn when it shows
    const layout = layoutOf(this.tree, this.opened, columnsIn(this.width));
    const grid = gridOf(layout, this.width);
    this.grid = grid;
    this.nodes = layout.nodes;
    this.items = layout.nodes.map((node) => item(node, grid));
    const { width, height } = grid;
    const edges = layout.nodes.map((node) => edge(node, grid));
    layout.nodes.forEach(({ mark }, i) => {
      for (const part of [this.items[i], edges[i]]) part?.classList.toggle("is-later", mark.id > this.until);
    });
    const lines = edges.filter((line) => line !== null);
    const label = { role: "tree", "aria-label": this.tree.alt };
    this.scroll.replaceChildren(
      svg("svg", { class: "rs-tree", width, height, ...label }, svg("g", { role: "none" }, ...lines), ...this.items),
    );
    this.move(0);
    if (this.unseen) beforeFrame(this, () => this.reveal(tellingNode(this.nodes)));
    this.unseen = false;
    this.mark(this.marksOf);
  }

  /** @param {number} i */
  tell(i) {
    this.handlers.onHover?.(this.nodes[i].mark.id, this.items[i].getBoundingClientRect());
  }

  /** @param {number} to the one node in the tab order */
  move(to) {
    this.items[this.current]?.setAttribute("tabindex", "-1");
    this.current = to;
    this.items[to]?.setAttribute("tabindex", "0");
  }

  /**
   * @param {number} i
   * @param {unknown} more whether it was the count of what is hidden
   */
  press(i, more) {
    if (more) this.open(i, !this.nodes[i].opened);
    else this.handlers.onClick?.(this.nodes[i].mark.id);
  }

  /**
   * @param {number} i
   * @param {boolean} on whether all below it is shown
   */
  open(i, on) {
    const { id } = this.nodes[i].mark;
    if (on) this.opened.add(id);
    else this.opened.delete(id);
    this.paint();
    this.items[this.nodes.findIndex((node) => node.mark.id === id)]?.focus({ preventScroll: true });
  }

  /**
   * @param {number} i the node that has the focus
   * @param {KeyboardEvent} event
   */
  key(i, event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const node = this.nodes[i];
    const to = new Map([
      ["ArrowDown", Math.min(this.nodes.length - 1, i + 1)],
      ["ArrowUp", Math.max(0, i - 1)],
      ["ArrowRight", this.nodes.findIndex((kid) => kid.parent === node)],
      ["ArrowLeft", node.parent ? this.nodes.indexOf(node.parent) : -1],
      ["Home", 0],
      ["End", this.nodes.length - 1],
    ]).get(event.key);
    if (event.key === "ArrowRight" && node.hidden) this.open(i, true);
    else if (event.key === "ArrowLeft" && node.opened) this.open(i, false);
    else if (event.key === "Enter") {
      this.handlers.onClick?.(node.mark.id);
      if (node.hidden) this.open(i, true);
    } else if (to === undefined) return;
    else this.items[to]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Its file, with the colours that it has on the page.
   *
   * @param {string} name
   * @param {ImageKind} format
   */
  async image(name, format) {
    const drawn = this.scroll.querySelector("svg");
    if (drawn) await saveDrawing(drawn, name, format);
  }
}

/**
 * @param {Placed} node
 * @param {Grid} grid
 */
function item(node, { x, y, step }) {
  const { mark, column, row, inner, hidden, opened, parent } = node;
  const said = labelOf(mark);
  const text = inner ? cut(said, Math.floor((step - 5) / LETTER)) : said;
  const beside = inner ? { x: 0, y: -11, "text-anchor": "middle" } : { x: 10, y: 4 };
  const name = mark.look === "root" ? "the last committed token" : OUTCOMES[mark.look].name;
  const below = hidden ? `, ${hidden} below never judged` : "";
  const attributes = {
    class: `rs-tree-node is-${mark.look}`,
    role: "treeitem",
    tabindex: -1,
    transform: `translate(${x[column]} ${y[row]})`,
    "data-node": mark.id,
    "aria-level": depthOf(parent),
    "aria-description": `${name}${below}`,
    "aria-expanded": hidden || opened ? String(opened) : null,
  };
  return svg(
    "g",
    attributes,
    svg("path", { class: "rs-tree-mark", d: SHAPES[sourceOf(mark.source).glyph] ?? SHAPES["●"] }),
    svg("text", { class: "rs-tree-label", ...beside }, text),
    ...(hidden || opened ? [more(opened ? "−" : `+${hidden}`, inner ? 0 : 16 + text.length * LETTER, inner)] : []),
  );
}

/** @param {Placed | null} parent */
function depthOf(parent) {
  let depth = 1;
  for (let at = parent; at; at = at.parent) depth += 1;
  return depth;
}

/**
 * How many are not shown; a click shows them, or hides them again.
 *
 * @param {string} text
 * @param {number} x
 * @param {boolean} inner
 */
function more(text, x, inner) {
  const width = 9 + text.length * LETTER;
  return svg(
    "g",
    { class: "rs-tree-more", transform: `translate(${inner ? -width / 2 : x} ${inner ? 8 : -8})` },
    svg("rect", { width, height: 16, rx: 8 }),
    svg("text", { x: width / 2, y: 12, "text-anchor": "middle" }, text),
  );
}

/**
 * @param {string} text
 * @param {number} most letters
 */
const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

/**
 * @param {Placed} node
 * @param {Grid} grid
 */
function edge({ parent, column, row, mark }, { x, y, step }) {
  if (!parent) return null;
  const from = [x[parent.column], y[parent.row]];
  const to = [x[column], y[row]];
  const wrapped = column <= parent.column;
  const d =
    from[1] === to[1]
      ? `M${from} H${to[0]}`
      : wrapped
        ? `M${from} h${step / 2} M${to} h${-step / 3}`
        : `M${from} V${to[1] - 8} q0 8 8 8 H${to[0]}`;
  return svg("path", { class: `rs-tree-edge ${COMMITTED.has(mark.look) ? "is-firm" : ""}`, d });
}
