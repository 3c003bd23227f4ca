// The list of keys, which the page's head and the key ? show.

import { bus } from "./bus.js";
import { h } from "./dom.js";

/** @param {ReadonlyArray<readonly string[]>} keys each with what it does */
export function keysDialog(keys) {
  const dialog = h(
    "dialog",
    { class: "rs rs-help", "aria-label": "Keys" },
    h("h2", { text: "Keys" }),
    h(
      "dl",
      {},
      keys.map(([key, what]) => [h("dt", { text: key }), h("dd", { text: what })]),
    ),
    h("button", { type: "button", class: "rs-button", text: "Close", on: { click: () => dialog.close() } }),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  bus.on("help", () => dialog.showModal());
  return dialog;
}
