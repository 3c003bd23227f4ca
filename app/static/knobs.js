// One control from one declared setting: label, range, unit; help and provenance in a popover; a way back.

import { fill, h, icon } from "./dom.js";
import { popoverHelp } from "./popover_help.js";

/** @import { Control, SettingValue } from "./types.js" */

/** @typedef {(value: SettingValue) => void} Change */
/** @typedef {{ head?: HTMLElement, control?: HTMLElement | null }} Built */
/**
 * @typedef {object} Held what the form knows of a setting
 * @property {SettingValue} value now
 * @property {(value: SettingValue) => { text: string, kind: string }} origin whose value it is
 * @property {() => any} start what it goes back to
 * @property {Change} change
 */

const MOST_LINES = 8;
const SLIDER_MOST = 10_000; // beyond that a slider is too coarse

/**
 * @param {Control} knob
 * @param {Held} held
 * @param {string} prefix begins the ids of its elements
 * @param {boolean} front whether it is one of the few that are shown first, with their line
 */
export function knobField(knob, held, prefix, front = false) {
  const id = `${prefix}-knob-${knob.name}`;
  /** @type {(knob: Control, id: string, value: never, change: Change) => Built} its value is of its kind */
  const build = { bool: toggle, choice: choices, several, lines, int: number, float: number }[knob.kind];
  const { badge, draw } = provenance(held);
  const help = popoverHelp(`${id}-help`, knob.label, [h("p", {}, badge, knob.help), rangeOf(knob)]);
  const back = h("button", { type: "button", class: "rs-icon rs-knob-back" }, icon("back"));
  back.setAttribute("aria-label", `Reset ${knob.label}`);
  back.title = "Back to where it started";
  const label = h("label", { for: id, text: knob.label });
  const line = front && knob.line && h("p", { class: "rs-knob-line", text: knob.line });
  const field = h("div", { class: `rs-knob rs-knob-${knob.kind}`, "data-knob": knob.name });
  const mark = (/** @type {SettingValue} */ value) => {
    draw(value);
    back.hidden = JSON.stringify(value) === JSON.stringify(held.start());
    field.classList.toggle("is-changed", !back.hidden);
  };
  const change = (/** @type {SettingValue} */ value) => {
    held.change(value);
    mark(value);
  };
  const place = (/** @type {SettingValue} */ value) => {
    const { head, control } = build(knob, id, /** @type {never} */ (value), change);
    fill(field, h("div", { class: "rs-knob-head" }, label, help.button, back, head), line, control, help.element);
    mark(value);
  };
  back.addEventListener("click", () => {
    const value = held.start();
    place(value);
    held.change(value);
    document.getElementById(id)?.focus();
  });
  place(held.value);
  return field;
}

/** @param {Held} held */
function provenance({ origin }) {
  const badge = h("span", {});
  const draw = (/** @type {SettingValue} */ value) => {
    const { text, kind } = origin(value);
    badge.className = `rs-prov rs-prov-${kind}`;
    badge.textContent = text;
    badge.hidden = !text;
  };
  return { badge, draw };
}

/** @param {Control} knob */
function rangeOf({ low, high, unit, kind }) {
  if ((kind !== "int" && kind !== "float") || low === null) return null;
  const range = high === null ? `${low} or more` : `${low} to ${high}`;
  return h("p", { class: "rs-knob-range", text: `Range: ${range} ${unit}`.trim() });
}

/**
 * @param {Control} _knob
 * @param {string} id
 * @param {boolean} value
 * @param {Change} change
 * @returns {Built}
 */
function toggle(_knob, id, value, change) {
  const head = h("input", { type: "checkbox", id, checked: value, "aria-describedby": `${id}-help` });
  head.addEventListener("change", () => change(head.checked));
  return { head };
}

/**
 * @param {Control} knob
 * @param {string} id
 * @param {string} value
 * @param {Change} change
 * @returns {Built}
 */
