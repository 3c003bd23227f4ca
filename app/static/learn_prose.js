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
 * @param {(term: string) => string} [here]
 */
function termElement(text, term, here) {
  floating ??= new Floating();
  return termWord(text, term, floating, () => here?.(term.name) ?? "");
}

/**
 * @param {Prose} prose
 * @param {(term: string) => string} [here] the numbers at hand for a word of the glossary
 */
export function proseElement({ kind, lines }, here) {
  /** @param {Words[]} line */
  const told = (line) => line.map((words) => inline(words, here));
  if (kind === "heading") return h("h3", {}, told(lines[0]));
  if (kind === "paragraph") return h("p", {}, told(lines[0]));
  const items = lines.map((line) => h("li", {}, told(line)));
  return kind === "numbered" ? h("ol", {}, items) : h("ul", {}, items);
}

/**
 * @param {Words} words
 * @param {(term: string) => string} [here]
 * @returns {Child}
 */
export function inline({ text, style, href, term }, here) {
  if (term) return termElement(text, term, here);
  if (href) return h("a", { href, text, ...(href.startsWith("https:") && { target: "_blank", rel: "noopener" }) });
  return style === "plain" ? text : h(style, { text });
}
