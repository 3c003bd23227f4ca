// Plotly, kept private: the library's global would be overwritten by any other copy on the page.

import { fill, h, table } from "./dom.js";
import { cividis, COLORSCALE, entropyColor } from "./scales.js";

let library = null;

export function loadPlotly(url) {
  library ||= new Promise((resolve, reject) => {
    if (!url) return resolve(window.Plotly); // a saved page carries it inline
    const before = window.Plotly;
    const script = h("script", { src: url });
    script.onload = () => {
      resolve(window.Plotly);
      window.Plotly = before;
    };
    script.onerror = () => reject(new Error("the drawing library did not load"));
    document.head.append(script);
  });
  return library;
}

// A drawing that keeps its element, and with it the user's zoom, through every update of one run.
export class Figure {
  constructor(plotly, { onHover, onLeave, onClick } = {}) {
    this.plotly = plotly;
    this.element = h("div", { class: "rs-plot" });
    this.scroll = h("div", { class: "rs-plot-scroll", role: "img" }, this.element);
    this.handlers = { onHover, onLeave, onClick };
    this.wanted = null;
    this.busy = false;
    this.sizes = new ResizeObserver(() => this.redraw());
    this.sizes.observe(this.scroll);
  }

  // `shapes` mark the current round; `revision` keeps the zoom while it stays the same.
  draw(figure, revision, shapes = []) {
    this.wanted = { figure, revision, shapes };
    if (figure?.alt) this.scroll.setAttribute("aria-label", figure.alt);
    this.flush();
  }

  redraw() {
    if (this.wanted && this.scroll.clientWidth !== this.drawnAt) this.flush();
  }

  async flush() {
    if (this.busy) {
      this.again = true;
      return;
    }
    if (!this.wanted?.figure || this.scroll.clientWidth < 40) return; // hidden tabs are drawn when they show
    this.busy = true;
    try {
      const plotly = await this.plotly;
      const { figure, revision, shapes } = this.wanted;
      this.drawnAt = this.scroll.clientWidth;
      const width = Math.max(this.drawnAt, figure.min_width || 0);
      const look = theme(this.element);
      const data = figure.data.map((trace) => themed(trace, look));
      const layout = complete(themed(figure.layout, look), look, {
        width,
        revision,
        shapes: shapes.map((s) => themed(s, look)),
      });
      if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
      await plotly.react(this.element, data, layout, {
        displaylogo: false,
        displayModeBar: false,
        doubleClick: "reset",
      });
      if (!this.listening) this.listen();
    } finally {
      this.busy = false;
    }
    if (this.again) {
      this.again = false;
      this.flush();
    }
  }

  listen() {
    this.listening = true;
    const { onHover, onLeave, onClick } = this.handlers;
    const point = (event) => {
      const p = event.points[0];
      const box = this.element.getBoundingClientRect();
      const at = p.bbox || { x0: 0, x1: 0, y0: 0, y1: 0 };
      return [
        p.customdata,
        { left: box.left + at.x0, bottom: box.top + at.y1, top: box.top + at.y0, width: at.x1 - at.x0 },
        p,
      ];
    };
    if (onHover) this.element.on("plotly_hover", (event) => onHover(...point(event)));
    if (onLeave) this.element.on("plotly_unhover", () => onLeave());
    if (onClick) this.element.on("plotly_click", (event) => onClick(...point(event)));
  }

  async image(name) {
    const plotly = await this.plotly;
    await plotly.downloadImage(this.element, { format: "svg", filename: name });
  }

  async remove() {
    this.sizes.disconnect();
    (await this.plotly).purge(this.element);
  }
}

const NOT_COLOURS = new Set(["text", "ticktext", "customdata", "x", "y", "base", "alt"]);

// Clones (Plotly changes what it is given) and replaces colour names by the theme's colours.
function themed(value, look, key = "") {
  if (Array.isArray(value)) return value.map((item) => themed(item, look, key));
  if (value && typeof value === "object") {
    const copy = {};
    for (const [name, item] of Object.entries(value))
      copy[name] = NOT_COLOURS.has(name) ? structuredClone(item) : themed(item, look, name);
    if (copy.marker) paint(copy.marker, copy.y);
    if (copy.z && copy.colorscale === "scale:cividis") copy.colorscale = COLORSCALE;
    return copy;
  }
  return typeof value === "string" && value.startsWith("var:") ? look(value.slice(4)) : value;
}

// Numbers on a scale become colours.
function paint(marker, y) {
  if (marker.color === "scale:entropy") marker.color = y.map(entropyColor);
  if (marker.colorscale !== "scale:cividis") return;
  const { cmin, cmax, color } = marker;
  marker.color = color.map((value) => cividis(value, [cmin, cmax]));
  for (const name of ["colorscale", "cmin", "cmax"]) delete marker[name];
}

function theme(element) {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(`--rs-${name}`).trim();
}

function complete(layout, look, { width, revision, shapes }) {
  const axis = (given = {}) => ({
    gridcolor: look("grid"),
    zerolinecolor: look("grid"),
    linecolor: look("grid"),
    automargin: false,
    ...given,
    title: given.title && { ...given.title, font: { size: 11, color: look("muted") }, standoff: 6 },
    tickfont: { size: 11, color: look("muted") },
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
    shapes: [...(layout.shapes || []), ...shapes],
    hovermode: "closest",
    uirevision: revision,
  };
}

// A titled panel with a drawing, a hint, and the same content as a table for those who prefer or need one.
export function figurePanel({ id, title, hint, figure, rows }) {
  const tableBox = h("div", { class: "rs-panel-table", hidden: true });
  const toggle = h("button", { class: "rs-quiet", type: "button", "aria-pressed": "false", text: "Table" });
  const save = h("button", { class: "rs-quiet", type: "button", text: "SVG", "aria-label": `Save ${title} as SVG` });
  const subtitle = h("span", { class: "rs-panel-hint", text: hint || "" });
  const panel = h(
    "section",
    { class: `rs-panel rs-panel-${id}`, "data-panel": id, "aria-label": title },
    h("header", {}, h("h2", { text: title }), subtitle, h("span", { class: "rs-panel-tools" }, toggle, save)),
    figure.scroll,
    tableBox,
  );
  const refresh = () => {
    if (!tableBox.hidden) {
      const { columns, data } = rows();
      fill(tableBox, table(columns, data));
    }
  };
  const showTable = (on) => {
    tableBox.hidden = !on;
    figure.scroll.hidden = on;
    toggle.setAttribute("aria-pressed", String(on));
    refresh();
    figure.redraw();
  };
  toggle.addEventListener("click", () => showTable(tableBox.hidden));
  save.addEventListener("click", () => figure.image(`respec-${id}`));
  return { panel, subtitle, refresh, showTable, tools: { table: toggle, save } };
}
