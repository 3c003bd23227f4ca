// A titled panel with a drawing, a hint, and the same content as a table for those who prefer or need one.

import { fill, h, table } from "./dom.js";

/** @import { Column } from "./types.js" */

/** @typedef {{ columns: Column[], data: Array<Record<string, any>> }} Rows */
/** @typedef {{ scroll: HTMLElement, redraw(): void, image(name: string): Promise<void> }} Drawable one figure, or several */

/**
 * @param {{ id: string, title: string, hint?: string, figure: Drawable, rows: () => Rows }} options
 */
export function figurePanel({ id, title, hint = "", figure, rows }) {
  const tableBox = h("div", { class: "rs-panel-table", hidden: true });
  const toggle = h("button", { class: "rs-quiet", type: "button", "aria-pressed": "false", text: "Table" });
  const save = h("button", { class: "rs-quiet", type: "button", text: "SVG", "aria-label": `Save ${title} as SVG` });
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
    const { columns, data } = rows();
    fill(tableBox, table(columns, data));
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
  save.addEventListener("click", () => figure.image(`respec-${id}`));
  return { panel, subtitle, refresh, showTable, tools: { table: toggle, save } };
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
