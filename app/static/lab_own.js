// Which set of texts: the recorded one that comes with the page, or prompts of one's own.

import { h } from "./dom.js";

export const SHIPPED = "shipped";
const MOST_BYTES = 400_000;

export class LabOwn {
  /**
   * @param {{ choose: () => void, record: (asked: { text: string, tokens: number }) => void,
   *   say: (text: string, bad?: boolean) => void }} acts
   */
  constructor(acts) {
    this.acts = acts;
    this.select = h("select", { class: "rs-select", id: "rs-lab-set" });
    this.offer(SHIPPED, "Six kinds of prompts, recorded");
    this.text = h("textarea", {
      class: "rs-textarea",
      id: "rs-lab-prompts",
      rows: 5,
      spellcheck: "false",
      placeholder: "One prompt a line, or with a line of --- between two; or lines of Spec-Bench's JSON.",
    });
    this.file = h("input", { type: "file", id: "rs-lab-file", accept: ".txt,.jsonl,text/plain", class: "rs-lab-file" });
    this.tokens = h("input", { type: "number", class: "rs-number", id: "rs-lab-tokens", min: 8, max: 128, value: 64 });
    this.record = h("button", { type: "button", class: "rs-button", text: "Record them" });
    const own = h(
      "details",
      { class: "rs-lab-own" },
      h("summary", { text: "Own prompts" }),
      h("label", { class: "rs-label", for: "rs-lab-prompts", text: "Prompts" }),
      this.text,
      h("label", { class: "rs-label", for: "rs-lab-file", text: "or a file" }),
      this.file,
      h("label", { class: "rs-label", for: "rs-lab-tokens", text: "Tokens to write for each" }),
      this.tokens,
      this.record,
    );
    const label = h("label", { class: "rs-label", for: "rs-lab-set", text: "Set of texts" });
    this.element = h("div", { class: "rs-lab-set" }, label, this.select, own);
    this.select.addEventListener("change", () => acts.choose());
    this.file.addEventListener("change", () => void this.read());
    this.record.addEventListener("click", () =>
      acts.record({ text: this.text.value, tokens: Math.round(Number(this.tokens.value)) }),
    );
  }

  get value() {
    return this.select.value;
  }

  /**
   * @param {string} name
   * @param {string} title
   */
  offer(name, title) {
    this.select.append(h("option", { value: name, text: title }));
    this.select.value = name;
  }

  /** A file's text, to be looked over before it is recorded. */
  async read() {
    const file = this.file.files?.[0];
    this.file.value = "";
    if (!file) return;
    if (file.size > MOST_BYTES) return this.acts.say(`This page takes files of up to ${MOST_BYTES / 1000} kB.`, true);
    this.text.value = await file.text();
  }

  /** @param {boolean} busy */
  setBusy(busy) {
    this.record.disabled = busy;
  }
}
