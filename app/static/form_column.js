// The form beside what the page shows: it folds to a strip, which this browser remembers; on a phone it is a sheet from
// below, of which the strip with Run stays.

import { h, icon } from "./dom.js";
import { keep, kept } from "./keeping.js";

const NAME = "column";
const PHONE = matchMedia("(max-width: 700px)");

export class FormColumn {
  /**
   * @param {string} id of the form
   * @param {string} [what] is in it
   */
  constructor(id, what = "Prompt and settings") {
    const text = h("span", { text: what });
    this.button = h("button", {
      type: "button",
      class: "rs-fold",
      "aria-controls": id,
      title: "Fold or unfold the form",
    });
    this.button.append(icon("previous"), text);
    this.button.addEventListener("click", () => this.set(!this.open));
  }

  /** @param {HTMLElement} form that has the button first */
  attach(form) {
    this.form = form;
    PHONE.addEventListener("change", () => this.start());
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !PHONE.matches || form.querySelector(":popover-open")) return;
      this.set(false);
      this.button.focus();
    });
    this.start();
  }

  start() {
    this.set(PHONE.matches ? false : (kept(NAME) ?? true));
  }

  get open() {
    return this.button.getAttribute("aria-expanded") === "true";
  }

  /** @param {boolean} open */
  set(open) {
    this.form?.classList.toggle("is-folded", !open);
    this.button.setAttribute("aria-expanded", String(open));
    if (!PHONE.matches) keep(NAME, open);
  }

  /** Something is under way: on a phone it is behind the sheet. */
  makeWay() {
    if (PHONE.matches) this.set(false);
  }
}
