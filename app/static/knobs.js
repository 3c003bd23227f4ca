// One control from one declared setting: label, provenance, range, unit, help.

import { h } from "./dom.js";

/** @import { Control } from "./types.js" */

/** @typedef {(value: any) => void} Change */
/** @typedef {{ head?: HTMLElement, control?: HTMLElement | null }} Built */

const MOST_LINES = 8;
const SLIDER_MOST = 10_000; // beyond that a slider is too coarse

/**
 * @param {Control} knob
 * @param {any} given the reader's value, undefined for none
 * @param {Change} change
 * @param {(value: any) => { text: string, kind: string }} origin whose value it is
 * @param {string} [prefix] begins the ids of its elements
 */
export function knobField(knob, given, change, origin, prefix = "rs") {
  const id = `${prefix}-knob-${knob.name}`;
  /** @type {(knob: Control, id: string, value: any, change: Change) => Built} */
  const build = { bool: toggle, choice: choices, lines, int: number, float: number }[knob.kind];
  const badge = h("span", {});
  const draw = (/** @type {any} */ value) => {
    const { text, kind } = origin(value);
    badge.className = `rs-prov rs-prov-${kind}`;
    badge.textContent = text;
    badge.hidden = !text;
  };
  draw(given ?? knob.default);
  const { control, head } = build(knob, id, given ?? knob.default, (value) => {
    draw(value);
    change(value);
  });
  return h(
    "div",
    { class: `rs-knob rs-knob-${knob.kind}`, "data-knob": knob.name },
    h("div", { class: "rs-knob-head" }, h("label", { for: id, text: knob.label }), head),
    control,
    h("p", { class: "rs-knob-help", id: `${id}-help` }, badge, knob.help),
  );
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
  if (raw === "" || Number.isNaN(wanted)) wanted = usual;
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

/** @param {Control} knob */
function sliderOf({ low, high, step, label }) {
  if (low === null || high === null || high > SLIDER_MOST) return null;
  return h("input", { type: "range", class: "rs-range", "aria-label": label, min: low, max: high, step });
}
