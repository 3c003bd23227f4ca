// A titled panel with a drawing, a hint, and the same content as a table for those who prefer or need one.

import { fill, h, table } from "./dom.js";
import { refilled } from "./row_keys.js";

/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Column } from "./types.js" */

/** @type {readonly ImageKind[]} */
const FORMATS = ["svg", "png"];

/**
 * `pick` is what choosing a row does.
 *
 * @typedef {{ columns: Column[], data: Array<Record<string, any>>, pick?: (row: any) => void }} Rows
 */
/**
 * One figure, or several.
 *
 * @typedef {{ scroll: HTMLElement, redraw(): void, image(name: string, format: ImageKind): Promise<void> }} Drawable
 */

/**
 * @param {{ id: string, title: string, hint?: string, figure: Drawable, rows: () => Rows }} options
 */
export function figurePanel({ id, title, hint = "", figure, rows }) {
  const tableBox = h("div", { class: "rs-panel-table", hidden: true });
  const toggle = h("button", { class: "rs-quiet", type: "button", "aria-pressed": "false", text: "Table" });
  const save = h(
    "span",
    { class: "rs-panel-save" },
    FORMATS.map((format) => saveButton(figure, id, title, format)),
  );
  const subtitle = h("span", { class: "rs-panel-hint", text: hint });
  const tools = h("span", { class: "rs-panel-tools" }, toggle, save);
  const panel = h(
    "section",
    { class: `rs-panel rs-panel-${id}`, "data-panel": id, "aria-label": title },
    h("header", {}, h("h2", { text: title }), subtitle, tools),
    figure.scroll,
    tableBox,
  );
  const refresh = () => {
    if (tableBox.hidden) return;
    const { columns, data, pick } = rows();
    refilled(tableBox, () => fill(tableBox, table(columns, data)), pick && ((row) => pick(data[row])));
  };
  /** @param {boolean} on */
  const showTable = (on) => {
    tableBox.hidden = !on;
    figure.scroll.hidden = on;
    toggle.setAttribute("aria-pressed", String(on));
    refresh();
    figure.redraw();
  };
  toggle.addEventListener("click", () => showTable(tableBox.hidden));
  return { panel, subtitle, refresh, showTable, tools: { table: toggle, save } };
}

/**
 * @param {Drawable} figure
 * @param {string} id
 * @param {string} title
 * @param {ImageKind} format
 */
function saveButton(figure, id, title, format) {
  const name = format.toUpperCase();
  const button = h("button", {
    class: "rs-quiet",
    type: "button",
    text: name,
    "aria-label": `Save ${title} as ${name}`,
  });
  button.addEventListener("click", () => void figure.image(`respec-${id}`, format));
  return button;
}

/** The round's place on an axis, as a pale band: @param {number} x0 @param {number} x1 */
export const band = (x0, x1) => ({
  type: "rect",
  xref: "x",
  yref: "paper",
  x0,
  x1,
  y0: 0,
  y1: 1,
  layer: "below",
  fillcolor: "var:band",
  line: { width: 0 },
});
