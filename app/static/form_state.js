// What the form holds: a method, and the settings that the reader changed. The form draws it; a run and a link read it.

/** @import { Control, FormSchema, MethodChoice, PresetChoice } from "./types.js" */

export class FormState {
  /**
   * @param {FormSchema} schema
   * @param {string} method
   */
  constructor(schema, method) {
    this.schema = schema;
    this.name = method;
    /** @type {Record<string, any>} */
    this.values = {}; // by setting name; kept while methods change
    this.picked = ""; // the preset that was chosen last
  }

  /** @returns {MethodChoice} */
  get method() {
    const found = this.schema.methods.find((m) => m.name === this.name);
    if (!found) throw new Error(`there is no method ${this.name}`);
    return found;
  }

  /** @returns {Control[]} every setting of the method, its own first, each with the method's default */
  get controls() {
    const { knobs } = this.method;
    return [...knobs, ...this.schema.groups.flatMap((group) => group.knobs)].map((knob) => this.own(knob));
  }

  /**
   * A method may start from its own default for a shared setting.
   *
   * @param {Control} knob
   * @returns {Control}
   */
  own(knob) {
    const { defaults } = this.method;
    return knob.name in defaults ? { ...knob, default: defaults[knob.name] } : knob;
  }

  /** Only settings that the method knows, and only where they differ from their defaults. */
  changed() {
    const changed = this.controls.filter(({ name, default: usual }) => {
      const value = this.values[name];
      return value !== undefined && JSON.stringify(value) !== JSON.stringify(usual);
    });
    return Object.fromEntries(changed.map(({ name }) => [name, this.values[name]]));
  }

  /** Every setting that some preset of the method decides. */
  get presetNames() {
    return [...new Set(this.method.presets.flatMap((preset) => Object.keys(preset.values)))];
  }

  /** @returns {PresetChoice | undefined} that the settings agree with, if one does */
  get preset() {
    const defaults = Object.fromEntries(this.controls.map((knob) => [knob.name, knob.default]));
    const held = { ...defaults, ...this.values };
    /** @param {PresetChoice} preset */
    const agrees = (preset) => this.presetNames.every((name) => held[name] === (preset.values[name] ?? defaults[name]));
    const agreeing = this.method.presets.filter(agrees);
    return agreeing.find((preset) => preset.name === this.picked) ?? agreeing[0]; // two may hold the same
  }

  /**
   * Whose value it is: the reader's, a preset's, or what the setting comes with.
   *
   * @param {Control} knob with the method's default
   * @param {any} value
   * @returns {{ text: string, kind: string }}
   */
  origin(knob, value) {
    const same = (/** @type {any} */ other) => JSON.stringify(value) === JSON.stringify(other);
    if (same(knob.default)) {
      const own = knob.name in this.method.defaults;
      return own ? { text: "this method's default", kind: "ours" } : { text: knob.badge, kind: knob.provenance };
    }
    const preset = this.method.presets.find(({ values }) => knob.name in values && same(values[knob.name]));
    return preset ? { text: `preset ${preset.name}`, kind: preset.name } : { text: "yours", kind: "yours" };
  }

  /** @param {string} name */
  startFrom(name) {
    const preset = this.method.presets.find((p) => p.name === name);
    if (!preset) return;
    this.picked = name;
    for (const setting of this.presetNames) delete this.values[setting];
    Object.assign(this.values, preset.values);
  }
}
