// A question mark that opens what there is to know, beside it; Escape or a press elsewhere closes it.

import { h } from "./dom.js";

/** @import { Child } from "./page.js" */

const GAP = 8;

/**
 * @param {string} id of what it opens
 * @param {string} title
 * @param {Child} content
 */
export function popoverHelp(id, title, content) {
  const button = h("button", {
    type: "button",
    class: "rs-ask",
    text: "?",
    "aria-label": `About ${title}`,
    "aria-expanded": "false",
    popovertarget: id,
  });
  const element = h("div", { class: "rs-pop", id, popover: "auto" }, h("strong", { text: title }), content);
  element.addEventListener("toggle", (event) => {
    const open = /** @type {ToggleEvent} */ (event).newState === "open";
    button.setAttribute("aria-expanded", String(open));
    if (open) stand(element, button.getBoundingClientRect());
  });
  return { button, element };
}

/**
 * @param {HTMLElement} element
 * @param {DOMRect} beside
 */
function stand(element, beside) {
  const { width, height } = element.getBoundingClientRect();
  const left = beside.right + GAP + width < innerWidth ? beside.right + GAP : innerWidth - width - GAP;
  const below = left < beside.right ? beside.bottom + GAP : beside.top - GAP;
  element.style.left = `${Math.max(GAP, left)}px`;
  element.style.top = `${Math.max(GAP, Math.min(below, innerHeight - height - GAP))}px`;
}
