// A titled panel with a drawing, a hint, and the same content as a table for those who prefer or need one.

import { fill, h, table } from "./dom.js";
import { refilled, rowsOf } from "./row_keys.js";

/** @import { ImageKind } from "./drawing_file.js" */
/** @import { Held } from "./held.js" */
/** @import { Selection } from "./page.js" */
/** @import { Picker, Reads } from "./picker.js" */
/** @import { Column } from "./types.js" */

/** @type {readonly ImageKind[]} */
const FORMATS = ["svg", "png"];

/**
 * `reads` is what a row stands for; then it can be chosen, and is marked. Elsewhere `pick` is what choosing a row does.
 *
 * @typedef {{ columns: Column[], data: readonly object[], reads?: Reads<never>,
 *   pick?: (row: never) => void }} Rows
 */
/**
 * One figure, or several.
 *
 * @typedef {{ scroll: HTMLElement, redraw(): void, image(name: string, format: ImageKind): Promise<void> }} Drawable
 */

/**
 * @param {{ id: string, title: string, hint?: string, figure: Drawable, rows: () => Rows, picker?: Picker }} options
 */
export function figurePanel({ id, title, hint = "", figure, rows, picker }) {
  const tableBox = h("div", { class: "rs-panel-table", hidden: true });
  const toggle = h("button", { class: "rs-quiet", type: "button", "aria-pressed": "false", text: "Table" });
  const save = saveButtons(figure, id, title);
  const subtitle = h("span", { class: "rs-panel-hint", text: hint });
  const tools = h("span", { class: "rs-panel-tools" }, toggle, save);
  const panel = h(
    "section",
    { class: `rs-panel rs-panel-${id}`, "data-panel": id, "aria-label": title },
    h("header", {}, h("h2", { text: title }), subtitle, tools),
    figure.scroll,
    tableBox,
  );
  /** @type {Rows} */
  let shown = { columns: [], data: [] };
  const mark = () => {
    const { data, reads } = shown;
    if (picker && reads && !tableBox.hidden)
      rowsOf(tableBox).forEach((row, i) => picker.mark(row, reads(/** @type {never} */ (data[i]))));
  };
  const refresh = () => {
    if (tableBox.hidden) return;
    shown = rows();
    const { columns, data, reads } = shown;
    const pick = picker && reads ? (/** @type {never} */ row) => picker.choose(reads(row)) : shown.pick;
    refilled(
      tableBox,
      () => fill(tableBox, table(columns, data)),
      pick && ((row) => pick(/** @type {never} */ (data[row]))),
    );
    mark();
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
  return { panel, subtitle, refresh, mark, showTable, tools: { table: toggle, save } };
}

/**
 * @param {Pick<Drawable, "image">} figure
 * @param {string} id
 * @param {string} title
 */
export function saveButtons(figure, id, title) {
  const buttons = FORMATS.map((format) => saveButton(figure, id, title, format));
  return h("span", { class: "rs-panel-save" }, buttons);
}

/**
 * @param {Pick<Drawable, "image">} figure
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

/** @typedef {{ x0: number, x1: number, y0?: number, y1?: number }} Box of the whole height where `y0` is missing */

/**
 * A frame around what is chosen, a dotted one around what is pointed at.
 *
 * @param {Box | null | undefined} box
 * @param {{ chosen: boolean, pointed: boolean }} marks
 */
export const framed = (box, { chosen, pointed }) =>
  box && (chosen || pointed)
    ? [
        {
          type: "rect",
          xref: "x",
          yref: box.y0 === undefined ? "paper" : "y",
          y0: 0,
          y1: 1,
          ...box,
          line: { color: "var:accent", width: chosen ? 2 : 1.5, dash: chosen ? "solid" : "dot" },
        },
      ]
    : [];

/**
 * The frames around what is pointed at and around what is chosen.
 *
 * @param {Held} held
 * @param {(selection: Selection) => Box | null} boxOf where it is in the figure
 */
export const frames = ({ pointed, selection }, boxOf) => [
  ...framed(pointed && boxOf(pointed), { chosen: false, pointed: true }),
  ...framed(selection && boxOf(selection), { chosen: true, pointed: false }),
];
