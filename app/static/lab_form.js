// The Lab's form: the one of all pages, of which the prompt is not asked.

import { Configuration } from "./configuration.js";
import { h } from "./dom.js";
import { FormColumn } from "./form_column.js";
import { keepForm, keptForm } from "./form_kept.js";
import { linkButton } from "./link_button.js";

/** @import { Host } from "./page.js" */
/** @import { Control, FormSchema, SettingValue, Wishes } from "./types.js" */

const NOT_REPLAYED = { mark: "not replayed", lead: "Not replayed on this set" };
const FIRST = { switch: "gate" }; // the paper's: under it the entropy threshold acts

export class LabForm {
  /**
   * @param {Host} host
   * @param {HTMLElement} set which texts
   * @param {() => void} changed
   */
  constructor({ props, server }, set, changed) {
    /** @type {FormSchema} */
    this.schema = JSON.parse(props.schema);
    const ask = server && ((/** @type {string} */ asked) => server.outlook(asked));
    const kept = () => {
      changed(); // it may be another entry of the history, which then keeps it
      keepForm(this.wanted);
    };
    this.configuration = new Configuration(this.schema, props.method, "rs-lab", kept, ask);
    const { methodField, presetField, knobs } = this.configuration;
    this.column = new FormColumn("rs-form", "Texts, method and settings");
    const prevent = (/** @type {Event} */ event) => event.preventDefault();
    const label = "Set of prompts, method and settings";
    this.element = h(
      "form",
      { class: "rs-controls", id: "rs-form", "aria-label": label, on: { submit: prevent } },
      this.column.button,
      set,
      methodField,
      presetField,
      knobs,
      h(
        "div",
        { class: "rs-formfoot" },
        this.resetButton(),
        linkButton(() => location.href),
      ),
    );
    this.column.attach(this.element);
  }

  resetButton() {
    const button = h("button", { type: "button", class: "rs-quiet", text: "Reset settings" });
    button.addEventListener("click", () => this.setValues({}));
    return button;
  }

  /** Method and changed settings. */
  get wanted() {
    const { form } = this.configuration;
    return { method: form.name, settings: form.changed() };
  }

  /** Method and changed settings, as an address has them. */
  get spelt() {
    return { method: this.configuration.form.name, settings: this.configuration.spelt() };
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

  /** @param {Record<string, SettingValue>} values */
  setValues(values) {
    this.configuration.setValues({ ...values });
  }

  /** @param {Record<string, string>} missing methods that this set cannot replay, each with the reason */
  setMissing(missing) {
    this.configuration.setMissing(missing, NOT_REPLAYED);
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
