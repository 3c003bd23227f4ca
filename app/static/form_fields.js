// The form's elements: what stands where. What they do is in controls.js.

import { fill, h } from "./dom.js";

/** @import { FormSchema } from "./types.js" */

const WIDE = "(min-width: 901px)";

/** @typedef {ReturnType<typeof formFields>} Fields */

/** Every element of the form, by what it is for. */
export function formFields() {
  return {
    example: h("select", {
      class: "rs-select",
      id: "rs-example",
      "aria-label": "Example prompts",
    }),
    prompt: h("textarea", {
      class: "rs-textarea",
      id: "rs-prompt",
      rows: 9,
      spellcheck: "false",
      placeholder: "Write something, or pick an example.",
      "aria-label": "Prompt",
    }),
    method: h("select", { class: "rs-select", id: "rs-method" }),
    idea: h("p", { class: "rs-idea" }),
    reason: h("p", { class: "rs-missing", hidden: true }),
    preset: h("select", { class: "rs-select", id: "rs-preset" }),
    presetField: h("div", { class: "rs-field" }),
    run: h("button", { type: "button", class: "rs-button is-primary", id: "rs-run", text: "Run" }),
    stop: h("button", { type: "button", class: "rs-button", id: "rs-stop", text: "Stop", disabled: true }),
    plain: h("input", { type: "checkbox", id: "rs-plain" }),
    message: h("p", { class: "rs-form-message", role: "status", "aria-live": "polite", hidden: true }),
    knobs: h("div", { class: "rs-knobs" }),
    reset: h("button", { type: "button", class: "rs-quiet", text: "Reset settings" }),
    link: h("button", { type: "button", class: "rs-quiet", text: "Copy link" }),
  };
}

/** @param {Fields} fields */
export function formOf(fields) {
  /**
   * @param {string} text
   * @param {string} id
   */
  const label = (text, id) => h("label", { class: "rs-label", for: id, text });
  fill(fields.presetField, label("Preset", "rs-preset"), fields.preset);
  return h(
    "form",
    {
      class: "rs-controls",
      "aria-label": "Run settings",
      on: { submit: (/** @type {Event} */ event) => event.preventDefault() },
    },
    h("div", { class: "rs-field" }, label("Prompt", "rs-prompt"), fields.example, fields.prompt),
    h("div", { class: "rs-field" }, label("Method", "rs-method"), fields.method, fields.idea, fields.reason),
    fields.presetField,
    h("div", { class: "rs-runrow" }, fields.run, fields.stop),
    h("label", { class: "rs-check" }, fields.plain, h("span", { text: "time it against plain decoding afterwards" })),
    fields.message,
    h(
      "details",
      { class: "rs-settings", open: matchMedia(WIDE).matches },
      h("summary", { text: "Settings" }),
      fields.knobs,
    ),
    h("div", { class: "rs-formfoot" }, fields.reset, fields.link),
  );
}

/**
 * @param {Fields} fields
 * @param {FormSchema} schema
 */
export function fillChoices({ example, method }, { examples, methods }) {
  const kinds = [...new Set(examples.map(({ kind }) => kind))];
  fill(
    example,
    h("option", { value: "", text: "Examples …" }),
    kinds.map((kind) => {
      const found = examples.filter((e) => e.kind === kind);
      return h(
        "optgroup",
        { label: kind },
        found.map((e) => h("option", { value: e.id, text: e.title })),
      );
    }),
  );
  fill(
    method,
    methods.map((m) => h("option", { value: m.name, text: `${m.title} · ${m.paper}` })),
  );
}
