// Rounds of each run as strips over the same output positions: colour is a token's outcome, the bar below a round's time.

import { roundAt } from "./compare_store.js";
import { fill, h, numberColumn } from "./dom.js";
import { saveDrawing } from "./drawing_file.js";
import { figurePanel } from "./figure_panel.js";
import { svg } from "./svg.js";
import { OUTCOMES } from "./vocabulary.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Rows } from "./figure_panel.js" */
/** @import { Lane, LaneToken } from "./types.js" */

const CELLS = 18,
  BARS = 16; // pixels

export class Strips {
  /** @type {SVGRectElement[]} */
  marks = [];

  /** @param {CompareStore} store */
  constructor(store) {
    this.store = store;
    this.strips = h("div", { class: "rs-strips" });
    this.key = h("div", { class: "rs-strip-key" });
    this.scroll = h("div", {}, this.strips, this.key);
    this.range = h("input", {
      ...{ type: "range", class: "rs-range", min: 0, step: 1, "aria-label": "Output position" },
      on: { input: () => store.pin(Number(this.range.value)) },
    });
    this.label = h("span", { class: "rs-round-label" });
    this.parting = h("button", {
      ...{ type: "button", class: "rs-quiet", text: "First difference", title: "Key d" },
      on: { click: () => store.parting !== null && store.pin(store.parting) },
    });
    this.made = figurePanel({
      id: "strips",
      title: "Rounds over the same positions",
      hint: "a gap begins a round; bar below: its time a token",
      figure: this,
      rows: () => this.rows(),
    });
    this.element = this.made.panel;
    this.element.append(h("div", { class: "rs-scrubber rs-position" }, this.range, this.label, this.parting));
    this.strips.addEventListener("pointermove", (event) => store.hover(this.positionOf(event)));
    this.strips.addEventListener("pointerleave", () => store.hover(null));
    this.strips.addEventListener("click", (event) => {
      const position = this.positionOf(event);
      if (position !== null) store.pin(position);
    });
  }

  /**
   * @param {MouseEvent} event
   * @returns {number | null}
   */
  positionOf(event) {
    const strip = event.target instanceof Element ? event.target.closest("svg") : null;
    if (!strip) return null;
    const { left, width } = strip.getBoundingClientRect();
    const position = Math.floor(((event.clientX - left) / width) * this.store.positions);
    return Math.min(Math.max(0, position), this.store.positions - 1);
  }

  draw() {
    const { comparison, positions, parting } = this.store;
    const lanes = comparison?.lanes ?? [];
    const dearest = Math.max(1e-9, ...lanes.flatMap((lane) => lane.rounds.map(perToken)));
    this.marks = lanes.map(() => svg("rect", { class: "rs-strip-mark", y: 0, height: CELLS + BARS, width: 1 }));
    fill(
      this.strips,
      lanes.map((lane, i) => strip(lane, positions, dearest, this.marks[i])),
    );
    const outcomes = new Set(lanes.flatMap((lane) => lane.tokens.map(({ outcome }) => outcome)));
    fill(this.key, [...outcomes].map(keyOf));
    this.range.max = String(Math.max(0, positions - 1));
    this.parting.hidden = parting === null;
    this.made.refresh();
    this.drawSelection();
  }

  drawSelection() {
    const { comparison, position, positions } = this.store;
    for (const mark of this.marks) mark.setAttribute("x", String(position));
    this.range.value = String(position);
    this.range.style.setProperty("--at", `${positions > 1 ? (100 * position) / (positions - 1) : 0}%`);
    const rounds = (comparison?.lanes ?? []).map((lane) => {
      const at = roundAt(lane, position);
      return `${lane.letter} ${at < 0 ? "ended" : `round ${at + 1}`}`;
    });
    this.label.textContent = `Position ${position} · ${rounds.join(" · ")}`;
    this.range.setAttribute("aria-valuetext", this.label.textContent);
  }

  redraw() {} // as wide as there is room, by itself

  /**
   * One file a run.
   *
   * @param {string} name
   * @param {ImageKind} format
   */
  async image(name, format) {
    for (const [i, drawing] of this.strips.querySelectorAll("svg").entries())
      await saveDrawing(drawing, `${name}-${this.store.comparison?.lanes[i].letter}`, format);
  }

  /** @returns {Rows} every round */
  rows() {
    const data = (this.store.comparison?.lanes ?? []).flatMap((lane) =>
      lane.rounds.map((round, i) => ({
        run: lane.letter,
        round: i + 1,
        start: round.start,
        tokens: round.end - round.start,
        drafted: round.drafted,
        accepted: round.accepted,
        ms: round.end_ms - round.start_ms,
        each: perToken(round),
      })),
    );
    return {
      columns: [
        { key: "run", label: "run" },
        numberColumn("round", "round"),
        numberColumn("start", "from position"),
        numberColumn("tokens", "tokens"),
        numberColumn("drafted", "drafted"),
        numberColumn("accepted", "accepted"),
        numberColumn("ms", "ms"),
        numberColumn("each", "ms a token"),
      ],
      data,
      pick: ({ start }) => this.store.pin(start),
    };
  }
}

/** @param {LaneToken["outcome"]} outcome */
function keyOf(outcome) {
  const { name, about } = OUTCOMES[outcome];
  const sample = svg("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" });
  sample.append(svg("rect", { class: `rs-cell-${outcome}`, width: 1, height: 1 }));
  return h("span", { title: about }, sample, name);
}

/** @param {{ start: number, end: number, start_ms: number, end_ms: number }} round */
const perToken = ({ start, end, start_ms, end_ms }) => (end_ms - start_ms) / Math.max(1, end - start);

/**
 * One path for every outcome: a long text has thousands of cells.
 *
 * @param {Lane} lane
 * @param {number} positions
 * @param {number} dearest ms a token of the dearest round there is
 * @param {SVGRectElement} mark
 */
function strip(lane, positions, dearest, mark) {
  /** @type {Map<string, string>} */
  const cells = new Map();
  let bars = "";
  for (const round of lane.rounds) {
    for (let i = round.start; i < round.end; i += 1) {
      const gap = i === round.start ? 0.12 : 0;
      const { outcome } = lane.tokens[i];
      cells.set(outcome, `${cells.get(outcome) ?? ""}M${i + gap} 0H${i + 1}V${CELLS}H${i + gap}Z`);
    }
    const height = (BARS - 3) * (perToken(round) / dearest);
    bars += `M${round.start + 0.12} ${CELLS + 3}H${round.end}V${(CELLS + 3 + height).toFixed(2)}H${round.start + 0.12}Z`;
  }
  const paths = [...cells].map(([outcome, d]) => svg("path", { class: `rs-cell-${outcome}`, d }));
  const box = { viewBox: `0 0 ${positions} ${CELLS + BARS}`, preserveAspectRatio: "none", height: CELLS + BARS };
  const parting =
    lane.parting &&
    svg("rect", { class: "rs-strip-parting", x: lane.parting.position, width: 0.3, y: 0, height: CELLS });
  const label = `${lane.letter}, ${lane.title}: ${lane.rounds.length} rounds for ${lane.tokens.length} tokens`;
  const drawing = svg("svg", { class: "rs-strip", role: "img", "aria-label": label, ...box }, ...paths);
  drawing.append(svg("path", { class: "rs-strip-time", d: bars }), ...(parting ? [parting] : []), mark);
  return h(
    "div",
    { class: "rs-strip-row" },
    h("span", { class: `rs-letter rs-lane-${lane.letter}`, text: lane.letter }),
    drawing,
  );
}
