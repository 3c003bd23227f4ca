// A method, its preset and its settings: the part of a form that says how to run.

import { fill, h } from "./dom.js";
import { FormState } from "./form_state.js";
import { knobField } from "./knobs.js";

/** @import { Control, FormSchema } from "./types.js" */

export class Configuration {
  /** @type {Record<string, string>} */
  missing = {}; // methods that cannot run here, each with a sentence why

  /**
   * @param {FormSchema} schema
   * @param {string} method
   * @param {string} id begins the ids of its controls
   * @param {() => void} changed
   */
  constructor(schema, method, id, changed) {
    this.form = new FormState(schema, method);
    this.id = id;
    this.changed = changed;
    const { methods } = schema;
    this.method = h("select", { class: "rs-select", id: `${id}-method` });
    fill(
      this.method,
      methods.map((m) => h("option", { value: m.name, text: `${m.title} · ${m.paper}` })),
    );
    this.idea = h("p", { class: "rs-idea" });
    this.reason = h("p", { class: "rs-missing", hidden: true });
    this.preset = h("select", { class: "rs-select", id: `${id}-preset` });
    this.knobs = h("div", { class: "rs-knobs" });
    /**
     * @param {string} text
     * @param {string} of
     */
    const label = (text, of) => h("label", { class: "rs-label", for: `${id}-${of}`, text });
    this.methodField = h("div", { class: "rs-field" }, label("Method", "method"), this.method, this.idea, this.reason);
    this.presetField = h("div", { class: "rs-field" }, label("Preset", "preset"), this.preset);
    this.method.addEventListener("change", () => this.setMethod(this.method.value));
    this.preset.addEventListener("change", () => {
      this.form.startFrom(this.preset.value);
      this.drawKnobs();
      this.changed();
    });
    this.draw();
  }

  /** Whether its method can run here. */
  get runnable() {
    return !this.missing[this.form.name];
  }

  /** @param {Record<string, string>} missing */
  setMissing(missing) {
    this.missing = missing;
    for (const option of this.method.options) {
      const { name, title, paper } = this.form.schema.methods.find((m) => m.name === option.value) ?? this.form.method;
      option.textContent = `${title} · ${paper}` + (missing[name] ? " (not loaded)" : "");
    }
    this.drawMethod();
  }

  /** @param {string} name */
  setMethod(name) {
    this.form.name = name;
    this.draw();
    this.changed();
  }

  /** @param {Record<string, any>} values */
  setValues(values) {
    this.form.values = values;
    this.drawKnobs();
    this.changed();
  }

  draw() {
    this.method.value = this.form.name;
    this.drawMethod();
    this.drawKnobs();
  }

  drawMethod() {
    this.idea.textContent = this.form.method.idea;
    const why = this.missing[this.form.name];
    this.reason.textContent = why ? `Not available here: ${why}` : "";
    this.reason.hidden = !why;
  }

  drawKnobs() {
    const { form, knobs } = this;
    const { title, knobs: own } = form.method;
    const open = new Set([...knobs.querySelectorAll("details[open]")].map((d) => d.getAttribute("data-group")));
    /** @param {Control} knob */
    const field = (knob) => {
      const own = form.own(knob);
      const change = (/** @type {any} */ value) => this.set(knob.name, value);
      return knobField(own, form.values[knob.name], change, (value) => form.origin(own, value), this.id);
    };
    fill(
      knobs,
      own.length > 0 && h("fieldset", { class: "rs-group" }, h("legend", { text: title }), own.map(field)),
      form.schema.groups.map((group) =>
        h(
          "details",
          { class: "rs-group", "data-group": group.id, open: open.has(group.id) },
          h("summary", { text: group.title }),
          group.knobs.map(field),
        ),
      ),
    );
    this.drawPreset();
  }

  /**
   * @param {string} name
   * @param {any} value
   */
  set(name, value) {
    this.form.values[name] = value;
    this.drawPreset();
    this.changed();
  }

  drawPreset() {
    const { presets } = this.form.method,
      agreeing = this.form.preset;
    const options = presets.map((preset) =>
      h("option", { value: preset.name, selected: preset === agreeing, text: `${preset.name}: ${preset.about}` }),
    );
    const own = !agreeing && h("option", { value: "", selected: true, text: "settings of your own" });
    fill(this.preset, options, own);
    this.presetField.hidden = !presets.length;
  }

  /** @returns {Array<[string, string]>} the changed settings as an address has them */
  spelt() {
    const text = (/** @type {any} */ value) => (Array.isArray(value) ? value.join("\n") : String(value));
    return Object.entries(this.form.changed()).map(([name, value]) => [name, text(value)]);
  }
}
