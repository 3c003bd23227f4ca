// A method, its preset and its settings: the part of a form that says how to run.

import { fill, h } from "./dom.js";
import { FormState, MINE } from "./form_state.js";
import { keep, kept } from "./keeping.js";
import { knobField } from "./knobs.js";
import { Outlook } from "./outlook.js";

/** @import { Control, FormSchema, OutlookView, SettingValue } from "./types.js" */
/** @import { Ask } from "./outlook.js" */

const NOT_LOADED = { mark: "not loaded", lead: "Not available here" };
const keptAs = (/** @type {string} */ method) => `${MINE}:${method}`;

/**
 * What browsers do by themselves in a number only: a choice, and lines with Ctrl.
 *
 * @param {KeyboardEvent} event Enter in a setting
 */
const runs = ({ target, ctrlKey, metaKey }) =>
  target instanceof HTMLSelectElement || (target instanceof HTMLTextAreaElement && (ctrlKey || metaKey));

export class Configuration {
  /** @type {Record<string, string>} */
  missing = {}; // methods that cannot run here, each with a sentence why
  said = NOT_LOADED;
  moreOpen = false;

  /**
   * @param {FormSchema} schema
   * @param {string} method
   * @param {string} id begins the ids of its controls
   * @param {() => void} changed
   * @param {Ask} [ask] the server what settings lead to; without it nothing is said of that
   */
  constructor(schema, method, id, changed, ask) {
    this.form = new FormState(schema, method, (name) => kept(keptAs(name)));
    this.id = id;
    this.changed = changed;
    this.outlook = ask ? new Outlook(ask, (view) => this.see(view)) : null;
    const { methods } = schema;
    this.method = h("select", { class: "rs-select", id: `${id}-method` });
    fill(
      this.method,
      methods.map((m) => h("option", { value: m.name, text: `${m.title} · ${m.paper}` })),
    );
    this.idea = h("p", { class: "rs-idea" });
    this.reason = h("p", { class: "rs-missing", hidden: true });
    this.preset = h("select", { class: "rs-select", id: `${id}-preset` });
    this.mine = h("button", { type: "button", class: "rs-quiet rs-mine", text: "Keep as mine" });
    this.mine.title = "Keep these settings in this browser, as this method's preset “mine”";
    this.knobs = h("div", { class: "rs-knobs" });
    /**
     * @param {string} text
     * @param {string} of
     */
    const label = (text, of) => h("label", { class: "rs-label", for: `${id}-${of}`, text });
    const presetHead = h("div", { class: "rs-field-head" }, label("Preset", "preset"), this.mine);
    this.methodField = h("div", { class: "rs-field" }, label("Method", "method"), this.method, this.idea, this.reason);
    this.presetField = h("div", { class: "rs-field" }, presetHead, this.preset);
    this.listen();
    this.draw();
  }

