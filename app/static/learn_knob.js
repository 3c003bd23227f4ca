// One setting to move: what comes of it in a sentence and a line, and a task where there is one.

import { h } from "./dom.js";
import { Chart } from "./learn_chart.js";
import { Task } from "./learn_task.js";

/** @import { LearnContext } from "./learn_widgets.js" */
/** @import { KnobView } from "./types.js" */

export class KnobWidget {
  /**
   * @param {KnobView} view
   * @param {LearnContext} context
   */
  constructor(view, context) {
    this.view = view;
    const { readings, shown, names, title } = view;
    this.range = h("input", {
      type: "range",
      class: "rs-range",
      min: 0,
      max: readings.length - 1,
      step: 1,
      "aria-label": title,
      on: { input: () => this.draw() },
    });
    this.range.value = String(readings.findIndex((reading) => reading.value === view.start));
    this.label = h("output", { class: "rs-knob-value" });
    this.said = h("p", { class: "rs-knob-said", "aria-live": "polite" });
    const drawn = shown.map((metric) => names[metric].replace(/,$/, ""));
    this.chart = new Chart(readings, shown, drawn.join(" and "));
    const task = view.goal ? new Task(context, view.say, () => readings[this.at].value) : null;
    this.element = h(
      "section",
      { class: "rs-panel rs-learn-knob", "aria-label": title },
      h("div", { class: "rs-knob-line" }, h("span", { class: "rs-label", text: title }), this.label),
      this.range,
      this.chart.element,
      h("p", { class: "rs-caption", text: captionOf(drawn) }),
      this.said,
      task?.element,
    );
    this.draw();
  }

  told() {
    return this.said.textContent ?? "";
  }

  get at() {
    return Number(this.range.value);
  }

  draw() {
    const { readings } = this.view;
    const reading = readings[this.at];
    this.range.style.setProperty("--at", `${(100 * this.at) / Math.max(1, readings.length - 1)}%`);
    this.range.setAttribute("aria-valuetext", reading.label);
    this.label.textContent = reading.label;
    this.said.textContent = reading.sentence;
    this.chart.mark(this.at);
  }
}

/** @param {string[]} drawn */
const captionOf = (drawn) => (drawn.length > 1 ? `Line: ${drawn[0]}; dashed: ${drawn[1]}.` : `Line: ${drawn[0]}.`);
