// The words of a lesson as elements. They arrive as records, so that nothing in them can be markup.

import { h } from "./dom.js";
import { Floating } from "./floating.js";
import { termWord } from "./glossary.js";

/** @import { Child } from "./page.js" */
/** @import { Prose, Term, Words } from "./types.js" */

/** @type {Floating | null} */
let floating = null;

/**
 * @param {string} text
 * @param {Term} term
 */
function termElement(text, term) {
  floating ??= new Floating();
  return termWord(text, term, floating);
}

/** @param {Prose} prose */
export function proseElement({ kind, lines }) {
  if (kind === "heading") return h("h3", {}, lines[0].map(inline));
  if (kind === "paragraph") return h("p", {}, lines[0].map(inline));
  const items = lines.map((line) => h("li", {}, line.map(inline)));
  return kind === "numbered" ? h("ol", {}, items) : h("ul", {}, items);
}

/**
 * @param {Words} words
 * @returns {Child}
 */
function inline({ text, style, href, term }) {
  if (term) return termElement(text, term);
  if (href) return h("a", { href, text, ...(href.startsWith("https:") && { target: "_blank", rel: "noopener" }) });
  return style === "plain" ? text : h(style, { text });
}
