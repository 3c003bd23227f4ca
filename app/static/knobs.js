// One control from one declared setting: label, provenance, range, unit, help.

import { h } from "./dom.js";

export function knobField(knob, given, change) {
  const id = `rs-knob-${knob.name}`;
  const value = given ?? knob.default;
  const build = { bool: toggle, choice: choices, lines, int: number, float: number }[knob.kind];
  const badge = knob.badge && h("span", { class: `rs-prov rs-prov-${knob.provenance}`, text: knob.badge });
  const { control, head } = build(knob, id, value, change);
  return h(
    "div",
    { class: `rs-knob rs-knob-${knob.kind}`, "data-knob": knob.name },
    h("div", { class: "rs-knob-head" }, h("label", { for: id, text: knob.label }), head),
    control,
    h("p", { class: "rs-knob-help", id: `${id}-help` }, badge, knob.help),
  );
}

function toggle(knob, id, value, change) {
  return {
    head: h("input", {
      type: "checkbox",
      id,
      checked: Boolean(value),
      "aria-describedby": `${id}-help`,
      on: { change: (event) => change(event.target.checked) },
    }),
  };
}

function choices(knob, id, value, change) {
  return {
    head: h(
      "select",
      {
        id,
        class: "rs-select is-small",
        "aria-describedby": `${id}-help`,
        on: { change: (event) => change(event.target.value) },
      },
      knob.choices.map((choice) => h("option", { value: choice, selected: choice === value, text: choice })),
    ),
  };
}

function lines(knob, id, value, change) {
  return {
    control: h("textarea", {
      id,
      class: "rs-textarea is-small",
      rows: 2,
      "aria-describedby": `${id}-help`,
      text: (value || []).join("\n"),
      on: {
        change: (event) =>
          change(
            event.target.value
              .split("\n")
              .filter((line) => line !== "")
              .slice(0, 8),
          ),
      },
    }),
  };
}

function number(knob, id, value, change) {
  const limits = { min: knob.low, max: knob.high, step: knob.step };
  const box = h("input", {
    type: "number",
    id,
    class: "rs-number",
    value,
    ...limits,
    "aria-describedby": `${id}-help`,
  });
  const unit = h("span", { class: "rs-unit", text: knob.unit });
  const set = (raw, from) => {
    let wanted = Number(raw);
    if (raw === "" || Number.isNaN(wanted)) wanted = knob.default;
    if (knob.low !== null) wanted = Math.max(knob.low, wanted);
    if (knob.high !== null) wanted = Math.min(knob.high, wanted);
    if (knob.kind === "int") wanted = Math.round(wanted);
    if (from !== slider && slider) {
      slider.value = wanted;
      paint();
    }
    if (from !== box || String(wanted) !== raw) box.value = wanted;
    change(wanted);
  };
  box.addEventListener("change", () => set(box.value, box));
  const bounded = knob.low !== null && knob.high !== null && knob.high <= 10_000;
  const slider = bounded
    ? h("input", {
        type: "range",
        class: "rs-range",
        "aria-label": knob.label,
        ...limits,
        value,
        on: {
          input: () => {
            paint();
            set(slider.value, slider);
          },
        },
      })
    : null;
  function paint() {
    slider.style.setProperty("--at", `${(100 * (slider.value - knob.low)) / (knob.high - knob.low)}%`);
  }
  if (slider) paint();
  return { head: h("span", { class: "rs-number-box" }, box, unit), control: slider };
}
