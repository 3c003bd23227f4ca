// Small helpers for building elements. Text always goes through textContent: whatever a model wrote stays text.

import { parts } from "./signs.js";

/** @import { Column } from "./types.js" */
/** @import { Child } from "./page.js" */

/**
 * `class`, `text`, `on` (handlers by event), `style` (properties by name); any other name is an attribute.
 *
 * @typedef {{ class?: string, text?: string | number | null, on?: Record<string, (event: any) => void>,
 *   style?: Record<string, string>, [attribute: string]: any }} Attributes
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name === "on")
      for (const [type, handler] of Object.entries(value))
        element.addEventListener(type, /** @type {EventListener} */ (handler));
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, String(v));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...present(children));
  return element;
}

/**
 * @param {ReadonlyArray<Child>} children
 * @returns {Array<globalThis.Node | string>}
 */
function present(children) {
  return children.flatMap((child) => {
    if (Array.isArray(child)) return present(child);
    if (child === null || child === undefined || child === false) return [];
    return [typeof child === "number" ? String(child) : /** @type {globalThis.Node | string} */ (child)];
  });
}

/**
 * @template {Element} E
 * @param {E} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
  return parent;
}

// Icons are drawn, not typed: fonts disagree about arrows.
const SHAPES = {
  first: "M4 3h2v10H4zM13 3v10L6.5 8z",
  previous: "M11 3v10L4 8z",
  play: "M4.5 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M5 3v10l7-5z",
  last: "M10 3h2v10h-2zM3 3v10l6.5-5z",
  back: "M7 2.5 3 6.5l4 4V8h2.2a2.6 2.6 0 0 1 0 5.2H6v1.6h3.2a4.2 4.2 0 0 0 0-8.4H7z",
  theme: "M8 1.5a6.5 6.5 0 1 0 0 13zM8 1.5a6.5 6.5 0 0 1 0 13v-1.3a5.2 5.2 0 0 0 0-10.4z",
};

/** @typedef {keyof typeof SHAPES} Shape */

/** @param {Shape} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

const MOST_ROWS = 600;

/**
 * @param {string} key
 * @param {string} label
 * @returns {Column}
 */
export const numberColumn = (key, label) => ({ key, label, numeric: true });

/**
 * @param {Column[]} columns
 * @param {readonly object[]} rows
 */
export function table(columns, rows) {
  const more = rows.length - MOST_ROWS;
  const head = columns.map((c) => h("th", { scope: "col", class: c.numeric ? "num" : "", text: c.label }));
  /** @param {Record<string, unknown>} row */
  const cells = (row) =>
    columns.map((c) =>
      h("td", {
        class: c.numeric ? "num" : c.mono ? "mono" : "",
        text: c.mono ? seen(format(row[c.key])) : format(row[c.key]),
      }),
    );
  return h(
    "div",
    { class: "rs-table-wrap", tabindex: 0, role: "group", "aria-label": "Table" },
    h(
      "table",
      { class: "rs-table" },
      h("thead", {}, h("tr", {}, head)),
      h(
        "tbody",
        {},
        rows.slice(0, MOST_ROWS).map((row) => {
          const named = /** @type {Record<string, unknown> & { class?: string }} */ (row);
          return h("tr", { class: named.class || "" }, cells(named));
        }),
      ),
    ),
    more > 0 && h("p", { class: "rs-empty", text: `+${more} more` }),
  );
}

/** Spaces stay, what leaves nothing to see has a sign: @param {string} text */
const seen = (text) =>
  parts(text)
    .map(({ text: shown, breaks }) => (breaks ? `${shown}\n` : shown))
    .join("");

/** @param {unknown} value */
function format(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : String(value);
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const TYPED =
  "input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], dialog";

/** @param {EventTarget | null} target where a key was pressed: in a field or a dialog, keys are its own */
export const isTyping = (target) => target instanceof Element && target.closest(TYPED) !== null;

/**
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  save(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * @param {string} name of the file
 * @param {string} url where its content is
 */
export function save(name, url) {
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
