// A drawing by Plotly that keeps its element, and with it the user's zoom, through every update of one run.

import { h } from "./dom.js";
import { holds, partOf, widened } from "./part.js";
import { inTurn } from "./turns.js";
import { cividis, COLORSCALE, entropyColor } from "./scales.js";

/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Plotly, Rect } from "./page.js" */
/** @import { Range } from "./part.js" */
/** @import { Axis, Figure as Given, Layout, Marker, Trace } from "./types.js" */

/** @typedef {(name: string) => string} Look the theme's value of a name */
/** A mark as Plotly knows it, none in our own drawings. @typedef {{ data: Trace, pointIndex: number, x: number, base: number }} Mark */
/** @typedef {Mark | null} DrawnPoint */
/** @typedef {(data: never, rect: Rect, point: DrawnPoint) => void} OnPoint `data` is the mark's customdata, which the panel knows */
/** @typedef {{ bbox?: { x0: number, x1: number, y0: number, y1: number }, customdata: never } & Mark} Hit */
/** @typedef {{ on(event: string, heard: (event: never) => void): void }} Emitter */
/** @typedef {(range: Range | null) => void} OnZoom null for all */
/** @typedef {{ onHover?: OnPoint, onLeave?: () => void, onClick?: OnPoint, onZoom?: OnZoom }} Handlers */
/** @typedef {{ figure: Given, revision: string, shapes: object[] }} Wanted */
/** @typedef {{ figure: Given, revision: string, marks: string, width: number, part: Range | null }} Drawn */

/** @type {Promise<Plotly> | null} */
let library = null;

/**
 * Kept private: the library's global would be overwritten by any other copy on the page.
 *
 * @param {string} [url] none where the page carries it inline
 * @returns {Promise<Plotly>}
 */
export function loadPlotly(url) {
  library ??= new Promise((resolve, reject) => {
    const give = () => (window.Plotly ? resolve(window.Plotly) : reject(new Error("the drawing library did not load")));
    if (!url) return give();
    const before = window.Plotly;
    const script = h("script", { src: url });
    script.onload = () => {
      give();
      window.Plotly = before;
    };
    script.onerror = give;
    document.head.append(script);
  });
  return library;
}

const RESTS_MS = 400;
const CONFIG = { displaylogo: false, displayModeBar: false, doubleClick: "reset" };

export class Figure {
  /**
   * @param {() => Promise<Plotly>} plotly loads it when there is something to draw
   * @param {Handlers} [handlers]
   */
  constructor(plotly, handlers = {}) {
    this.plotly = plotly;
    this.handlers = handlers;
    this.element = h("div", { class: "rs-plot" });
    this.scroll = h("div", { class: "rs-plot-scroll" }, this.element);
    /** @type {Wanted | null} */
    this.wanted = null;
    /** @type {Drawn | null} */
    this.drawn = null;
    /** @type {Range | null} */
    this.range = null; // of the x axis, where only a part is shown
    this.listening = false;
    this.flush = () => this.drawWanted();
    this.sizes = new ResizeObserver(() => this.redraw());
    this.sizes.observe(this.scroll);
  }

  /**
   * @param {Given} figure another object whenever anything of it is different
   * @param {string} revision keeps the zoom while it stays the same
   * @param {object[]} shapes mark the current round
   */
  draw(figure, revision, shapes = []) {
    if (revision !== this.wanted?.revision) this.range = null;
    this.wanted = { figure, revision, shapes };
    if (figure.alt) this.tell(figure.alt);
    inTurn(this.flush);
  }

  /** @param {Range | null} range of the x axis that is shown, null for all; then its points are in order */
  zoom(range) {
    this.range = range;
    if (this.wanted) inTurn(this.flush);
  }

  /** @param {string} alt what there is to see */
  tell(alt) {
    this.scroll.setAttribute("role", "img");
    this.scroll.setAttribute("aria-label", alt);
  }

  /** Nothing to draw yet, but soon: the library comes while the page rests. */
  expect() {
    setTimeout(() => void this.plotly(), RESTS_MS);
  }

  /** Draw for another width, if it is another. */
  redraw() {
    if (this.wanted && this.scroll.clientWidth !== this.drawn?.width) inTurn(this.flush);
  }

  /** Draw anew, in other colours. */
  repaint() {
    this.drawn = null;
    if (this.wanted) inTurn(this.flush);
  }

