// The race: tokens over measured time, every run from the end of its prompt. It can be played again.

import { fill, h, numberColumn } from "./dom.js";
import { saveDrawing } from "./drawing_file.js";
import { figurePanel } from "./figure_panel.js";
import { Playing } from "./playing.js";
import { pointsOf, roundAt, tokensBy } from "./compare_store.js";
import { svg, ticks } from "./svg.js";

/** @import { CompareStore, Points } from "./compare_store.js" */
/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Rows } from "./figure_panel.js" */

/** @typedef {{ letter: string, title: string, points: Points, most: number }} Line */

const HEIGHT = 250;
const MARGIN = { left: 46, right: 34, top: 12, bottom: 38 };
const FRAME_MS = 16;
const LEAST_APART = 13; // pixels between the letters at the ends

export class Race {
  /** @param {CompareStore} store */
  constructor(store) {
    this.store = store;
    this.svg = svg("svg", { class: "rs-race", role: "img", height: HEIGHT });
    this.legend = h("div", { class: "rs-race-legend" });
    this.clock = h("span", { class: "rs-race-clock" });
    this.playing = new Playing({
      name: "the race",
      speeds: [0.1, 0.25, 0.5, 1, 2, 4],
      begin: () => this.begin(),
      wait: () => FRAME_MS,
      over: (ms) => (store.time ?? 0) + ms >= store.longest,
      move: (ms) => store.seek((store.time ?? 0) + ms),
    });
    this.range = h("input", {
      ...{ type: "range", class: "rs-range", min: 0, max: 1000, step: 1, "aria-label": "Moment of the race" },
      on: { input: () => this.drag() },
    });
    const { button, choice } = this.playing;
    this.controls = h("div", { class: "rs-scrubber" }, button, this.range, this.clock, choice);
    this.scroll = h("div", {}, this.svg, this.legend);
    const hint = "measured engine time";
    this.made = figurePanel({ id: "race", title: "Race", hint, figure: this, rows: () => this.rows() });
    this.element = this.made.panel;
    this.scroll.before(this.controls);
    this.svg.addEventListener("click", (event) => this.pick(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @returns {Line[]} */
  get lines() {
    const { comparison, live } = this.store;
    if (!comparison)
      return live.map((run, i) => ({ letter: "ABCD"[i], title: run.title, points: run.points, most: 0 }));
    return comparison.lanes.map((lane) => ({
      ...{ letter: lane.letter, title: lane.title, points: pointsOf(lane), most: lane.total_ms },
    }));
  }

  draw() {
    const { lines, store } = this;
    const width = this.element.clientWidth - 30;
    if (width < 120) return;
    const last = (/** @type {Line} */ line) => line.points.at(-1) ?? [0, 0];
    const most = Math.max(1, ...lines.map((line) => last(line)[0]));
    const tokens = Math.max(1, ...lines.map((line) => last(line)[1]));
    const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    this.most = most;
    this.x = (/** @type {number} */ ms) => MARGIN.left + (inner.width * ms) / most;
    this.y = (/** @type {number} */ n) => MARGIN.top + inner.height * (1 - n / tokens);
    this.svg.setAttribute("width", String(width));
    this.svg.setAttribute("aria-label", lines.map((line) => said(line, last(line))).join("; "));
    this.head = svg("line", { class: "rs-race-head", y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom });
    this.marks = svg("g", { class: "rs-race-marks" });
    fill(this.svg, this.axes(most, tokens, width), lines.map(this.line, this), this.ends(lines), this.marks, this.head);
    this.controls.hidden = !store.comparison;
    fill(
      this.legend,
      store.comparison ? store.comparison.lanes.map(legend) : lines.map(({ letter, title }) => key(letter, title)),
    );
    this.made.refresh();
    this.drawTime();
    this.drawSelection();
  }

  redraw() {
    this.draw();
  }

  /**
   * @param {string} name
   * @param {ImageKind} format
   */
  image(name, format) {
    return saveDrawing(this.svg, name, format);
  }

  /** @returns {Rows} when every round was over */
  rows() {
    const data = (this.store.comparison?.lanes ?? []).flatMap((lane) =>
      lane.rounds.map(({ end, end_ms }, i) => ({ run: lane.letter, round: i + 1, ms: end_ms, tokens: end })),
    );
    return {
      columns: [
        { key: "run", label: "run" },
        numberColumn("round", "round"),
        numberColumn("ms", "over after (ms)"),
        numberColumn("tokens", "tokens by then"),
      ],
      data,
      pick: ({ tokens }) => this.store.pin(tokens - 1),
    };
  }

  /**
   * @param {number} most
   * @param {number} tokens
   * @param {number} width
   */
  axes(most, tokens, width) {
    const group = svg("g", { class: "rs-race-axes" });
    const seconds = most >= 2000;
    for (const ms of ticks(most, Math.max(2, Math.floor(width / 110)))) {
      const label = seconds ? `${Number((ms / 1000).toPrecision(6))} s` : `${Number(ms.toPrecision(6))} ms`;
      group.append(
        svg("line", { x1: this.x?.(ms), x2: this.x?.(ms), y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }),
        svg("text", { x: this.x?.(ms), y: HEIGHT - 18, "text-anchor": "middle" }, label),
      );
    }
    for (const n of ticks(tokens, 4))
      group.append(
        svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: this.y?.(n), y2: this.y?.(n) }),
        svg("text", { x: MARGIN.left - 7, y: (this.y?.(n) ?? 0) + 4, "text-anchor": "end" }, String(n)),
      );
    group.append(svg("text", { x: MARGIN.left, y: HEIGHT - 4 }, "time behind the prompt → tokens ↑"));
    return group;
  }

  /** @param {Line} line */
  line({ letter, points }) {
    let path = "";
    points.forEach(([ms, n], i) => {
      const x = this.x?.(ms).toFixed(1);
      path += i ? `H${x}V${this.y?.(n).toFixed(1)}` : `M${x} ${this.y?.(n).toFixed(1)}`;
    });
    return svg("path", { class: `rs-lane-line rs-lane-${letter}`, d: path, fill: "none" });
  }

  /** @param {Line[]} lines */
  ends(lines) {
    const group = svg("g", { class: "rs-race-ends" });
    const ends = lines
      .map((line) => ({ letter: line.letter, at: line.points.at(-1) ?? [0, 0] }))
      .map(({ letter, at }) => ({ letter, x: (this.x?.(at[0]) ?? 0) + 5, y: (this.y?.(at[1]) ?? 0) + 4 }))
      .sort((a, b) => a.x - b.x || a.y - b.y);
    ends.forEach((end, i) => {
      while (ends.slice(0, i).some((e) => Math.abs(e.x - end.x) < LEAST_APART && Math.abs(e.y - end.y) < LEAST_APART))
        end.y += 3;
      group.append(svg("text", { class: `rs-lane-${end.letter}`, x: end.x, y: end.y }, end.letter));
    });
    return group;
  }

  // Where the position that is looked at was written.
  drawSelection() {
    const { comparison, position } = this.store;
    if (!this.marks) return;
    const marks = (comparison?.lanes ?? []).flatMap((lane) => {
      const round = lane.rounds[roundAt(lane, position)];
      if (!round) return [];
      const at = { cx: this.x?.(round.end_ms), cy: this.y?.(position + 1), r: 4.5 };
      return [svg("circle", { class: `rs-lane-${lane.letter}`, ...at })];
    });
    fill(this.marks, marks);
  }

  drawTime() {
    const { store } = this;
    const ms = store.time ?? store.longest;
    this.head?.setAttribute("x1", String(this.x?.(ms)));
    this.head?.setAttribute("x2", String(this.x?.(ms)));
    this.head?.classList.toggle("is-end", store.time === null);
    const share = store.longest ? ms / store.longest : 1;
    this.range.value = String(Math.round(1000 * share));
    this.range.style.setProperty("--at", `${100 * share}%`);
    const counts = (store.comparison?.lanes ?? []).map((lane) => `${lane.letter} ${tokensBy(lane, store.time)}`);
    this.clock.textContent = `${(ms / 1000).toFixed(2)} s · ${counts.join(" · ")}`;
    this.range.setAttribute("aria-valuetext", `${this.clock.textContent} tokens`);
  }

  drag() {
    this.playing.pause();
    this.store.seek((Number(this.range.value) / 1000) * this.store.longest);
  }

  /**
   * A moment, and the newest token that the nearest line had by then.
   *
   * @param {MouseEvent} event
   */
  pick(event) {
    const { store } = this;
    if (!store.comparison || !this.x) return;
    const { left, top } = this.svg.getBoundingClientRect();
    const from = this.x(0),
      to = this.x(this.most ?? 1);
    const ms = Math.min(1, Math.max(0, (event.clientX - left - from) / (to - from))) * store.longest;
    const counts = store.comparison.lanes.map((lane) => tokensBy(lane, ms));
    const away = (/** @type {number} */ tokens) => Math.abs((this.y?.(tokens) ?? 0) - (event.clientY - top));
    this.playing.pause();
    store.seek(ms);
    store.pin(counts.reduce((best, tokens) => (away(tokens) < away(best) ? tokens : best)) - 1);
  }

  begin() {
    if (!this.store.comparison) return false;
    if (this.store.time === null) this.store.seek(0);
    return true;
  }
}

/**
 * @param {Line} line
 * @param {readonly number[]} end
 */
const said = ({ letter, title }, [ms, tokens]) =>
  `${letter}, ${title}: ${tokens} tokens in ${(ms / 1000).toFixed(2)} s`;

/**
 * @param {string} letter
 * @param {string} text
 */
function key(letter, text) {
  const sample = svg("svg", { width: 26, height: 8, "aria-hidden": "true" });
  sample.append(svg("path", { class: `rs-lane-line rs-lane-${letter}`, d: "M0 4H26" }));
  return h("span", { class: "rs-race-key" }, sample, h("strong", { text: letter }), text);
}

/** @param {import("./types.js").Lane} lane */
function legend({ letter, title, prefill_ms, total_ms }) {
  return key(
    letter,
    `${title} · ${(total_ms / 1000).toFixed(2)} s, before it the prompt ${(prefill_ms / 1000).toFixed(2)} s`,
  );
}
