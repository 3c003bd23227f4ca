// Words that explain themselves on hover, focus and tap: what they mean, the formula, the numbers at hand, the source.

import { fill, h } from "./dom.js";
import { explained } from "./floating.js";

/** @import { Floating } from "./floating.js" */
/** @import { Glossary as Listed, Term } from "./types.js" */

/** @typedef {() => string} Here the numbers of what is selected, if there are any */

/** @returns {string} */
const NOTHING = () => "";

export class Glossary {
  /**
   * @param {string | undefined} listed JSON text; a page that was saved by an older version has none
   * @param {Floating} floating
   */
  constructor(listed, floating) {
    /** @type {Listed} */
    const { terms, panels } = JSON.parse(listed || '{"terms":{},"panels":{}}');
    this.terms = terms;
    this.panels = panels;
    this.floating = floating;
  }

  /**
   * @param {string} text
   * @param {string} name of the term, as it is spelt in sentences
   * @param {Here} [here]
   * @returns {HTMLElement} the text alone where the word is not known
   */
  word(text, name, here = NOTHING) {
    const term = this.terms[name.replaceAll(" ", "-")];
    return term ? termWord(text, term, this.floating, here) : h("span", { text });
  }

  /**
   * The titles of panels become words.
   *
   * @param {HTMLElement} page
   * @param {(panel: string, element: HTMLElement) => string} here
   */
  title(page, here) {
    for (const panel of /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll("[data-panel]"))) {
      const id = panel.dataset.panel ?? "";
      const heading = panel.querySelector("header h2");
      const name = this.panels[id];
      if (heading && name)
        fill(
          heading,
          this.word(heading.textContent ?? "", name, () => here(id, panel)),
        );
    }
  }
}

/**
 * @param {string} text
 * @param {Term} term
 * @param {Floating} floating
 * @param {Here} [here]
 */
export function termWord(text, term, floating, here = NOTHING) {
  const button = h("button", { type: "button", class: "rs-term", text, "aria-description": term.about });
  return explained(button, floating, () => termNote(term, here()));
}

/**
 * @param {Term} term
 * @param {string} numbers
 */
export function termNote({ name, about, formula, source }, numbers) {
  return h(
    "div",
    { class: "rs-note" },
    h("strong", { text: name }),
    h("p", { text: about }),
    formula && h("p", { class: "rs-formula", text: formula }),
    numbers && h("p", { class: "rs-here", text: `Here: ${numbers}` }),
    h("p", { class: "rs-source", text: source }),
  );
}
