// The recorded runs that come with the page, by method and by kind of prompt.

import { fill, h } from "./dom.js";

/** @import { GalleryLine } from "./types.js" */

const ALL = "";

export class Gallery {
  /**
   * @param {GalleryLine[]} lines
   * @param {(name: string) => void} pick
   */
  constructor(lines, pick) {
    this.lines = lines;
    this.pick = pick;
    this.method = choice(
      "Method",
      "every method",
      lines.map(({ method }) => method),
      () => this.draw(),
    );
    this.kind = choice(
      "Kind of prompt",
      "every kind",
      lines.map(({ kind }) => kind),
      () => this.draw(),
    );
    this.count = h("p", { class: "rs-shelf-note", role: "status", "aria-live": "polite" });
    this.list = h("ul", { class: "rs-shelf-rows" });
    const close = h("button", { type: "button", class: "rs-quiet", text: "Close" });
    this.dialog = h(
      "dialog",
      { class: "rs rs-shelf rs-gallery", "aria-label": "Recorded runs" },
      h("header", {}, h("h2", { text: "Recorded runs" }), close),
      h("div", { class: "rs-gallery-filters" }, this.method.label, this.kind.label),
      this.count,
      this.list,
    );
    this.button = h("button", {
      type: "button",
      class: "rs-quiet",
      "aria-haspopup": "dialog",
      title: "Runs of every method that come with the page",
      text: "Recorded runs",
      hidden: !lines.length,
      on: { click: () => this.show() },
    });
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  show() {
    if (!this.dialog.isConnected) document.body.append(this.dialog);
    this.draw();
    this.dialog.showModal();
  }

  draw() {
    const [method, kind] = [this.method.select.value, this.kind.select.value];
    const found = this.lines.filter(
      (line) => (method === ALL || line.method === method) && (kind === ALL || line.kind === kind),
    );
    this.count.textContent = `${found.length} of ${this.lines.length} runs, each recorded beside plain decoding.`;
    fill(
      this.list,
      found.map((line) => this.item(line)),
    );
  }

  /** @param {GalleryLine} line */
  item({ name, title, method, kind, tokens, per_pass, speed, lossy }) {
    const open = h(
      "button",
      { type: "button", class: "rs-shelf-run", "data-recording": name, on: { click: () => this.open(name) } },
      h("strong", { text: title }),
      h("span", { class: "rs-shelf-setup", text: [method, kind, lossy && "lossy"].filter(Boolean).join(" · ") }),
      h("span", { class: "rs-shelf-numbers", text: `${tokens} tokens, ${per_pass.toFixed(2)} a pass · ${speed}` }),
    );
    return h("li", {}, open);
  }

  /** @param {string} name */
  open(name) {
    this.dialog.close();
    this.pick(name);
  }
}

/**
 * @param {string} title
 * @param {string} everything
 * @param {string[]} values
 * @param {() => void} changed
 */
function choice(title, everything, values, changed) {
  const select = h("select", { class: "rs-select is-small", on: { change: changed } });
  const options = [...new Set(values)].map((value) => h("option", { value, text: value }));
  fill(select, h("option", { value: ALL, text: everything }), options);
  return { select, label: h("label", {}, h("span", { class: "rs-label", text: title }), select) };
}
