// The knob under the hand: which setting, and a slider over the values that were tried.

import { fill, h } from "./dom.js";
import { explained } from "./floating.js";
import { termNote } from "./glossary.js";

/** @import { Floating } from "./floating.js" */
/** @import { Control, CurveAnswer, Question, SettingValue } from "./types.js" */

export class LabKnob {
  name = "";
  /** @type {CurveAnswer["values"]} */
  values = [];
  /** @type {number[]} */
  places = [];
  /** @type {Question["value"]} */
  value = null; // none for the form's own

  /**
   * @param {() => void} chosen
   * @param {() => void} moved
   * @param {Floating} floating
   */
  constructor(chosen, moved, floating) {
    this.select = h("select", { class: "rs-select is-small", id: "rs-lab-knob" });
    this.range = h("input", { type: "range", class: "rs-range", min: 0, max: 0, step: 1, id: "rs-lab-value" });
    this.output = h("output", { class: "rs-lab-value", for: "rs-lab-value" });
    const about = h("button", { type: "button", class: "rs-ask", text: "?", "aria-label": "About this knob" });
    this.element = h(
      "div",
      { class: "rs-lab-knob" },
      h("label", { class: "rs-label", for: "rs-lab-knob", text: "Knob" }),
      this.select,
      explained(about, floating, () => this.about()),
      this.range,
      this.output,
    );
    this.select.addEventListener("change", () => {
      this.choose(this.select.value);
      chosen();
    });
    this.onMoved = moved;
    this.range.addEventListener("input", () => this.set(Number(this.range.value)));
    /** @type {Control[]} */
    this.controls = [];
    /** @type {Record<string, SettingValue>} */
    this.settings = {};
  }

  /** What the knob is, where it stands, and where its default is from. */
  about() {
    const knob = this.controls.find(({ name }) => name === this.name);
    const { label = "", help = "", provenance = "", low = null, high = null } = knob ?? {};
    const formula = low === null || high === null ? "" : `${low} to ${high}`;
    return termNote({ name: label, about: help, formula, source: provenance }, this.output.textContent ?? "");
  }

  /** @param {number} by so many values on */
  step(by) {
    this.set(Math.min(this.values.length - 1, Math.max(0, Number(this.range.value) + by)));
  }

  /** @param {number} at place among the values */
  set(at) {
    this.value = this.values[at] ?? null;
    this.show();
    this.onMoved();
  }

  /** What the slider changes of the form. @returns {Record<string, SettingValue>} */
  get moved() {
    return this.value === null ? {} : { [this.name]: this.value };
  }

  /** Where the cursor stands on the axis. @returns {number | null} */
  get place() {
    const at = this.values.findIndex((value) => value === this.current);
    if (at >= 0) return this.places[at];
    return typeof this.current === "number" ? this.current : null;
  }

  /** @returns {SettingValue} the slider's value, else the form's */
  get current() {
    const usual = this.controls.find(({ name }) => name === this.name)?.default;
    return this.value ?? this.settings[this.name] ?? usual ?? null;
  }

  /**
   * @param {Control[]} controls that can be tried
   * @param {Record<string, SettingValue>} settings of the form
   * @param {string} first the one to begin with
   */
  offer(controls, settings, first) {
    this.controls = controls;
    this.settings = settings;
    fill(
      this.select,
      controls.map(({ name, label }) => h("option", { value: name, text: label })),
    );
    const there = controls.some(({ name }) => name === this.name);
    this.choose(there ? this.name : first);
  }

  /** @param {string} name */
  choose(name) {
    if (name !== this.name) Object.assign(this, { values: [], places: [] });
    Object.assign(this, { name, value: null });
    this.select.value = name;
    this.range.setAttribute("aria-label", this.controls.find((knob) => knob.name === name)?.label ?? "Value");
    this.show();
  }

  /**
   * @param {CurveAnswer["values"]} values
   * @param {number[]} places of them on the axis
   */
  know(values, places) {
    Object.assign(this, { values, places });
    this.range.max = String(values.length - 1);
    this.show();
  }

  show() {
    const { values, current } = this;
    const apart = (/** @type {CurveAnswer["values"][number]} */ value, /** @type {number} */ wanted) =>
      Math.abs(Number(value) - wanted);
    const nearest = (/** @type {number} */ wanted) =>
      values.reduce(
        (/** @type {number} */ best, value, i) => (apart(value, wanted) < apart(values[best], wanted) ? i : best),
        0,
      );
    const exact = values.findIndex((value) => value === current);
    const at = exact >= 0 || typeof current !== "number" ? Math.max(0, exact) : nearest(current);
    this.range.value = String(at);
    this.range.style.setProperty("--at", `${values.length > 1 ? (100 * at) / (values.length - 1) : 0}%`);
    const unit = this.controls.find(({ name }) => name === this.name)?.unit ?? "";
    this.output.textContent = `${String(current ?? "–")} ${unit}`.trim();
    this.range.setAttribute("aria-valuetext", this.output.textContent);
  }
}
