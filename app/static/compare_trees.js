// The draft trees of all runs at one output position, side by side.

import { depthOf, nodeAt, positionOf } from "./compare_nodes.js";
import { roundAt } from "./compare_store.js";
import { fill, h, numberColumn } from "./dom.js";
import { figurePanel } from "./figure_panel.js";
import { visible } from "./signs.js";
import { TreeDrawing } from "./tree_drawing.js";
import { OUTCOMES, sourceName } from "./vocabulary.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Rows } from "./figure_panel.js" */
/** @import { Floating } from "./floating.js" */
/** @import { Rect } from "./page.js" */
/** @import { Lane, TreeMark } from "./types.js" */

/** @typedef {{ caption: HTMLElement, empty: HTMLElement, figure: TreeDrawing, shown: string }} Place */

export class Trees {
  /** @type {Place[]} */
  places = [];

  /**
   * @param {CompareStore} store
   * @param {Floating} floating
   */
  constructor(store, floating) {
    this.store = store;
    this.floating = floating;
    this.scroll = h("div", { class: "rs-compare-columns" });
    this.made = figurePanel({ id: "trees", title: "Draft trees", figure: this, rows: () => this.rows() });
    this.element = this.made.panel;
  }

  draw() {
    this.places = (this.store.comparison?.lanes ?? []).map((_, i) => ({
      caption: h("p", { class: "rs-tree-caption" }),
      empty: h("p", { class: "rs-empty" }),
      figure: new TreeDrawing({
        onHover: (id, rect) => this.point(i, id, rect),
        onLeave: () => this.leave(),
        onClick: (id) => this.choose(i, id),
      }),
      shown: "",
    }));
    fill(
      this.scroll,
      this.places.map(({ caption, empty, figure }) =>
        h("div", { class: "rs-compare-tree" }, caption, empty, figure.scroll),
      ),
    );
    this.drawSelection();
  }

  drawSelection() {
    const { comparison, position } = this.store;
    this.made.subtitle.textContent = `that wrote position ${position} · ◆ copied  ● model  ▲ diffusion  ■ recycled`;
    (comparison?.lanes ?? []).forEach((lane, i) => this.drawLane(lane, i, position));
    this.made.refresh();
  }

  /**
   * @param {Lane} lane
   * @param {number} i
   * @param {number} position
   */
  drawLane(lane, i, position) {
    const place = this.places[i],
      { at, round, tree } = this.seen(lane, i, position);
    const key = `${lane.run_id}-${at}`;
    if (place.shown !== key) {
      place.shown = key;
      fill(place.caption, h("span", { class: `rs-letter rs-lane-${lane.letter}`, text: lane.letter }), about(lane, at));
      place.empty.textContent = round
        ? "Nothing was drafted: the target wrote this token alone."
        : "Its text has ended before.";
      place.empty.hidden = Boolean(tree);
      place.figure.scroll.hidden = !tree;
    }
    if (!tree || !round) return;
    const there = nodeAt(tree, round, position);
    place.figure.draw(tree, key);
    place.figure.mark((id) => ({ chosen: id === there, pointed: false }));
  }

  /**
   * @param {Lane} lane
   * @param {number} i
   * @param {number} [position]
   */
  seen(lane, i, position = this.store.position) {
    const at = roundAt(lane, position);
    return { at, round: lane.rounds[at] ?? null, tree: this.store.trees[i]?.[at] ?? null };
  }

  /**
   * A node that is pointed at or has the focus: its card, and its position in every panel.
   *
   * @param {number} i
   * @param {number} id
   * @param {Rect} rect
   */
  point(i, id, rect) {
    const lane = this.store.comparison?.lanes[i];
    if (!lane) return;
    const { tree, round } = this.seen(lane, i);
    const mark = tree?.marks.find((one) => one.id === id);
    if (!tree || !round || !mark) return;
    this.floating.show(card(mark, round.start + depthOf(tree, id) - 1), rect);
    const position = positionOf(tree, round, id);
    if (position !== null) this.store.hover(position);
  }

  leave() {
    this.floating.hide();
    this.store.hover(null);
  }

  /**
   * @param {number} i
   * @param {number} id
   */
  choose(i, id) {
    const lane = this.store.comparison?.lanes[i];
    if (!lane) return;
    const { tree, round } = this.seen(lane, i);
    const position = tree && round && positionOf(tree, round, id);
    if (position !== null) this.store.pin(position);
  }

  redraw() {
    for (const { figure } of this.places) figure.redraw();
  }

  /**
   * One file a run that drafted here.
   *
   * @param {string} name
   * @param {ImageKind} format
   */
  async image(name, format) {
    const lanes = this.store.comparison?.lanes ?? [];
    for (const [i, { figure }] of this.places.entries())
      if (!figure.scroll.hidden) await figure.image(`${name}-${lanes[i].letter}`, format);
  }

  /** @returns {Rows} the nodes of all of them */
  rows() {
    const data = (this.store.comparison?.lanes ?? []).flatMap((lane, i) => {
      const { tree, round } = this.seen(lane, i);
      if (!tree || !round) return [];
      return tree.marks.map((mark) => ({
        run: lane.letter,
        position: round.start + depthOf(tree, mark.id) - 1,
        text: visible(mark.text),
        look: lookOf(mark),
        source: sourceName(mark.source),
        after: mark.parent < 0 ? null : visible(tree.marks[mark.parent].text),
      }));
    });
    return {
      columns: [
        { key: "run", label: "run" },
        numberColumn("position", "position"),
        { key: "text", label: "token", mono: true },
        { key: "after", label: "behind", mono: true },
        { key: "look", label: "outcome" },
        { key: "source", label: "source" },
      ],
      data,
      pick: ({ position }) => this.store.pin(position),
    };
  }
}

/** @param {TreeMark} mark */
const lookOf = ({ look }) => (look === "root" ? "root" : OUTCOMES[look].name);

/**
 * @param {TreeMark} mark
 * @param {number} position
 */
function card(mark, position) {
  const where =
    mark.look === "root" ? "the last committed token" : `${sourceName(mark.source)}, for position ${position}`;
  return h(
    "div",
    { class: "rs-card-body" },
    h(
      "div",
      { class: "rs-card-head" },
      h("code", { class: "rs-piece", text: visible(mark.text) }),
      mark.look !== "root" && h("span", { class: `rs-chip rs-chip-${mark.look}`, text: lookOf(mark) }),
    ),
    h("p", { class: "rs-card-why", text: where }),
  );
}

/**
 * @param {Lane} lane
 * @param {number} at
 */
function about(lane, at) {
  const round = lane.rounds[at];
  if (!round) return "";
  const to = round.end - 1;
  const where = round.start === to ? `position ${to}` : `positions ${round.start} to ${to}`;
  return `round ${at + 1}, ${where}: ${round.drafted} drafted, ${round.accepted} accepted`;
}
