// What the form holds: a method, and the settings that the reader changed. The form draws it; a run and a link read it.

/** @import { Control, ControlGroup, FormSchema, MethodChoice, PresetChoice, SettingValue } from "./types.js" */

/** @typedef {Record<string, SettingValue>} Values by setting name */

export const MINE = "mine";
const ABOUT_MINE = "as you kept them in this browser";
/** @type {PresetChoice} */
const USUAL = { name: "usual", about: "everything as it comes", values: {} }; // of a method without presets
const same = (/** @type {SettingValue} */ one, /** @type {SettingValue} */ other) =>
  JSON.stringify(one) === JSON.stringify(other);

export class FormState {
  /**
   * @param {FormSchema} schema
   * @param {string} method
   * @param {(method: string) => Values | null} mine what the reader keeps as a preset of the method
   */
  constructor(schema, method, mine = () => null) {
    this.schema = schema;
    this.name = method;
    this.mine = mine;
    /** @type {Values} */
    this.values = {}; // kept while methods change
    this.picked = ""; // the preset that was chosen last
  }

  /** @returns {MethodChoice} */
  get method() {
    const found = this.schema.methods.find((m) => m.name === this.name);
    if (!found) throw new Error(`there is no method ${this.name}`);
    return found;
  }

  /** @returns {ControlGroup[]} the shared settings, but for those that the method has its own of that name for */
  get groups() {
    const own = new Set(this.method.knobs.map(({ name }) => name));
    return this.schema.groups.map((group) => ({ ...group, knobs: group.knobs.filter(({ name }) => !own.has(name)) }));
  }

  /** @returns {Control[]} every setting of the method, its own first, each with the method's default */
  get controls() {
    return [...this.method.knobs, ...this.groups.flatMap(({ knobs }) => knobs)].map((knob) => this.own(knob));
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
    const changed = this.controls.filter(({ name, default: usual }) => !same(this.values[name] ?? usual, usual));
    return Object.fromEntries(changed.map(({ name }) => [name, this.values[name]]));
  }

  /** The settings that presets speak of, each with the method's default: all where the method declares no preset. */
  get scope() {
    const all = !this.method.presets.length;
    const shared = this.groups.filter(({ preset }) => preset || all).flatMap(({ knobs }) => knobs);
    return [...this.method.knobs, ...shared].map((knob) => this.own(knob));
  }

  /** @returns {PresetChoice[]} the method's, and what the reader keeps as one */
  get presets() {
    const presets = this.method.presets.length ? this.method.presets : [USUAL];
    const mine = this.mine(this.name);
    return mine ? [...presets, { name: MINE, about: ABOUT_MINE, values: mine }] : presets;
  }

  /** @returns {{ preset: PresetChoice, apart: string[] }} the preset that the settings are nearest to, and what differs */
  get standing() {
    const found = this.presets.map((preset) => ({ preset, apart: this.apart(preset) }));
    const picked = found.find(({ preset }) => preset.name === this.picked);
    if (picked) return picked;
    return found.reduce((best, one) => (one.apart.length < best.apart.length ? one : best));
  }

  /** @returns {PresetChoice | null} that the settings agree with, if one does; two may hold the same */
  get preset() {
    const { preset, apart } = this.standing;
    if (!apart.length) return preset;
    return this.presets.find((one) => !this.apart(one).length) ?? null;
  }

  /**
   * @param {PresetChoice} preset
   * @returns {string[]} settings that differ from it
   */
  apart({ values: from }) {
    return this.scope
      .filter(({ name, default: usual }) => !same(this.values[name] ?? usual, from[name] ?? usual))
      .map(({ name }) => name);
  }

  /**
   * What a setting goes back to: the value of the preset that the settings stand on, else what it comes with.
   *
   * @param {Control} knob with the method's default
   */
  start(knob) {
    return this.standing.preset.values[knob.name] ?? knob.default;
  }

  /** @returns {string[]} the settings that the reader changed himself */
  get touched() {
    return this.controls
      .filter((knob) => !same(this.values[knob.name] ?? knob.default, this.start(knob)))
      .map(({ name }) => name);
  }

  /**
   * Whose value it is: the reader's, a preset's, or what the setting comes with.
   *
   * @param {Control} knob with the method's default
   * @param {SettingValue} value
   * @returns {{ text: string, kind: string }}
   */
  origin(knob, value) {
    if (same(value, knob.default)) {
      const own = knob.name in this.method.defaults;
      return own ? { text: "this method's default", kind: "ours" } : { text: knob.badge, kind: knob.provenance };
    }
    const preset = this.presets.find(({ values }) => knob.name in values && same(value, values[knob.name]));
    return preset ? { text: `preset ${preset.name}`, kind: preset.name } : { text: "yours", kind: "yours" };
  }

  /** @param {string} name */
  startFrom(name) {
    const preset = this.presets.find((p) => p.name === name);
    if (!preset) return;
    this.picked = name;
    for (const { name: setting, default: usual } of this.scope) {
      delete this.values[setting];
      const value = preset.values[setting];
      if (value !== undefined && !same(value, usual)) this.values[setting] = value; // else the next method's default holds
    }
  }

  /** @returns {Values} what `mine` brings back */
  keepable() {
    const names = new Set(this.scope.map(({ name }) => name));
    return Object.fromEntries(Object.entries(this.changed()).filter(([name]) => names.has(name)));
  }
}
