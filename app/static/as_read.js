// Text as it is read on, with a sign where there would be nothing to see.

import { h } from "./dom.js";
import { parts } from "./signs.js";

/** @import { Child } from "./page.js" */

/**
 * @param {string} text
 * @returns {Child[]} line breaks are shown as a sign, then made
 */
export const asRead = (text) =>
  parts(text).map(({ text: shown, sign, breaks }) =>
    sign ? [h("span", { class: "rs-sign", text: shown }), breaks && "\n"] : shown,
  );
