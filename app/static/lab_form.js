// The Lab's form: the one of all pages, of which the prompt is not asked.

import { Configuration } from "./configuration.js";
import { h } from "./dom.js";
import { keepForm, keptForm } from "./form_kept.js";

/** @import { Control, FormSchema, Wishes } from "./types.js" */

const FIRST = { switch: "gate" }; // the paper's: under it the entropy threshold acts

export class LabForm {
  /**
   * @param {FormSchema} schema
   * @param {string} method
   * @param {HTMLElement} set which texts
   * @param {() => void} changed
   */
  constructor(schema, method, set, changed) {
    this.schema = schema;
    this.configuration = new Configuration(schema, method, "rs-lab", () => {
      keepForm(this.wanted);
      changed();
    });
    const { methodField, presetField, knobs } = this.configuration;
    const settings = h("details", { class: "rs-lane-settings" }, h("summary", { text: "Settings" }), knobs);
    const prevent = (/** @type {Event} */ event) => event.preventDefault();
    const label = "Set of prompts, method and settings";
    this.element = h(
      "form",
      { class: "rs-controls", "aria-label": label, on: { submit: prevent } },
      set,
      methodField,
      presetField,
      settings,
    );
  }

  /** Method and changed settings. */
  get wanted() {
    const { form } = this.configuration;
    return { method: form.name, settings: form.changed() };
  }

  /** @param {Wishes} wishes of the address */
  take(wishes) {
    const held = keptForm(wishes.asked);
    const first = this.configuration.form.name;
    const { method, settings } = held ?? (wishes.asked ? wishes : { method: first, settings: FIRST });
    this.configuration.form.name = this.schema.methods.some(({ name }) => name === method) ? method : first;
    this.configuration.form.values = { ...settings };
    this.configuration.draw();
  }

  /** @param {Record<string, any>} values */
  setValues(values) {
    this.configuration.form.values = { ...values };
    this.configuration.drawKnobs();
  }

  /** @param {Record<string, string>} missing methods that this set cannot replay, each with the reason */
  setMissing(missing) {
    this.configuration.setMissing(missing);
  }

  /**
   * @param {string[]} names
   * @returns {Control[]} in this order
   */
  controls(names) {
    const { controls } = this.configuration.form;
    return names.flatMap((name) => controls.find((knob) => knob.name === name) ?? []);
  }
}
