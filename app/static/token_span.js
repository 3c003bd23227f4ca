// One token as an element: what it says, and of the output what became of it.

import { asRead } from "./as_read.js";
import { fill, h } from "./dom.js";
import { grouped } from "./pieces.js";
import { visible } from "./signs.js";
import { ENTROPY_DOMAIN, entropyColor } from "./scales.js";
import { OUTCOMES } from "./vocabulary.js";

/** @import { Token } from "./types.js" */

/** @type {Partial<Record<Token["outcome"], string>>} */
const GLYPHS = { correction: "↻", bonus: "+", relaxed_accept: "≈", fly_accept: "≈" };

/** @typedef {Pick<Token, "text" | "piece" | "outcome" | "source" | "p" | "entropy" | "round">} Shown */

/** @param {{ source: string }} token the first of its sources, by which it is coloured */
export const firstSource = (token) => (token.source || "target").split("+")[0];

/**
 * @param {Shown} token
 * @param {number} index
 * @param {{ first: boolean, completes: boolean }} place first of its round; the last bytes of a character
 */
export function tokenSpan(token, index, { first, completes }) {
  const source = firstSource(token);
  const hidden = !token.text || completes; // a special token, or a part of a character
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
  fill(
    span,
    glyph && h("span", { class: "rs-glyph", "aria-hidden": "true", text: glyph }),
    hidden ? token.piece : asRead(token.text),
  );
  return span;
}

/**
 * Tokens that are only read: of a prompt, of an excerpt.
 *
 * @param {string[]} pieces
 * @returns {{ parts: HTMLElement[], spans: HTMLElement[] }} what stands on the page, and in it a span a token
 */
export function readSpans(pieces) {
  /** @type {HTMLElement[]} */
  const all = [];
  const parts = grouped(pieces).map(({ pieces: own, text }) => {
    const spans = own.map((piece) =>
      h("span", { class: `rs-read${own.length > 1 ? " is-raw" : ""}` }, own.length > 1 ? piece : asRead(text)),
    );
    all.push(...spans);
    return own.length > 1 ? characterSpan(text, spans) : spans[0];
  });
  return { parts, spans: all };
}

/** Byte tokens wait for the one that completes their character, and then stand under it. */
export class Characters {
  /** @type {HTMLElement[]} */
  waiting = [];

  /**
   * @param {Pick<Token, "text" | "special">} token
   * @param {HTMLElement} span in its place on the page
   */
  add(token, span) {
    this.waiting = token.special ? [] : [...this.waiting, span];
    if (token.special || !token.text) return;
    const spans = this.waiting;
    this.waiting = [];
    if (spans.length < 2) return;
    const place = document.createComment("");
    spans[0].before(place);
    place.replaceWith(characterSpan(token.text, spans));
  }
}

/**
 * Tokens that are the bytes of one character, under it; each keeps its own marks.
 *
 * @param {string} glyph
 * @param {HTMLElement[]} spans
 */
const characterSpan = (glyph, spans) =>
  h(
    "span",
    { class: "rs-character", role: "presentation" },
    h("bdi", { class: "rs-character-glyph", "aria-hidden": "true" }, asRead(glyph)),
    h("span", { class: "rs-character-bytes", role: "presentation" }, spans),
  );