  listen() {
    this.method.addEventListener("change", () => this.setMethod(this.method.value));
    this.preset.addEventListener("change", () => {
      this.form.startFrom(this.preset.value);
      this.drawKnobs();
      this.changed();
    });
    this.knobs.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !runs(event)) return;
      event.preventDefault();
      this.knobs.closest("form")?.requestSubmit();
    });
    this.mine.addEventListener("click", () => {
      keep(keptAs(this.form.name), this.form.keepable());
      this.form.picked = MINE;
      this.drawKnobs();
      this.preset.focus();
    });
  }

  /** Whether its method can run here. */
  get runnable() {
    return !this.missing[this.form.name];
  }

  /**
   * @param {Record<string, string>} missing
   * @param {{ mark: string, lead: string }} [said] what is said of these methods, and before the reason
   */
  setMissing(missing, said = NOT_LOADED) {
    Object.assign(this, { missing, said });
    for (const option of this.method.options) {
      const { name, title, paper } = this.form.schema.methods.find((m) => m.name === option.value) ?? this.form.method;
      option.textContent = `${title} · ${paper}` + (missing[name] ? ` (${said.mark})` : "");
    }
    this.drawMethod();
  }

  /** @param {string} name */
  setMethod(name) {
    this.form.name = name;
    this.form.picked = "";
    this.draw();
    this.changed();
  }

  /** @param {Record<string, SettingValue>} values */
  setValues(values) {
    this.form.values = values;
    this.form.picked = "";
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
    this.reason.textContent = why ? `${this.said.lead}: ${why}` : "";
    this.reason.hidden = !why;
  }

  drawKnobs() {
    const { knobs, groups, all } = this.sorted();
    const open = new Set([...this.knobs.querySelectorAll("details[open]")].map((d) => d.getAttribute("data-group")));
    const group = (/** @type {string} */ id, /** @type {string} */ title, /** @type {Control[]} */ own) =>
      own.length > 0 &&
      h(
        "details",
        { class: "rs-group", "data-group": id, open: open.has(id) },
        h("summary", { text: title }),
        own.map((knob) => this.field(knob)),
      );
    fill(
      this.knobs,
      this.outlook?.hints,
      this.form.method.front
        .flatMap((name) => all.filter((knob) => knob.name === name))
        .map((k) => this.field(k, true)),
      this.outlook?.sketch,
      h(
        "details",
        { class: "rs-more", "data-group": "more", open: open.has("more") },
        h("summary", { text: "More settings" }),
        knobs.map((knob) => this.field(knob)),
        groups.map(({ id, title, own }) => group(id, title, own)),
      ),
    );
    this.drawPreset();
    if (!this.outlook) return;
    this.see(this.form.method.outlook);
    this.look();
  }

  /** The settings without those that are shown first: the method's own, and by group. */
  sorted() {
    const { form } = this;
    const behind = (/** @type {Control} */ knob) => !form.method.front.includes(knob.name);
    const groups = form.groups.map(({ id, title, knobs }) => ({ id, title, own: knobs.filter(behind) }));
    return { knobs: form.method.knobs.filter(behind), groups, all: form.controls };
  }

  /**
   * @param {Control} knob
   * @param {boolean} [front]
   */
  field(knob, front) {
    const { form } = this;
    const own = form.own(knob);
    const held = {
      value: form.values[knob.name] ?? own.default,
      origin: (/** @type {SettingValue} */ value) => form.origin(own, value),
      start: () => form.start(own),
      change: (/** @type {SettingValue} */ value) => this.set(knob.name, value),
    };
    return knobField(own, held, this.id, front);
  }

  /**
   * @param {string} name
   * @param {SettingValue} value
   */
  set(name, value) {
    this.form.values[name] = value;
    this.drawPreset();
    this.look();
    this.changed();
  }

  look() {
    this.outlook?.look(this.form.name, this.form.changed());
  }

  /** @param {OutlookView} view what the server says of the settings */
  see(view) {
    this.outlook?.draw(view, this.form.touched);
    for (const field of this.knobs.querySelectorAll("[data-knob]")) {
      const why = view.idle[field.getAttribute("data-knob") ?? ""] ?? "";
      field.classList.toggle("is-idle", why !== "");
      field.setAttribute("title", why);
    }
  }

  drawPreset() {
    const { presets, preset: agreeing, standing } = this.form;
    const options = presets.map((preset) =>
      h("option", {
        value: preset.name,
        selected: preset.name === agreeing?.name,
        text: `${preset.name}: ${preset.about}`,
      }),
    );
    const changes = standing.apart.length;
    const text = `your own: ${standing.preset.name}, ${changes} ${changes === 1 ? "setting" : "settings"} changed`;
    const own = !agreeing && h("option", { value: "", selected: true, text });
    fill(this.preset, options, own);
    this.mine.disabled = Boolean(agreeing);
  }

  /** @returns {Array<[string, string]>} the changed settings as an address has them */
  spelt() {
    const text = (/** @type {SettingValue} */ value) => (Array.isArray(value) ? value.join("\n") : String(value));
    return Object.entries(this.form.changed()).map(([name, value]) => [name, text(value)]);
  }
}
