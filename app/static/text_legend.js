// What the colours of the text mean, of what there is in it.

import { h } from "./dom.js";
import { ENTROPY_DOMAIN } from "./scales.js";
import { OUTCOMES, SOURCES } from "./vocabulary.js";

/** @import { Overlay, Word } from "./vocabulary.js" */

/**
 * @param {Overlay} overlay
 * @param {{ outcome: Set<string>, source: Set<string> }} found among the tokens
 */
export function legendOf(overlay, found) {
  switch (overlay) {
    case "entropy":
      return ramp("rs-ramp-entropy", `${ENTROPY_DOMAIN[0]}`, `${ENTROPY_DOMAIN[1]} nats`);
    case "probability":
      return ramp("rs-ramp-p", "0 %", "100 %");
    case "source":
      return keys("rs-src", SOURCES, found.source);
    default:
      return keys("rs-out", OUTCOMES, found.outcome);
  }
}

/**
 * @param {string} style
 * @param {Record<string, Word>} words
 * @param {Set<string>} present
 */
const keys = (style, words, present) =>
  Object.entries(words)
    .filter(([name]) => present.has(name))
    .map(([name, { glyph, name: text, about }]) =>
      h("span", { class: `rs-key ${style}-${name}`, title: about, text: `${glyph} ${text}` }),
    );

/**
 * @param {string} style
 * @param {string} low
 * @param {string} high
 */
const ramp = (style, low, high) =>
  h("span", { class: "rs-ramp" }, low, h("span", { class: `rs-ramp-bar ${style}` }), high);
