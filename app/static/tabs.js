// The panels that share one place: a tab each, one in the tab order, arrows between them.

import { h } from "./dom.js";

/** @typedef {[id: string, label: string]} Tab */

export class Tabs {
  picked = "";

  /**
   * @param {Tab[]} tabs
   * @param {(id: string) => void} onPick
   * @param {(id: string) => void} onAsked the reader has picked it
   */
  constructor(tabs, onPick, onAsked) {
    this.onPick = onPick;
    this.onAsked = onAsked;
    const buttons = tabs.map(([id, text]) =>
      h("button", { type: "button", role: "tab", "data-tab": id, text, on: { click: () => this.ask(id) } }),
    );
    this.element = h("div", { class: "rs-tabs", role: "tablist", "aria-label": "Panels" }, buttons);
    this.buttons = buttons;
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {string} id */
  ask(id) {
    this.pick(id);
    this.onAsked(id);
  }

  /** @param {string} id */
  pick(id) {
    this.picked = id;
    for (const button of this.buttons) {
      const chosen = button.dataset.tab === id;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    this.onPick(id);
  }

  /**
   * @param {string} id
   * @param {boolean} present whether it has anything to show
   * @returns {boolean} whether what was picked is gone
   */
  setPresent(id, present) {
    const button = this.buttons.find((one) => one.dataset.tab === id);
    if (button) button.hidden = !present;
    return Boolean(button) && !present && this.picked === id;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const seen = this.buttons.filter((button) => button.offsetParent !== null);
    const at = seen.findIndex((button) => button === event.target);
    if (!by || at < 0) return;
    const next = seen[(at + by + seen.length) % seen.length];
    next.focus();
    this.ask(String(next.dataset.tab));
    event.preventDefault();
    event.stopPropagation();
  }
}