  async drawWanted() {
    const width = this.scroll.clientWidth;
    if (!this.wanted || width < 40) return; // hidden: drawn when it shows
    const plotly = await this.plotly();
    if (!this.wanted) return; // removed meanwhile
    const { figure, revision, shapes } = this.wanted;
    const { range, drawn: last } = this;
    const same = last?.figure === figure && last.revision === revision && last.width === width;
    const holding = same && holds(last.part, range);
    const part = holding ? last.part : widened(range);
    const mine = { figure, revision, marks: JSON.stringify([shapes, range]), width, part };
    this.drawn = mine;
    const look = theme(this.element);
    const marks = [...(figure.layout.shapes ?? []), ...shapes].map((shape) => themed(shape, look));
    if (holding) {
      const shown = range ? { "xaxis.range": [...range] } : {};
      if (last.marks !== mine.marks) await plotly.relayout(this.element, { shapes: marks, ...shown });
      return;
    }
    const size = { width: Math.max(width, figure.min_width ?? 0), revision };
    if (size.width > width)
      this.scroll.tabIndex = 0; // to be scrolled by key
    else this.scroll.removeAttribute("tabindex");
    const layout = { ...complete(themed(figure.layout, look), look, size), shapes: marks };
    if (range) Object.assign(layout.xaxis, { range: [...range], autorange: false });
    if (matchMedia("(pointer: coarse)").matches) Object.assign(layout, { dragmode: false });
    const data = partOf(figure, part).map((trace) => themed(trace, look));
    await plotly.react(this.element, data, layout, CONFIG);
    if (!this.listening) this.listen();
  }

  listen() {
    this.listening = true;
    const { onHover, onLeave, onClick, onZoom } = this.handlers;
    const element = /** @type {Emitter} */ (/** @type {unknown} */ (this.element)); // Plotly has made it an emitter
    /** @param {OnPoint} handler */
    const at =
      (handler) =>
      (/** @type {{ points: Hit[] }} */ { points: [point] }) => {
        const box = this.element.getBoundingClientRect();
        const { x0, x1, y0, y1 } = point.bbox || { x0: 0, x1: 0, y0: 0, y1: 0 };
        const rect = { left: box.left + x0, bottom: box.top + y1, top: box.top + y0, width: x1 - x0 };
        handler(point.customdata, rect, point);
      };
    if (onHover) element.on("plotly_hover", at(onHover));
    if (onLeave) element.on("plotly_unhover", () => onLeave());
    if (onClick) element.on("plotly_click", at(onClick));
    if (onZoom) element.on("plotly_relayout", (/** @type {Record<string, number>} */ changes) => this.zoomed(changes));
  }

  /** @param {Record<string, number>} changes of the layout, by us or by the reader's drag */
  zoomed(changes) {
    const from = changes["xaxis.range[0]"],
      to = changes["xaxis.range[1]"];
    if (from === undefined && !changes["xaxis.autorange"]) return;
    this.range = from === undefined ? null : [from, to];
    inTurn(this.flush);
    this.handlers.onZoom?.(this.range);
  }

  /**
   * @param {string} name
   * @param {ImageKind} format
   */
  async image(name, format) {
    const plotly = await this.plotly();
    await plotly.downloadImage(this.element, { format, filename: name, scale: format === "png" ? SHARP : 1 });
  }
}

const SHARP = 2; // pixels of a PNG to one of the page
const NOT_COLOURS = new Set(["text", "ticktext", "customdata", "x", "y", "base", "alt"]);

/**
 * Clones (Plotly changes what it is given) and replaces colour names by the theme's colours.
 *
 * @template T
 * @param {T} value
 * @param {Look} look
 * @returns {T}
 */
function themed(value, look) {
  if (Array.isArray(value)) return /** @type {T} */ (value.map((item) => themed(item, look)));
  if (value && typeof value === "object") {
    /** @type {Record<string, unknown>} */
    const copy = {};
    for (const [name, item] of Object.entries(value))
      copy[name] = NOT_COLOURS.has(name) ? structuredClone(item) : themed(item, look);
    if (copy.marker) paint(/** @type {Marker} */ (copy.marker), /** @type {number[]} */ (copy.y));
    if (copy.z && copy.colorscale === "scale:cividis") copy.colorscale = COLORSCALE;
    return /** @type {T} */ (copy);
  }
  return typeof value === "string" && value.startsWith("var:") ? /** @type {T} */ (look(value.slice(4))) : value;
}

/**
 * Numbers on a scale become colours.
 *
 * @param {Marker} marker
 * @param {number[]} y
 */
function paint(marker, y) {
  if (marker.color === "scale:entropy") marker.color = y.map(entropyColor);
  if (marker.colorscale !== "scale:cividis") return;
  const { cmin = 0, cmax = 1, color } = marker;
  marker.color = /** @type {number[]} */ (color).map((value) => cividis(value, [cmin, cmax]));
  for (const name of /** @type {const} */ (["colorscale", "cmin", "cmax"])) delete marker[name];
}

/**
 * @param {Element} element
 * @returns {Look}
 */
function theme(element) {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(`--rs-${name}`).trim();
}

/**
 * @param {Layout} layout
 * @param {Look} look
 * @param {{ width: number, revision: string }} size
 */
function complete(layout, look, { width, revision }) {
  /** @param {Axis} given */
  const axis = (given = {}) => ({
    gridcolor: look("grid"),
    zerolinecolor: look("grid"),
    linecolor: look("grid"),
    automargin: false,
    ...given,
    title: given.title && { ...given.title, font: { size: 12, color: look("muted") }, standoff: 6 },
    tickfont: { size: 12, color: look("muted") },
  });
  return {
    ...layout,
    width,
    autosize: false,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: look("sans"), color: look("ink"), size: 12 },
    xaxis: axis(layout.xaxis),
    yaxis: axis(layout.yaxis),
    hovermode: "closest",
    uirevision: revision,
  };
}
