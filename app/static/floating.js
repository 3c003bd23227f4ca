// One floating card for hover and focus, kept inside the window.

import { fill, h } from "./dom.js";

/** @import { Rect } from "./page.js" */

export class Floating {
  constructor() {
    this.element = h("div", { class: "rs rs-float", role: "tooltip", hidden: true });
    document.body.append(this.element);
  }

  /**
   * @param {HTMLElement | null | undefined | false | ""} content
   * @param {Rect} rect
   */
  show(content, rect) {
    if (!content) return this.hide();
    fill(this.element, content);
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    const below = rect.bottom + 8 + height < innerHeight;
    const left = Math.min(innerWidth - width - 8, Math.max(8, rect.left + rect.width / 2 - width / 2));
    const top = below ? rect.bottom + 8 : Math.max(8, rect.top - height - 8);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}

/**
 * @param {string} title
 * @param {string} text
 */
const note = (title, text) => h("div", { class: "rs-note" }, h("strong", { text: title }), h("p", { text }));

/**
 * Explains an element on hover, focus and tap.
 *
 * @template {HTMLElement} E
 * @param {E} element
 * @param {Floating} floating
 * @param {string} title
 * @param {string} text
 */
export function explain(element, floating, title, text) {
  return explained(element, floating, () => note(title, text));
}

/**
 * The same with whatever there is to say at that moment.
 *
 * @template {HTMLElement} E
 * @param {E} element
 * @param {Floating} floating
 * @param {() => HTMLElement} content
 */
export function explained(element, floating, content) {
  const show = () => floating.show(content(), element.getBoundingClientRect());
  element.addEventListener("pointerenter", show);
  element.addEventListener("focus", show);
  element.addEventListener("click", show);
  element.addEventListener("pointerleave", () => floating.hide());
  element.addEventListener("blur", () => floating.hide());
  return element;
}