function choices(knob, id, value, change) {
  const options = knob.choices.map((choice) =>
    h("option", { value: choice, selected: choice === value, text: choice }),
  );
  const head = h("select", { id, class: "rs-select is-small", "aria-describedby": `${id}-help` }, options);
  head.addEventListener("change", () => change(head.value));
  return { head };
}

/**
 * Names in the order in which they were ticked, each with its place.
 *
 * @param {Control} knob
 * @param {string} id
 * @param {string} value
 * @param {Change} change
 * @returns {Built}
 */
function several(knob, id, value, change) {
  let picked = value.split("+");
  const places = new Map(knob.choices.map((name) => [name, h("span", { class: "rs-several-place" })]));
  const draw = () => {
    for (const [name, place] of places) place.textContent = picked.includes(name) ? `${picked.indexOf(name) + 1}` : "";
  };
  const boxes = knob.choices.map((name) => {
    const box = h("input", { type: "checkbox", value: name, checked: picked.includes(name) });
    box.addEventListener("change", () => {
      const others = picked.filter((other) => other !== name);
      if (!box.checked && !others.length) box.checked = true; // one at least
      picked = box.checked ? [...others, name] : others;
      draw();
      change(picked.join("+"));
    });
    return h("label", { class: "rs-check" }, box, h("span", { text: name }), places.get(name));
  });
  draw();
  const attributes = { role: "group", "aria-label": knob.label, "aria-describedby": `${id}-help` };
  return { control: h("div", { id, class: "rs-several", ...attributes }, boxes) };
}

/**
 * @param {Control} _knob
 * @param {string} id
 * @param {string[]} value
 * @param {Change} change
 * @returns {Built}
 */
function lines(_knob, id, value, change) {
  const attributes = { class: "rs-textarea is-small", rows: 2, "aria-describedby": `${id}-help` };
  const control = h("textarea", { id, ...attributes, text: value.join("\n") });
  control.addEventListener("change", () => {
    const written = control.value.split("\n").filter((line) => line !== "");
    change(written.slice(0, MOST_LINES));
  });
  return { control };
}

/**
 * @param {Control} knob
 * @param {string} raw
 */
export function within({ low, high, kind, default: usual }, raw) {
  let wanted = Number(raw);
  if (raw === "" || Number.isNaN(wanted)) wanted = Number(usual);
  if (low !== null) wanted = Math.max(low, wanted);
  if (high !== null) wanted = Math.min(high, wanted);
  return kind === "int" ? Math.round(wanted) : wanted;
}

/**
 * @param {Control} knob
 * @param {string} id
 * @param {number} value
 * @param {Change} change
 * @returns {Built}
 */
function number(knob, id, value, change) {
  const { low, high, step, unit } = knob;
  const limits = { min: low, max: high, step };
  const described = { "aria-describedby": `${id}-help` };
  const box = h("input", { type: "number", id, class: "rs-number", value, ...limits, ...described });
  const head = h("span", { class: "rs-number-box" }, box, h("span", { class: "rs-unit", text: unit }));
  const slider = sliderOf(knob);
  /** @param {number} wanted */
  const show = (wanted) => {
    if (slider && low !== null && high !== null)
      slider.style.setProperty("--at", `${(100 * (wanted - low)) / (high - low)}%`);
  };
  box.addEventListener("change", () => {
    const wanted = within(knob, box.value);
    box.value = String(wanted);
    if (slider) slider.value = box.value;
    show(wanted);
    change(wanted);
  });
  slider?.addEventListener("input", () => {
    const wanted = within(knob, slider.value);
    box.value = String(wanted);
    show(wanted);
    change(wanted);
  });
  if (slider) slider.value = String(value);
  show(value);
  return { head, control: slider };
}

/**
 * For the pointer alone: arrows move the number beside it.
 *
 * @param {Control} knob
 */
function sliderOf({ low, high, step, label }) {
  if (low === null || high === null || high > SLIDER_MOST) return null;
  const names = { class: "rs-range", "aria-label": label, tabindex: -1 };
  return h("input", { type: "range", ...names, min: low, max: high, step });
}
