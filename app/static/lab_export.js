// The settings as lines to copy: for the studio and for serving engines.

import { fill, h } from "./dom.js";

/** @import { Copied, ExportAnswer } from "./types.js" */

const SAID_MS = 2500;

export class LabExport {
  /** @type {Copied[]} */
  lines = [];

  /** @param {() => Promise<ExportAnswer | null>} ask */
  constructor(ask) {
    this.ask = ask;
    this.select = h("select", { class: "rs-select is-small", id: "rs-lab-as", "aria-label": "Copy as" });
    this.text = h("pre", { class: "rs-lab-line", tabindex: "0", role: "region", "aria-label": "Line to copy" });
    this.notes = h("p", { class: "rs-panel-hint rs-lab-notes" });
    this.copy = h("button", { type: "button", class: "rs-button", text: "Copy" });
    const body = h("div", {}, h("div", { class: "rs-lab-asked" }, this.select, this.copy), this.text, this.notes);
    this.element = h("details", { class: "rs-panel rs-lab-export" }, h("summary", { text: "Copy as …" }), body);
    this.element.addEventListener("toggle", () => void this.draw());
    this.select.addEventListener("change", () => this.show());
    this.copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(this.line?.text ?? "").then(
        () => (this.copy.textContent = "Copied"),
        () => (this.copy.textContent = "Not copied: mark the text"),
      );
      setTimeout(() => (this.copy.textContent = "Copy"), SAID_MS);
    });
  }

  get line() {
    return this.lines.find(({ name }) => name === this.select.value);
  }

  /** Anew, while it is open. */
  async draw() {
    if (!this.element.open) return;
    const found = await this.ask();
    if (!found) return;
    const picked = this.select.value;
    this.lines = found.lines;
    fill(
      this.select,
      found.lines.map(({ name }) => h("option", { value: name, text: name, selected: name === picked })),
    );
    this.show();
  }

  show() {
    const { text = "", notes = [] } = this.line ?? {};
    this.text.textContent = text;
    this.text.hidden = !text;
    this.copy.disabled = !text;
    this.notes.textContent = notes.join(" ");
  }
}
