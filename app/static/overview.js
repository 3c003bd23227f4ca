// A long run as a strip below its figure, and on it the part that the figure shows: dragged, resized, moved by key.

import { h } from "./dom.js";
import { svg } from "./svg.js";

/** @import { Figure } from "./figures.js" */

/** @typedef {[from: number, to: number]} Span in the figure's own units */
/** @typedef {[x: number, y: number]} Point */

const SHOWN = 120; // points that a figure shows well
const COLUMNS = 400; // of the strip
const EDGE = 9; // pixels within which a press takes hold of an end
const STEP = 0.25; // of the window, by key
const LEAST = 12; // points

/**
 * @param {Span} span
 * @param {number} end of the run
 * @returns {Span} a window of that width, or less, inside the run
 */
export function within([from, to], end) {
  const width = Math.min(to - from, end);
  const start = Math.min(Math.max(0, from), end - width);
  return [start, start + width];
}

/**
 * @param {Span} span
 * @param {Span} now what must be seen of it
 * @param {number} end
 * @returns {Span} the same where it is; else moved there, with more to come than what is past
 */
export function holding(span, now, end) {
  if (now[0] >= span[0] && now[1] <= span[1]) return span;
  const from = now[0] - (span[1] - span[0]) / 4;
  return within([from, from + span[1] - span[0]], end);
}

export class Overview {
  /** @type {Span | null} */
  span = null; // none while all is shown
  /** @type {Span | null} */
  chosen = null; // by the reader: a run that goes on does not take it away
  revision = "";
  end = 0;
  least = 0;
  told = "";

  /**
   * @param {Figure} figure
   * @param {string} unit of its axis
   */
  constructor(figure, unit) {
    this.figure = figure;
    this.unit = unit;
    this.path = svg("path", {});
    this.window = h("div", { class: "rs-overview-window", tabindex: 0, role: "slider", "aria-label": "Part shown" });
    const strip = svg("svg", { viewBox: `0 0 ${COLUMNS} 30`, preserveAspectRatio: "none", "aria-hidden": "true" });
    strip.append(this.path);
    this.element = h("div", { class: "rs-overview", hidden: true });
    this.element.append(strip, this.window);
    this.element.addEventListener("pointerdown", (event) => this.hold(event));
    this.window.addEventListener("keydown", (event) => this.key(event));
    figure.handlers.onZoom = (range) => this.zoomed(range);
  }

  /**
   * @param {Point[]} points of the whole run
   * @param {number} end of its axis, which begins at 0
   * @param {string} revision of the run
   * @param {Span | null} now what is looked at
   * @param {boolean} live whether the run goes on
   */
  draw(points, end, revision, now, live) {
    const long = points.length > SHOWN;
    this.element.hidden = !long;
    if (revision !== this.revision) Object.assign(this, { revision, span: null, chosen: null, told: "" });
    if (!long) return this.show(null);
    this.end = end;
    this.least = (end * LEAST) / points.length;
    const told = `${points.length} ${end}`;
    if (told !== this.told) this.path.setAttribute("d", outline(points, end));
    this.told = told;
    const width = (end * SHOWN) / points.length;
    const span = this.span ?? this.chosen ?? /** @type {Span} */ ([0, width]);
    this.show(now && !(live && this.chosen) ? holding(span, now, end) : span);
    if (this.span) this.place(this.span); // the run has grown
  }

  /** @param {Span | null} span */
  show(span) {
    if (span && this.span && span[0] === this.span[0] && span[1] === this.span[1]) return;
    if (!span && !this.span) return;
    this.span = span;
    this.figure.zoom(span);
    if (span) this.place(span);
  }

  /** @param {Span} span */
  choose(span) {
    this.chosen = span;
    this.show(span);
  }

  /** @param {Span} span */
  place([from, to]) {
    const { end, unit } = this;
    this.window.style.left = `${(100 * from) / end}%`;
    this.window.style.width = `${(100 * (to - from)) / end}%`;
    const about = {
      now: from,
      min: 0,
      max: end,
      text: `${Math.round(from)} to ${Math.round(to)} of ${Math.round(end)} ${unit}`,
    };
    for (const [name, value] of Object.entries(about))
      this.window.setAttribute(`aria-value${name}`, typeof value === "number" ? String(Math.round(value)) : value);
  }

  /** @param {Span | null} range that the figure was dragged to */
  zoomed(range) {
    this.chosen = range;
    if (this.element.hidden) return;
    this.span = within(range ?? [0, this.end], this.end);
    this.place(this.span);
  }

  /** @param {PointerEvent} event */
  hold(event) {
    const { left, width } = this.element.getBoundingClientRect();
    const at = (/** @type {PointerEvent} */ moved) => ((moved.clientX - left) / width) * this.end;
    const near = (EDGE / width) * this.end;
    const start = at(event);
    let [from, to] = this.span ?? [0, this.end];
    const end = Math.abs(start - from) < near ? 0 : Math.abs(start - to) < near ? 1 : -1;
    if (end < 0 && (start < from || start > to))
      [from, to] = within([start - (to - from) / 2, start + (to - from) / 2], this.end);
    const move = (/** @type {PointerEvent} */ moved) => {
      const by = at(moved) - start;
      if (end === 0) this.choose([Math.max(0, Math.min(from + by, to - this.least)), to]);
      else if (end === 1) this.choose([from, Math.min(this.end, Math.max(to + by, from + this.least))]);
      else this.choose(within([from + by, to + by], this.end));
    };
    const leave = () => this.element.removeEventListener("pointermove", move);
    move(event);
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener("pointermove", move);
    this.element.addEventListener("lostpointercapture", leave, { once: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const [from, to] = this.span ?? [0, this.end];
    const by = (to - from) * STEP;
    /** @type {Record<string, Span>} */
    const spans = {
      ArrowLeft: [from - by, to - by],
      ArrowRight: [from + by, to + by],
      ArrowUp: [from - by, to + by],
      ArrowDown: to - from > 2 * this.least ? [from + by, to - by] : [from, to],
      Home: [0, to - from],
      End: [this.end - (to - from), this.end],
    };
    const span = spans[event.key];
    if (!span || event.altKey || event.ctrlKey || event.metaKey) return;
    this.choose(within(span, this.end));
    event.preventDefault();
    event.stopPropagation();
  }
}

/**
 * The highest of each column.
 *
 * @param {Point[]} points
 * @param {number} end
 */
function outline(points, end) {
  const columns = new Float64Array(COLUMNS);
  for (const [x, y] of points) {
    const column = Math.min(COLUMNS - 1, Math.max(0, Math.floor((x / end) * COLUMNS)));
    columns[column] = Math.max(columns[column], y);
  }
  const most = Math.max(...columns) || 1;
  return [...columns].map((y, i) => `M${i + 0.5} 30V${(29 - (27 * y) / most).toFixed(1)}`).join("");
}
