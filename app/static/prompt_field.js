// The prompt: an example, or what the reader writes.

import { fill, h } from "./dom.js";

/** @import { FormSchema } from "./types.js" */

const LINK_MAX_PROMPT = 2000; // characters

export class PromptField {
  /**
   * @param {FormSchema["examples"]} examples
   * @param {() => void} run
   */
  constructor(examples, run) {
    this.examples = examples;
    this.example = h("select", { class: "rs-select", id: "rs-example", "aria-label": "Example prompts" });
    this.prompt = h("textarea", {
      class: "rs-textarea",
      id: "rs-prompt",
      rows: 7,
      spellcheck: "false",
      placeholder: "Write something, or pick an example.",
      "aria-label": "Prompt",
    });
    const label = h("label", { class: "rs-label", for: "rs-prompt", text: "Prompt" });
    this.element = h("div", { class: "rs-field" }, label, this.example, this.prompt);
    this.fillExamples();
    this.example.addEventListener("change", () => this.pick(this.example.value));
    this.prompt.addEventListener("input", () => (this.example.value = ""));
    this.prompt.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      run();
    });
  }

  fillExamples() {
    const kinds = [...new Set(this.examples.map(({ kind }) => kind))];
    fill(
      this.example,
      h("option", { value: "", text: "Examples …" }),
      kinds.map((kind) => {
        const found = this.examples.filter((e) => e.kind === kind);
        return h(
          "optgroup",
          { label: kind },
          found.map((e) => h("option", { value: e.id, text: e.title })),
        );
      }),
    );
  }

  /** @param {string} id */
  pick(id) {
    const example = this.examples.find((e) => e.id === id);
    if (example) this.prompt.value = example.prompt;
  }

  /** @param {{ example: string, prompt: string }} wishes */
  take({ example, prompt }) {
    if (prompt) this.prompt.value = prompt;
    this.example.value = example;
  }

  /** What `take` brings back. */
  get held() {
    return { example: this.example.value, prompt: this.prompt.value };
  }

  get value() {
    return this.prompt.value;
  }

  /** @returns {Array<[string, string]>} as an address has it; a long prompt does not fit into one */
  spelt() {
    if (this.example.value) return [["example", this.example.value]];
    return this.value && this.value.length <= LINK_MAX_PROMPT ? [["prompt", this.value]] : [];
  }
}
