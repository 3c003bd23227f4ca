// One token of the output as an element: what it says, and what became of it.

import { h, visible } from "./dom.js";
import { ENTROPY_DOMAIN, entropyColor } from "./scales.js";
import { OUTCOMES } from "./vocabulary.js";

/** @import { Token } from "./types.js" */

/** @type {Partial<Record<Token["outcome"], string>>} */
const GLYPHS = { correction: "↻", bonus: "+", relaxed_accept: "≈" };

/** @param {Token} token the first of its sources, by which it is coloured */
export const firstSource = (token) => (token.source || "target").split("+")[0];

/**
 * @param {Token} token
 * @param {number} index
 * @param {boolean} first of its round
 */
export function tokenSpan(token, index, first) {
  const source = firstSource(token);
  const hidden = !token.text; // a special token, or a part of a character
  const marks = (hidden ? " is-raw" : "") + (first ? " is-first" : "");
  const span = h("span", {
    class: `rs-token rs-out-${token.outcome} rs-src-${source}${marks}`,
    role: "listitem",
    tabindex: "-1",
    "data-index": index,
    "data-round": token.round,
    "data-outcome": token.outcome,
    "data-source": source,
    "aria-label": `${visible(token.piece)}, ${OUTCOMES[token.outcome].name}, probability ${token.p.toFixed(2)}`,
    style: {
      "--fill-h": `${Math.min(100, (100 * token.entropy) / ENTROPY_DOMAIN[1]).toFixed(0)}%`,
      "--fill-c": entropyColor(token.entropy),
      "--fill-p": `${(100 * token.p).toFixed(0)}%`,
    },
  });
  const glyph = GLYPHS[token.outcome];
  if (glyph) span.append(h("span", { class: "rs-glyph", "aria-hidden": "true", text: glyph }));
  const breaks = /^([^\n]*)(\n+)([^]*)$/.exec(token.text); // a line break is shown as a mark, then made
  if (breaks)
    span.append(breaks[1], h("span", { class: "rs-break", "aria-hidden": "true", text: "↵" }), breaks[2], breaks[3]);
  else span.append(token.text || token.piece);
  return span;
}
