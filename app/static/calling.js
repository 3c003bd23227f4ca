// How programs call this server, with its own address: what docs/api.md says, in a dialog.

import { fill, h } from "./dom.js";
import { copied } from "./embed.js";
import { inline, proseElement } from "./learn_prose.js";

/** @import { Calling, CallingPart, Cells, Words } from "./types.js" */

const SAID_MS = 2500;

/**
 * @param {Calling} calling
 * @param {string} root where the app is
 */
export function callingButton(calling, root) {
  const dialog = callingDialog(calling, new URL(`${root}/`, location.href).href.replace(/\/$/, ""));
  document.body.append(dialog);
  return h("button", {
    type: "button",
    class: "rs-quiet rs-api",
    title: "Call this server from a program",
    text: "API",
    on: { click: () => dialog.showModal() },
  });
}

/**
 * @param {Calling} calling
 * @param {string} address of the app, without a slash at its end
 * @returns {HTMLDialogElement}
 */
function callingDialog({ example, parts }, address) {
  /** @param {string} text */
  const own = (text) => text.replaceAll(example, address);
  const close = h("button", { type: "button", class: "rs-button", text: "Close", on: { click: () => dialog.close() } });
  const dialog = h(
    "dialog",
    { class: "rs rs-help rs-calling", "aria-label": "Calling this server" },
    parts.map((part, i) => partElement(part, own, i)),
    close,
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

/**
 * @param {CallingPart} part
 * @param {(text: string) => string} own
 * @param {number} i
 */
function partElement({ title, pieces }, own, i) {
  /** @param {Words} words */
  const here = (words) => ({ ...words, text: own(words.text) });
  const told = pieces.map((piece) => {
    if (piece.kind === "code") return codeElement(own(piece.code));
    if (piece.kind === "cells") return cellsElement(piece);
    return proseElement({ ...piece, lines: piece.lines.map((line) => line.map(here)) });
  });
  return h("section", {}, h(i ? "h3" : "h2", { text: title }), told);
}

/** @param {string} code */
function codeElement(code) {
  const button = h("button", { type: "button", class: "rs-quiet", text: "Copy" });
  button.addEventListener("click", async () => {
    button.textContent = await copied(code);
    setTimeout(() => (button.textContent = "Copy"), SAID_MS);
  });
  const lines = h("pre", { tabindex: "0", role: "region", "aria-label": "To copy" }, h("code", { text: code }));
  return h("div", { class: "rs-code" }, lines, button);
}

/** @param {Cells} cells */
function cellsElement({ rows }) {
  const [head, ...body] = rows;
  const table = h("table", { class: "rs-table" });
  fill(
    table,
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head.map((cell) =>
          h(
            "th",
            { scope: "col" },
            cell.map((words) => inline(words)),
          ),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      body.map((row) =>
        h(
          "tr",
          {},
          row.map((cell) =>
            h(
              "td",
              {},
              cell.map((words) => inline(words)),
            ),
          ),
        ),
      ),
    ),
  );
  return h("div", { class: "rs-table-wrap", tabindex: 0, role: "group", "aria-label": "Endpoints" }, table);
}
